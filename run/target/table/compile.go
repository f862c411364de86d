package table

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// Malformed is the kind of every problem of a table file; its subject is the architecture or
// ABI with the wrong description.
const Malformed problem.Kind = "table-malformed"

func malformed(name, message string) error {
	return &problem.Problem{Kind: Malformed, Subject: problem.Subject{Name: name}, Message: message}
}

// With returns t extended by a table file: new architectures are added, and known ones also get
// the file's modes, features and sets. t itself does not change.
func (t *Tables) With(r io.Reader) (*Tables, error) {
	f, err := decode(r)
	if err != nil {
		return nil, malformed("", err.Error())
	}
	out := &Tables{Archs: slices.Clone(t.Archs), ABIs: slices.Clone(t.ABIs)}
	for i := range f.Architectures {
		fa := &f.Architectures[i]
		if err := out.addArch(fa); err != nil {
			return nil, malformed(fa.Name, fmt.Sprintf("architecture `%s` of %s: %s", fa.Name, fa.PU, err))
		}
	}
	for i := range f.ABIs {
		if err := out.addABI(&f.ABIs[i]); err != nil {
			return nil, malformed(f.ABIs[i].Name, fmt.Sprintf("ABI `%s`: %s", f.ABIs[i].Name, err))
		}
	}
	slices.SortStableFunc(out.Archs, func(a, b *Arch) int {
		return cmp.Or(cmp.Compare(a.PU, b.PU), cmp.Compare(a.Name, b.Name))
	})
	slices.SortStableFunc(out.ABIs, func(a, b ABI) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Arch, b.Arch), slices.Compare(a.Modes, b.Modes))
	})
	return out, nil
}

func (t *Tables) addArch(fa *fileArch) error {
	if !slices.Contains([]string{"CPU", "GPU", "NPU", "DSP"}, fa.PU) {
		return fmt.Errorf("`pu` must be CPU, GPU, NPU or DSP, not `%s`", fa.PU)
	}
	if Normal(fa.Name) == "" {
		return fmt.Errorf("it needs a `name`")
	}
	old, _ := t.Arch(fa.PU, fa.Name)
	a := &Arch{PU: fa.PU, Name: fa.Name, Extra: fa.Extra}
	var isas []fileISA
	if old != nil {
		a.Name, a.Extra, a.Aliases = old.Name, old.Extra, slices.Clone(old.Aliases)
		for i := range old.ISAs {
			isas = append(isas, old.ISAs[i].file())
		}
	}
	for _, n := range slices.Sorted(maps.Keys(fa.Aliases)) {
		if other, _ := t.Arch(fa.PU, n); other != nil && other != old {
			return fmt.Errorf("alias `%s` already means `%s`", n, other.Name)
		}
		a.Aliases = append(a.Aliases, ArchAlias{n, fa.Aliases[n]})
	}
	for _, fi := range fa.ISAs {
		isas = merge(isas, fi)
	}
	if len(isas) == 0 {
		return fmt.Errorf("it needs at least one entry in `isas`")
	}
	for i := range isas {
		s, err := isas[i].compile()
		if err != nil {
			return err
		}
		a.ISAs = append(a.ISAs, *s)
	}
	if b := a.Bits(); len(slices.Compact(slices.Clone(b))) != len(b) {
		return fmt.Errorf("two of its instruction sets have the same mode")
	}
	if old != nil {
		t.Archs[slices.Index(t.Archs, old)] = a
	} else {
		t.Archs = append(t.Archs, a)
	}
	return nil
}

