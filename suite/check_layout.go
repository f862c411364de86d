package suite

import (
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/target"
)

// layouts checks the types of all trees for the target, and compares them with this machine.
func (c *checker) layouts(m *coil.Model, built, here target.Target) {
	there, err := Machine(built)
	own, hereErr := Machine(here)
	for _, tree := range c.specifications() {
		if len(declarations(tree.model)) == 0 {
			continue
		}
		if err != nil {
			c.report(doesNotFit, settingSpan(m, "Target", "Mode"), "the types of the tree have no layout on the target: %v", err).
				At(declarations(tree.model)[0].Span(), "declared here")
			continue
		}
		l := &layouts{checker: c, tree: tree.model, config: tree.config, coil: m, target: built, there: there}
		if hereErr == nil {
			l.here = own
		}
		l.check()
	}
}

// specifications returns the specification trees that the run uses.
func (r *Run) specifications() []*tree {
	var list []*tree
	for _, c := range r.Files() {
		if m, ok := model[*pdi.Model](c); ok && !c.Document.Problems().HasErrors() {
			list = append(list, &tree{c, m})
		}
	}
	return list
}

// tree is a specification tree of the run.
type tree struct {
	config *lang.Config
	model  *pdi.Model
}

// layouts compares one tree on two machines.
type layouts struct {
	*checker
	tree   *pdi.Model
	config *lang.Config // of the tree
	coil   *coil.Model
	target target.Target

	there, here *data.Machine // here is nil if it is not known
}

func declarations(m *pdi.Model) []*pdi.Declaration {
	return slices.Concat(m.Types, m.Metadata, m.Data)
}

func (l *layouts) check() {
	mode := settingSpan(l.coil, "Target", "Mode")
	var strict *pdi.Declaration // needs the largest alignment
	var strictest, wide int64
	var multi *pdi.Declaration
	there, here := l.store(l.there), l.store(l.here)
	for _, d := range declarations(l.tree) {
		t, err := typeOn(l.tree, there, d.Name)
		h, hereErr := typeOn(l.tree, here, d.Name)
		if err != nil {
			if h != nil && hereErr == nil {
				l.report(doesNotFit, l.misfit(d), "`%s` has no layout on the target: %v", d.Name, data.Message(err)).
					At(mode, "the target has %d bits", l.target.Mode)
			}
			continue
		}
		if t == nil {
			continue
		}
		if a := t.Align(); a > strictest {
			strictest, strict = a, d
		}
		if s := largest(t); s > wide {
			wide, multi = s, d
		}
		if l.record(d, t) {
			continue
		}
		if h != nil && t.Size() != h.Size() {
			l.because(l.report(otherSize, d.Span(), "`%s` takes %s on the target and %d here", d.Name, quantity.Count(int(t.Size()), "byte", "bytes"), h.Size())).
				Helped("use types of one size everywhere, such as `int64`")
		}
	}
	if a := int64(l.target.Memory.Alignment); strict != nil && a > 0 && strictest > a {
		l.report(weakAlignment, settingSpan(l.coil, "Memory", "Alignment"), "the target aligns memory to %s, but `%s` needs %d", quantity.Count(int(a), "byte", "bytes"), strict.Name, strictest).
			At(strict.Span(), "declared here")
	}
	if l.here != nil && l.there.BigEndian != l.here.BigEndian && wide > 1 {
		l.report(otherEndianness, settingSpan(l.coil, "Memory", "Endianness"), "the target is %s-endian, but this machine is not: it would read numbers with reversed bytes", map[bool]string{true: "big", false: "little"}[l.there.BigEndian]).
			At(multi.Span(), "this contains numbers of %d bytes", wide)
	}
}

