package target

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/target/table"
)

// Relation is what Compat checks for two targets.
type Relation uint8

const (
	Run  Relation = iota // A's code runs on B: a partial order
	Link                 // A's and B's objects go into one program: an equivalence
)

// Verdict is the result of Compat: the reasons why two targets are incompatible. It is empty if they are compatible.
type Verdict []Reason

// Reason is one difference between two targets.
type Reason struct {
	Key  Key
	A, B string // the two values; for KeyFeatures, A lists the features that B lacks, and B is empty
}

// OK reports whether the verdict has no reasons.
func (v Verdict) OK() bool { return len(v) == 0 }

func (r Reason) String() string {
	if r.Key == KeyFeatures {
		return "lacks " + r.A
	}
	return fmt.Sprintf("%s is %s here and %s there", r.Key, or(r.A), or(r.B))
}

func (v Verdict) String() string {
	out := make([]string, len(v))
	for i, r := range v {
		out[i] = r.String()
	}
	return strings.Join(out, "; ")
}

func or(s string) string { return "`" + cmp.Or(s, "none") + "`" }

// Compat compares two targets. A negative verdict has as few reasons as possible: the first difference that makes further comparison
// pointless, and, of the missing features, only those that no other missing feature implies.
func (m Machines) Compat(a, b Target, rel Relation) Verdict {
	va, vb := m.look(a), m.look(b)
	if r, ok := va.same(&vb); !ok && !(rel == Run && r.Key == KeyMode && vb.runsMode(&va)) {
		return Verdict{r}
	}
	if rel == Link {
		return va.linkable(&vb)
	}
	if r, ok := va.sameSystem(&vb); !ok {
		return Verdict{r}
	}
	if missing := va.missing(&vb); len(missing) > 0 {
		return Verdict{{Key: KeyFeatures, A: quote(missing)}}
	}
	return nil
}

// same compares the keys that must match before machines can be compared at all.
func (a *view) same(b *view) (Reason, bool) {
	for _, r := range []Reason{
		{KeyPU, a.t.PU, b.t.PU},
		{KeyArchitecture, a.archName(), b.archName()},
		{KeyMode, strconv.Itoa(a.t.Mode), strconv.Itoa(b.t.Mode)},
		{KeyEndianness, a.endian(), b.endian()},
	} {
		if r.A != r.B {
			return r, false
		}
	}
	return Reason{}, true
}

// runsMode reports whether a machine in the mode of v also runs programs of a's mode, as a 64-bit x86 runs 32-bit programs.
func (v *view) runsMode(a *view) bool {
	return v.mode != nil && a.isa == v.isa && slices.Contains(v.mode.Runs, a.t.Mode) && a.endian() == v.endian()
}

// sameSystem compares the operating systems of two targets as far as they are known: from their output
// formats, or from an ABI that only one system uses.
func (a *view) sameSystem(b *view) (Reason, bool) {
	if oa, ob := a.t.Platform.OS, b.t.Platform.OS; oa != ob && oa != "" && ob != "" {
		return Reason{KeyOS, oa, ob}, false
	}
	sa, sb := a.system(), b.system()
	if sa == sb || sa == "" || sb == "" {
		return Reason{}, true
	}
	if fa, fb := a.t.Linker.OutputFormat, b.t.Linker.OutputFormat; fa != "" && fb != "" {
		return Reason{KeyOutputFormat, fa, fb}, false
	}
	return Reason{KeyABI, a.convention().name, b.convention().name}, false
}

// system returns the output format that programs have on the target's system. It returns "" if the system is unknown or not needed,
// as for raw binaries.
func (v *view) system() string {
	if s, ok := systems[v.t.Platform.OS]; ok {
		return either(v.t.Platform.OS == "None", "", s.formats[0])
	}
	switch f := v.t.Linker.OutputFormat; f {
	case "":
		return formatOf[v.convention().name]
	case "Raw":
		return ""
	default:
		return f
	}
}

// formatOf maps each ABI that only one kind of system uses to the output format of that system.
var formatOf = map[string]string{"SystemV": "ELF", "x32": "ELF", "Win64": "PE", "Win32": "PE", "stdcall": "PE", "Apple": "Mach-O", "ELFv1": "ELF", "ELFv2": "ELF"}

// Beyond names the features that a has and b lacks, without those that another of them implies. Machines with
// different instruction sets have none in common.
func (m Machines) Beyond(a, b Target) []string {
	va, vb := m.look(a), m.look(b)
	if va.isa != vb.isa {
		vb = view{}
	}
	return va.missing(&vb)
}

// missing names the features that a has and b lacks, in the shortest form.
func (a *view) missing(b *view) []string {
	var out []string
	if a.isa != nil {
		if lack := a.set.Minus(b.set); lack != (table.Set{}) {
			out = a.isa.Reduce(lack).Names(a.isa)
		}
	}
	for _, n := range a.open {
		if _, ok := slices.BinarySearch(b.open, n); !ok {
			out = append(out, n)
		}
	}
	return out
}

func (a *view) linkable(b *view) Verdict {
	ca, cb := a.convention(), b.convention()
	var out Verdict
	for _, r := range []Reason{
		{KeyABI, ca.name, cb.name},
		{KeyParameters, ca.params, cb.params},
		{KeyReturns, ca.rets, cb.rets},
		{KeyStackAlignment, ca.stack, cb.stack},
		{KeyModel, a.t.Memory.Model, b.t.Memory.Model},
	} {
		if r.A != r.B {
			out = append(out, r)
			if r.Key == KeyABI {
				break // the other differences follow from the ABI
			}
		}
	}
	pa, pb := a.t.Platform, b.t.Platform
	for _, r := range []Reason{{KeyOS, pa.OS, pb.OS}, {KeyLibc, pa.Libc, pb.Libc}, {KeyFloatABI, pa.FloatABI, pb.FloatABI}} {
		if r.A != r.B && r.A != "" && r.B != "" {
			out = append(out, r)
		}
	}
	return out
}

