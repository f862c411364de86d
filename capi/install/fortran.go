package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// fortran compiles the Fortran interface. A module can be read only by the compiler
// that wrote it, so this happens here.
func (in *installation) fortran() error {
	compiler, err := exec.LookPath(in.fc)
	if err != nil {
		in.leftOut = append(in.leftOut, "the Fortran interface: "+in.fc+" was not found; FC names another compiler")
		return nil
	}
	version, err := exec.Command(compiler, "-dumpfullversion").Output()
	if err != nil {
		return fmt.Errorf("gfortran does not tell its version: %v", err)
	}
	parts := strings.SplitN(strings.TrimSpace(string(version)), ".", 3)
	tag := "GNU-" + strings.Join(parts[:min(2, len(parts))], ".")

	modules := in.at("lib/paraconf/finclude/" + tag)
	err = in.compileFortran(compiler, "paraconf_f90", modules, filepath.Join(in.source, "fortran", "paraconf.f90"), "-lparaconf")
	if err != nil {
		return err
	}
	ours := in.at("lib/pdi/finclude/" + tag)
	if err := os.MkdirAll(ours, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(ours, "pdif.h"), []byte(fortranInterface()), 0o666); err != nil {
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
	if err := os.WriteFile(file, []byte(string(base)+fortranAccess()), 0o666); err != nil {
		return err
	}
	return in.compileFortran(compiler, "pdi_f90", ours, file, "-I"+modules, "-I"+ours, "-lpdi", "-lparaconf_f90", "-lparaconf")
}

func (in *installation) compileFortran(compiler, name, modules, file string, flags ...string) error {
	if err := os.MkdirAll(modules, 0o777); err != nil {
		return err
	}
	args := append([]string{"-O1", "-fPIC", "-shared", "-J", modules, file, "-o", in.at("lib/lib" + name + ".so.1"),
		"-Wl,-soname,lib" + name + ".so.1", "-L" + in.at("lib"), "-Wl,-rpath,$ORIGIN"}, flags...)
	if err := run(exec.Command(compiler, args...)); err != nil {
		return err
	}
	return in.link("lib" + name + ".so")
}

// fortranType is an intrinsic type with its kinds.
type fortranType struct {
	name  string
	kinds []int
}

var fortranTypes = []fortranType{
	{"character", []int{1, 4}},
	{"complex", []int{4, 8, 16}},
	{"integer", []int{1, 2, 4, 8, 16}},
	{"logical", []int{1, 2, 4, 8, 16}},
	{"real", []int{4, 8, 16}},
}

const maxRank = 7

// eachAccess visits the type, kind and rank of every PDI_access.
func eachAccess(visit func(procedure, declaration string, rank int)) {
	for _, t := range fortranTypes {
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

// accessHead is the head of one PDI_access, with its arguments.
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

// fortranAccess writes the procedures behind PDI_access.
func fortranAccess() string {
	var b strings.Builder
	eachAccess(func(procedure, declaration string, rank int) {
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

// fortranInterface writes pdif.h: the constants and the interface of every procedure.
func fortranInterface() string {
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
	eachAccess(func(procedure, declaration string, rank int) {
		b.WriteString(strings.Replace(accessHead(procedure, declaration, rank), "    %USE%", "", 1) + "  end subroutine " + procedure + "\n")
	})
	b.WriteString("end interface PDI_access\n")
	return b.String()
}