// because labels the setting that makes sizes differ: the mode, or, if modes are equal, the ABI or the kind of program.
func (l *layouts) because(d *diag.Diagnostic) *diag.Diagnostic {
	switch {
	case shortPointers(l.target):
		return d.At(settingSpan(l.coil, "ABI", "Name"), "in this ABI pointers and `long` have %d bytes", l.there.Pointer)
	case l.target.Linker.OutputFormat == "PE" && l.there.Pointer == l.here.Pointer:
		return d.At(settingSpan(l.coil, "Linker", "OutputFormat"), "in programs of this kind `long` has %d bytes", l.there.Long)
	}
	return d.At(settingSpan(l.coil, "Target", "Mode"), "the target has %d bits", l.target.Mode)
}

// treeLayout is the language's code for an impossible layout in a tree.
const treeLayout = "pdi/layout"

// misfit returns the position inside a declaration that does not fit. The tree knows it only for layouts of this machine.
func (l *layouts) misfit(d *pdi.Declaration) source.Span {
	whole := d.TypeSpan()
	for _, f := range l.findings(l.config) {
		if f.Code.ID == treeLayout && f.Span.File == whole.File && whole.Start <= f.Span.Start && f.Span.End <= whole.End {
			return f.Span
		}
	}
	return d.Span()
}

// store returns the store of the tree on a machine, with 1 for unknown numbers in sizes; nil if the machine is not known, or the tree has errors.
func (l *layouts) store(m *data.Machine) *data.Store {
	if m == nil {
		return nil
	}
	s, err := l.tree.Values(m, nil)
	if err != nil {
		return nil
	}
	assumeOnes(s, l.tree, nil)
	return s
}

// typeOn returns a type in a store; no type and no error if there is no store.
func typeOn(m *pdi.Model, s *data.Store, name string) (data.Type, error) {
	if s == nil {
		return nil, nil
	}
	return m.TypeOf(s, name)
}

// record checks the displacements in records, and reports whether it found a problem.
func (l *layouts) record(d *pdi.Declaration, t data.Type) bool {
	found := false
	eachRecord(t, func(path string, r *data.Record) {
		if found || r.Struct {
			return
		}
		name := d.Name + path
		for i := range r.Members {
			m := &r.Members[i]
			if need := m.Type.Align(); m.Offset%need != 0 {
				found = true
				l.report(misaligned, d.Span(), "in `%s` the member `%s` at %d is not aligned on the target: `%s` needs a multiple of %d", name, m.Name, m.Offset, m.Type, need).
					At(settingSpan(l.coil, "Target", "Architecture"), "the target is %s with %d bits", l.target.Architecture, l.target.Mode).
					Helped("move it, or use a `struct`, which follows the rules of C")
				return
			}
		}
	})
	return found
}

// eachRecord visits the records inside a type, but does not follow pointers.
func eachRecord(t data.Type, visit func(path string, r *data.Record)) { recordsIn("", t, visit) }

func recordsIn(path string, t data.Type, visit func(string, *data.Record)) {
	switch t := t.(type) {
	case *data.Array:
		recordsIn(path, t.Elem, visit)
	case *data.Record:
		visit(path, t)
		for _, m := range t.Members {
			recordsIn(path+"."+m.Name, m.Type, visit)
		}
	case *data.Tuple:
		for i, m := range t.Elements {
			recordsIn(fmt.Sprintf("%s[%d]", path, i), m.Type, visit)
		}
	}
}

// largest returns the size of the largest number inside a type.
func largest(t data.Type) int64 {
	switch t := t.(type) {
	case *data.Scalar:
		return t.Size()
	case *data.Pointer:
		return t.Size()
	case *data.Array:
		return largest(t.Elem)
	case *data.Record:
		return largestOf(t.Members)
	case *data.Tuple:
		return largestOf(t.Elements)
	}
	return 1
}

func largestOf(members []data.Member) int64 {
	widest := int64(1)
	for _, m := range members {
		widest = max(widest, largest(m.Type))
	}
	return widest
}

// settingSpan returns the position of a setting's value, or else the beginning of the file.
func settingSpan(m *coil.Model, section, key string) source.Span {
	if s := m.Lookup(section, key); s != nil && !s.Text.IsZero() {
		return s.Text
	}
	return m.Top()
}
