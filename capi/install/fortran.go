package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// fortran compiles the Fortran interface with the compiler of this machine: a compiled
// Fortran module can be read only by the compiler that wrote it.
func (in *installation) fortran() error {
	path, err := exec.LookPath(in.fc)
	if err != nil {
		in.leftOut = append(in.leftOut, "the Fortran interface: "+in.fc+" was not found; set FC to use another compiler")
		return nil
	}
	compiler, err := newFortranCompiler(path)
	if err != nil {
		return err
	}
	in.found = append(in.found, fmt.Sprintf("the Fortran compiler `%s`, which %s: programs of %s can use the modules", in.fc, firstLine(path, "--version"), compiler.tag))
	if len(compiler.missing) > 0 {
		in.leftOut = append(in.leftOut, fmt.Sprintf("PDI_access for %s, which %s lacks", strings.Join(compiler.missing, ", "), in.fc))
	}
	modules := in.at("lib/paraconf/finclude/" + compiler.tag)
	err = compiler.compile(in, "paraconf_f90", modules, filepath.Join(in.source, "fortran", "paraconf.f90"), "-lparaconf")
	if err != nil {
		return err
	}
	ours := in.at("lib/pdi/finclude/" + compiler.tag)
	if err := os.MkdirAll(ours, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(ours, "pdif.h"), compiler.interfaces(fortranInterface(compiler.types)), 0o666); err != nil {
		return err
	}
	build, err := os.MkdirTemp("", "pdi-fortran-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(build)
	file := filepath.Join(build, "pdi.f90")
	base, err := os.ReadFile(filepath.Join(in.source, "fortran", "pdi.f90"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, compiler.procedures(string(base)+fortranAccess(compiler.types)), 0o666); err != nil {
		return err
	}
	return compiler.compile(in, "pdi_f90", ours, file, "-I"+modules, "-I"+ours, "-lpdi", "-lparaconf_f90", "-lparaconf")
}

const maxRank = 7

// eachAccess calls visit for every specific procedure of the generic PDI_access: one for
// each type, kind and rank.
func eachAccess(types []fortranType, visit func(procedure, declaration string, rank int)) {
	for _, t := range types {
		for _, kind := range t.kinds {
			for rank := range maxRank + 1 {
				shape := ""
				attributes := "pointer"
				if rank > 0 {
					shape = "(" + strings.TrimSuffix(strings.Repeat(":,", rank), ",") + ")"
					attributes += ", contiguous"
				}
				visit(fmt.Sprintf("PDI_access_%s%d_%dD", t.name, kind, rank),
					fmt.Sprintf("%s(kind=%d), %s :: ptr_data%s", t.name, kind, attributes, shape), rank)
			}
		}
	}
}

// accessHead returns the head of one PDI_access procedure, with its arguments.
func accessHead(procedure, declaration string, rank int) string {
	arguments, shape := "name, ptr_data, accessf, err", ""
	if rank > 0 {
		arguments = "name, ptr_data, accessf, ptr_data_shape, err"
		shape = fmt.Sprintf("    integer, intent(in) :: ptr_data_shape(%d)\n", rank)
	}
	return fmt.Sprintf("  subroutine %s(%s)\n", procedure, arguments) +
		"    %USE%" +
		"    character(len=*), intent(in) :: name\n" +
		"    " + declaration + "\n" +
		"    integer, intent(in) :: accessf\n" +
		shape +
		"    integer, intent(out), optional :: err\n"
}

// fortranAccess returns the procedures of the generic PDI_access.
func fortranAccess(types []fortranType) string {
	var b strings.Builder
	eachAccess(types, func(procedure, declaration string, rank int) {
		b.WriteString("\n" + strings.Replace(accessHead(procedure, declaration, rank), "%USE%", "use PDI_C\n    implicit none\n", 1))
		shape := ""
		if rank > 0 {
			shape = ", ptr_data_shape"
		}
		b.WriteString("    type(c_ptr) :: at\n    integer :: status\n" +
			"    at = c_null_ptr\n" +
			"    status = PDI_access_C(c_text(name), at, accessf)\n" +
			"    nullify(ptr_data)\n" +
			"    if (c_associated(at)) call c_f_pointer(at, ptr_data" + shape + ")\n" +
			"    if (present(err)) err = status\n" +
			"  end subroutine " + procedure + "\n")
	})
	return b.String()
}

// fortranInterface returns pdif.h: the constants and the interface of every procedure.
func fortranInterface(types []fortranType) string {
	var b strings.Builder
	b.WriteString(`! The interface of the data store, for programs that include it instead of using module PDI.

integer, parameter :: PDI_NONE = 0
integer, parameter :: PDI_IN = 1
integer, parameter :: PDI_OUT = 2
integer, parameter :: PDI_INOUT = 3

interface
  subroutine PDI_init(treeconf, err)
    use paraconf
    type(PC_tree_t), intent(in) :: treeconf
    integer, intent(out), optional :: err
  end subroutine PDI_init
`)
	for _, name := range []string{"PDI_finalize", "PDI_transaction_end"} {
		fmt.Fprintf(&b, "  subroutine %[1]s(err)\n    integer, intent(out), optional :: err\n  end subroutine %[1]s\n", name)
	}
	for _, name := range []string{"PDI_event", "PDI_release", "PDI_reclaim", "PDI_transaction_begin"} {
		fmt.Fprintf(&b, "  subroutine %[1]s(name, err)\n    character(len=*), intent(in) :: name\n    integer, intent(out), optional :: err\n  end subroutine %[1]s\n", name)
	}
	for _, name := range []string{"PDI_share", "PDI_expose"} {
		fmt.Fprintf(&b, "  subroutine %[1]s(name, data, accessf, err)\n    character(len=*), intent(in) :: name\n"+
			"    type(*), target, asynchronous :: data(..)\n    integer, intent(in) :: accessf\n    integer, intent(out), optional :: err\n  end subroutine %[1]s\n", name)
	}
	b.WriteString("end interface\n\ninterface PDI_access\n")
	eachAccess(types, func(procedure, declaration string, rank int) {
		b.WriteString(strings.Replace(accessHead(procedure, declaration, rank), "    %USE%", "", 1) + "  end subroutine " + procedure + "\n")
	})
	b.WriteString("end interface PDI_access\n")
	return b.String()
}