// compile checks a file's instruction set and numbers its names.
func (fi *fileISA) compile() (*ISA, error) {
	if len(fi.Modes) == 0 {
		return nil, fmt.Errorf("an instruction set needs `modes`")
	}
	if len(fi.Features) > MaxFeatures {
		return nil, fmt.Errorf("it has %d features, at most %d are possible", len(fi.Features), MaxFeatures)
	}
	s := &ISA{Open: fi.Open, SIMT: fi.SIMT}
	slices.SortFunc(fi.Features, func(a, b fileFeature) int { return cmp.Compare(a.Key, b.Key) })
	for i, ff := range fi.Features {
		if Normal(ff.Key) == "" {
			return nil, fmt.Errorf("a feature needs a `key`")
		}
		if i > 0 && fi.Features[i-1].Key == ff.Key {
			return nil, fmt.Errorf("feature `%s` is defined twice", ff.Key)
		}
		f := Feature{Key: ff.Key, Name: cmp.Or(ff.Name, strings.ToUpper(ff.Key)), Aliases: ff.Aliases, Doubtful: ff.Doubtful, Modes: ff.Modes,
			Group: ff.Group, Obsolete: ff.Obsolete, Experimental: ff.Experimental,
			GCC: Option(ff.GCC), Clang: Option(ff.Clang), NVCC: Option(ff.NVCC), LLVM: cmp.Or(ff.LLVM, ff.Key), Rust: ff.Rust, Unstable: ff.Unstable, Linux: ff.Linux}
		s.Features = append(s.Features, f)
	}
	if err := s.index(); err != nil {
		return nil, err
	}
	if err := s.imply(fi.Features); err != nil {
		return nil, err
	}
	for _, l := range []struct {
		what string
		in   []string
		out  *Features
	}{{"base", fi.Base, &s.Base}, {"simd", fi.SIMD, &s.SIMD}, {"not_simd", fi.NotSIMD, &s.NotSIMD}, {"crypto", fi.Crypto, &s.Crypto}} {
		ids, err := s.ids(l.in)
		if err != nil {
			return nil, fmt.Errorf("`%s`: %w", l.what, err)
		}
		*l.out = ids
	}
	for _, c := range fi.Conflicts {
		ids, err := s.ids(c[:])
		if err != nil || len(ids) != 2 {
			return nil, fmt.Errorf("`conflicts`: `%s` and `%s` must be two features of it", c[0], c[1])
		}
		s.Conflicts = append(s.Conflicts, Conflict{ids[0], ids[1]})
	}
	for _, n := range slices.Sorted(maps.Keys(fi.Processors)) {
		p := fi.Processors[n]
		ids, err := s.ids(p.Features)
		if err != nil {
			return nil, fmt.Errorf("processor `%s`: %w", n, err)
		}
		for _, o := range []fileOption{p.GCC, p.Clang} {
			if _, err := s.ids(slices.Concat(o.Lacks, o.Adds)); err != nil {
				return nil, fmt.Errorf("processor `%s`: %w", n, err)
			}
		}
		s.Processors = append(s.Processors, Processor{n, ids, p.Numbers, p.Level, p.Source, Option(p.GCC), Option(p.Clang), Option(p.LLVM), Option(p.GCCTune), Option(p.ClangTune)})
	}
	slices.SortFunc(fi.Modes, func(a, b fileMode) int { return cmp.Compare(a.Bits, b.Bits) })
	for i := range fi.Modes {
		m, err := fi.Modes[i].compile(s)
		if err != nil {
			return nil, fmt.Errorf("mode %d: %w", fi.Modes[i].Bits, err)
		}
		s.Modes = append(s.Modes, *m)
	}
	return s, nil
}

// index collects all spellings of the features; two features must not share a spelling.
func (s *ISA) index() error {
	for i := range s.Features {
		f := &s.Features[i]
		for _, n := range []string{f.Key, f.Name} {
			s.Names = append(s.Names, Name{Text: Normal(n), Feature: ID(i)})
		}
		for _, n := range f.Aliases {
			s.Names = append(s.Names, Name{Text: Normal(n), Feature: ID(i)})
		}
		for _, n := range f.Doubtful {
			s.Names = append(s.Names, Name{Text: Normal(n), Feature: ID(i), Doubtful: true})
		}
	}
	slices.SortStableFunc(s.Names, func(a, b Name) int { return cmp.Compare(a.Text, b.Text) })
	s.Names = slices.Compact(s.Names)
	for i := 1; i < len(s.Names); i++ {
		if a, b := s.Names[i-1], s.Names[i]; a.Text == b.Text {
			return fmt.Errorf("`%s` would mean both `%s` and `%s`", a.Text, s.Features[a.Feature].Name, s.Features[b.Feature].Name)
		}
	}
	return nil
}