// convention is an ABI with all its values, so that an ABI given by name equals one that lists the same values.
type convention struct{ name, params, rets, stack string }

func (v *view) convention() convention {
	given := v.t.ABI
	if given == nil {
		return convention{}
	}
	c := convention{name: table.Normal(given.Name)}
	params, rets, stack := given.Parameters, given.Returns, 0
	if a := v.abi(); a != nil {
		c.name, stack = a.Name, a.Stack
		if params == nil {
			params = a.Parameters
		}
		if rets == nil {
			rets = a.Returns
		}
	}
	if given.StackAlignment != nil {
		stack = *given.StackAlignment
	}
	c.params, c.rets, c.stack = strings.ToLower(strings.Join(params, ",")), strings.ToLower(strings.Join(rets, ",")), strconv.Itoa(stack)
	return c
}

// Meet returns the best target whose code runs on all of the given machines: it has the features that they share. If the machines
// are of different kinds, the error names the first difference.
func (m Machines) Meet(ts ...Target) (Target, error) {
	if len(ts) == 0 {
		return Target{}, &problem.Problem{Kind: NothingCommon, Message: "finding a common target needs at least one machine"}
	}
	first := m.look(ts[0])
	v := first
	for i, t := range ts[1:] {
		w := m.look(t)
		if r, ok := first.same(&w); !ok {
			p := wrong(NothingCommon, r.Key, "no code runs on both machine 1 and machine %d: %s", i+2, r)
			p.Span, p.Related = t.Span, []problem.Related{{Span: ts[0].Span, Message: "machine 1"}}
			return Target{}, p
		}
		v.set = v.set.Intersect(w.set)
		v.open = slices.DeleteFunc(v.open, func(n string) bool {
			_, ok := slices.BinarySearch(w.open, n)
			return !ok
		})
	}
	out := m.Default(v.t.PU, v.archName(), v.t.Mode)
	out.Memory = v.t.Memory
	out.Memory.Endianness = v.endian()
	for _, t := range ts[1:] {
		if t.Memory.Model != out.Memory.Model {
			out.Memory.Model = "Protected"
		}
		out.Memory.Alignment = max(out.Memory.Alignment, t.Memory.Alignment)
	}
	out.ABI = m.commonABI(ts)
	if v.isa != nil {
		out.Features = v.isa.Reduce(v.set.Minus(base(v.isa, v.mode))).Names(v.isa)
		if m.look(out).set != v.set { // a machine lacks features of the mode's usual base, so list every feature
			out.Features = v.isa.Reduce(v.set).Names(v.isa)
		}
	}
	out.Features = append(out.Features, v.open...)
	return out, nil
}

// commonABI is the ABI that all machines share, or nil if they differ.
func (m Machines) commonABI(ts []Target) *ABI {
	first := m.look(ts[0])
	common := first.convention()
	for _, t := range ts[1:] {
		v := m.look(t)
		if v.convention() != common || common.name != "" && !sameNumber(t.ABI.RedZone, ts[0].ABI.RedZone) {
			return nil
		}
	}
	return ts[0].ABI
}

func sameNumber(a, b *int) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// Satisfies lists what a target requires and a host lacks: everything that Compat compares, and the
// extensions that the target wants to use.
func (m Machines) Satisfies(host, t Target) Verdict {
	t.Features = slices.Concat(t.Features, t.Extensions.SIMD, t.Extensions.Crypto)
	return m.Compat(t, host, Run)
}

// Current returns the target without the features that compilers have dropped: a machine may still have them,
// but no program is built for them any more.
func (m Machines) Current(t Target) Target {
	isa := m.look(t).isa
	if isa == nil {
		return t
	}
	t.Features = slices.DeleteFunc(slices.Clone(t.Features), func(name string) bool {
		f := isa.Feature(name).Feature
		return f != nil && f.Obsolete
	})
	return t
}

// Lattice orders targets by which code they run: code built for a node also runs on the nodes that its edges
// lead to. Edges implied by other edges are left out.
type Lattice struct {
	Nodes [][]int  // the numbers of targets that run each other's code
	Edges [][2]int // from node to node
}

// Order compares targets with each other.
func (m Machines) Order(ts []Target) Lattice {
	runs := make([][]bool, len(ts)) // runs[i][j]: whether code of target i runs on target j
	for a := range ts {
		runs[a] = make([]bool, len(ts))
		for b := range ts {
			runs[a][b] = m.Compat(ts[a], ts[b], Run).OK()
		}
	}
	var l Lattice
next:
	for i := range ts {
		for n, node := range l.Nodes {
			if runs[i][node[0]] && runs[node[0]][i] {
				l.Nodes[n] = append(node, i)
				continue next
			}
		}
		l.Nodes = append(l.Nodes, []int{i})
	}
	below := func(a, b int) bool { return a != b && runs[l.Nodes[a][0]][l.Nodes[b][0]] }
	for a := range l.Nodes {
		for b := range l.Nodes {
			direct := below(a, b)
			for c := 0; c < len(l.Nodes) && direct; c++ {
				direct = !(below(a, c) && below(c, b))
			}
			if direct {
				l.Edges = append(l.Edges, [2]int{a, b})
			}
		}
	}
	return l
}
