package target

import (
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/target/table"
)

// LLVMView is a target as LLVM names it.
type LLVMView struct {
	Triple, CPU, Features, DataLayout string
}

// The versions of LLVM whose data layouts the tables have.
const (
	OldestLLVM = 13
	NewestLLVM = 19
)

// LLVM describes t in the words of a version of LLVM, 0 for the newest known. The notes name
// the features that this version has no word for.
func (m Machines) LLVM(t Target, version int) (out LLVMView, notes problem.List) {
	v := m.look(t)
	if v.mode == nil {
		return out, problem.List{info(UnknownMachine, KeyArchitecture, "the tables have no %s `%s` with this mode", t.PU, t.Architecture)}
	}
	w := newWriter(v, Compiler{Name: "LLVM", Major: version})
	out.Triple, out.CPU = w.triple, v.mode.CPU
	if since, young := clangSince[v.arch.PU+" "+v.arch.Name]; young && version != 0 && version < since {
		w.noTarget("LLVM %d has no target for %s %s: it came with version %d", version, t.PU, v.arch.Name, since)
		return LLVMView{}, w.notes
	}
	if out.Triple == "" {
		w.noTarget("LLVM has no target for %s %s %s", t.PU, v.arch.Name, v.endian())
	}
	var words []string
	dev := &march{}
	for _, f := range w.wanted() {
		kind, text, _ := strings.Cut(f.Clang.Flag, ":")
		switch {
		case younger(f, version):
			w.note(KeyFeatures, "LLVM %d has no name for `%s`: it came with version %d", version, f.Name, f.Clang.Since)
		case kind == "march" || kind == "mcpu" || kind == "mmcu":
			dev.device(w, kind, text, f)
		case f.LLVM == "-":
			if !w.isBase(f) {
				w.note(KeyFeatures, "LLVM has no name for `%s`", f.Name)
			}
		default:
			for n := range strings.SplitSeq(f.LLVM, "+") {
				words = append(words, "+"+n)
			}
		}
	}
	if dev.cpu != nil {
		out.CPU = dev.cpuText
	}
	out.Features = strings.Join(words, ",")
	abi := ""
	switch {
	case w.abi != nil && v.arch.Name != "S390X":
		abi = w.abi.Name
	case v.arch.Name == "S390X" && v.set.Has(v.isa.Feature("vector").ID):
		abi = "VECTOR" // until version 15, LLVM lays out vectors in its own way
	}
	out.DataLayout = v.mode.Layout(version, v.endian(), abi, t.Linker.OutputFormat)
	if out.DataLayout == "" {
		w.note(KeyArchitecture, "the data layout of this target is not in the tables")
	}
	return out, w.notes
}

// younger reports whether a feature is too new for a version of LLVM.
func younger(f *table.Feature, version int) bool { return version != 0 && version < f.Clang.Since }