// imply completes the features that each feature implies, directly or indirectly.
func (s *ISA) imply(in []fileFeature) error {
	direct := make([]Features, len(in))
	for i, ff := range in {
		ids, err := s.ids(ff.Implies)
		if err != nil {
			return fmt.Errorf("`implies` of `%s`: %w", ff.Key, err)
		}
		direct[i] = ids
	}
	done := make([]uint8, len(in)) // 1 while it is being visited, 2 when complete
	var walk func(ID) error
	walk = func(id ID) error {
		done[id] = 1
		set := direct[id].Set()
		for _, d := range direct[id] {
			if done[d] == 1 {
				return fmt.Errorf("`%s` and `%s` imply each other", s.Features[id].Name, s.Features[d].Name)
			}
			if done[d] == 0 {
				if err := walk(d); err != nil {
					return err
				}
			}
			set = set.Union(s.Features[d].Implies.Set())
		}
		// A group is only a name, so nothing implies it.
		for _, d := range set.List() {
			if s.Features[d].Group {
				set = set.Minus(Features{d}.Set())
			}
		}
		s.Features[id].Implies = set.List()
		done[id] = 2
		return nil
	}
	for i := range in {
		if done[i] == 0 {
			if err := walk(ID(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// ids finds features by key or any other spelling.
func (s *ISA) ids(names []string) (Features, error) {
	var out Features
	for _, n := range names {
		if id, ok := s.id(n); ok {
			out = append(out, id)
		} else if hit, ok := s.find(Normal(n)); ok {
			out = append(out, hit.Feature)
		} else {
			return nil, fmt.Errorf("`%s` is not one of its features", n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func (fm *fileMode) compile(s *ISA) (*Mode, error) {
	if fm.Bits < 8 || fm.Bits > 128 {
		return nil, fmt.Errorf("`bits` must be between 8 and 128")
	}
	for _, e := range slices.Concat(fm.Endianness, fm.Rare) {
		if e != "Little" && e != "Big" {
			return nil, fmt.Errorf("endianness must be Little or Big, not `%s`", e)
		}
	}
	if len(fm.Endianness) == 0 {
		return nil, fmt.Errorf("it needs `endianness`")
	}
	for _, m := range fm.Models {
		if m != "Protected" && m != "Flat" && m != "Segmented" {
			return nil, fmt.Errorf("a memory model is Protected, Flat or Segmented, not `%s`", m)
		}
	}
	for _, n := range []struct {
		what string
		n    int
	}{{"alignment", fm.Alignment}, {"stack", fm.Stack}} {
		if n.n < 0 || n.n&(n.n-1) != 0 {
			return nil, fmt.Errorf("`%s` must be a power of 2, not %d", n.what, n.n)
		}
	}
	base, err := s.ids(fm.Base)
	if err != nil {
		return nil, fmt.Errorf("`base`: %w", err)
	}
	triples, err := variants(fm.Triples)
	if err != nil {
		return nil, fmt.Errorf("`triples`: %w", err)
	}
	layouts, err := variants(fm.Layouts)
	if err != nil {
		return nil, fmt.Errorf("`layouts`: %w", err)
	}
	regs := make([]string, len(fm.Registers))
	for i, r := range fm.Registers {
		if _, ok := parseSpan(r); !ok {
			return nil, fmt.Errorf("`%s` is neither a register nor a range such as r8..r15", r)
		}
		regs[i] = strings.ToLower(r)
	}
	m := &Mode{Bits: fm.Bits, Runs: fm.Runs, Endianness: fm.Endianness, Rare: fm.Rare, RareNote: fm.RareNote, Note: fm.Note,
		Alignment: cmp.Or(fm.Alignment, fm.Bits/8), Stack: cmp.Or(fm.Stack, fm.Bits/8), Pointer: cmp.Or(fm.Pointer, fm.Bits), Models: fm.Models,
		Base: base, CPU: fm.CPU, March: fm.March, Triples: triples, Layouts: layouts, NoRegisters: fm.NoRegisters}
	if len(m.Models) == 0 {
		m.Models = []string{"Protected", "Flat"}
	}
	if len(regs) > 0 {
		m.Registers = regs
	}
	return m, nil
}

func (t *Tables) addABI(fa *fileABI) error {
	a := ABI{Name: fa.Name, Aliases: fa.Aliases, PU: cmp.Or(fa.PU, "CPU"), Arch: fa.Arch, Modes: fa.Modes, Any: fa.Any,
		Stack: fa.Stack, RedZone: fa.RedZone, Flags: fa.Flags, Env: fa.Env, Needs: fa.Needs}
	if a.Name == "" {
		return fmt.Errorf("it needs a `name`")
	}
	if a.Any {
		a.PU = ""
	}
	for _, l := range []struct {
		in  []string
		out *[]string
	}{{fa.Parameters, &a.Parameters}, {fa.Returns, &a.Returns}, {fa.FloatParameters, &a.FloatParameters}, {fa.FloatReturns, &a.FloatReturns}, {fa.Saved, &a.Saved}} {
		for _, r := range l.in {
			if _, ok := parseSpan(r); !ok {
				return fmt.Errorf("`%s` is neither a register nor a range such as r8..r15", r)
			}
		}
		*l.out = Expand(l.in)
	}
	for i := range t.ABIs {
		old := &t.ABIs[i]
		if old.named(Normal(a.Name)) && old.Arch == a.Arch && old.PU == a.PU && slices.Equal(old.Modes, a.Modes) {
			*old = a
			return nil
		}
	}
	t.ABIs = append(t.ABIs, a)
	return nil
}

// variants reads a map of texts whose keys are qualifiers. The key `Little@15` has the text that
// LLVM used up to version 15.
func variants(m map[string]string) ([]Variant, error) {
	var out []Variant
	for _, k := range slices.Sorted(maps.Keys(m)) {
		v := Variant{For: k, Text: m[k]}
		if name, last, ok := strings.Cut(k, "@"); ok {
			n, err := strconv.Atoi(last)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("`@` must be followed by a version of LLVM, not `%s`", last)
			}
			v.For, v.Until = name, n
		}
		out = append(out, v)
	}
	return out, nil
}

func bitsText(ms []Mode) string {
	out := make([]string, len(ms))
	for i, m := range ms {
		out[i] = strconv.Itoa(m.Bits)
	}
	return strings.Join(out, ", ")
}
