package target

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/target/table"
)

// Relation is what two targets are asked to have in common.
type Relation uint8

const (
	Run  Relation = iota // A's code runs on B: a partial order
	Link                 // A's and B's objects go into one program: an equivalence
)

// Verdict answers a question of compatibility; it is yes where nothing stands against it.
type Verdict []Reason

// Reason is one thing that stands against it.
type Reason struct {
	What string // the key that differs: "Mode", "Features"
	A, B string // its two values; for Features what A needs and B lacks, and nothing
}

// OK reports whether nothing stands against it.
func (v Verdict) OK() bool { return len(v) == 0 }

func (r Reason) String() string {
	if r.What == "Features" {
		return "lacks " + r.A
	}
	return fmt.Sprintf("%s is %s here and %s there", r.What, or(r.A), or(r.B))
}

func (v Verdict) String() string {
	out := make([]string, len(v))
	for i, r := range v {
		out[i] = r.String()
	}
	return strings.Join(out, "; ")
}

func or(s string) string { return "`" + cmp.Or(s, "none") + "`" }

// Compat says whether a goes with b, and if not, the shortest why: the first
// difference that makes the rest pointless to compare, and of missing features
// only those that no other missing one implies.
func Compat(tb *table.Tables, a, b Target, rel Relation) Verdict {
	va, vb := look(tb, a), look(tb, b)
	if r, ok := same(a, b, va, vb); !ok {
		return Verdict{r}
	}
	if rel == Link {
		return linkable(tb, a, b, va, vb)
	}
	if missing := va.missing(vb); len(missing) > 0 {
		return Verdict{{What: "Features", A: quote(missing)}}
	}
	return nil
}

// same compares what makes two machines comparable at all.
func same(a, b Target, va, vb view) (Reason, bool) {
	for _, r := range []Reason{
		{"PU", a.PU, b.PU},
		{"Architecture", va.archName(a), vb.archName(b)},
		{"Mode", strconv.Itoa(a.Mode), strconv.Itoa(b.Mode)},
		{"Endianness", va.endian(a), vb.endian(b)},
	} {
		if r.A != r.B {
			return r, false
		}
	}
	return Reason{}, true
}

// missing names what a has and b lacks, shortest form.
func (a view) missing(b view) []string {
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

func linkable(tb *table.Tables, a, b Target, va, vb view) Verdict {
	ra, rb := va.convention(tb, a), vb.convention(tb, b)
	var out Verdict
	for _, r := range []Reason{
		{"ABI", ra.name, rb.name},
		{"ParameterRegisters", ra.params, rb.params},
		{"ReturnRegisters", ra.rets, rb.rets},
		{"StackAlignment", ra.stack, rb.stack},
		{"Model", a.Memory.Model, b.Memory.Model},
	} {
		if r.A != r.B {
			out = append(out, r)
			if r.What == "ABI" {
				break // the registers follow from it
			}
		}
	}
	return out
}

// convention is an ABI written out, so that saying what a name implies changes nothing.
type convention struct{ name, params, rets, stack string }

func (v view) convention(tb *table.Tables, t Target) convention {
	if t.ABI == nil {
		return convention{}
	}
	c := convention{name: table.Normal(t.ABI.Name)}
	params, rets, stack := t.ABI.Parameters, t.ABI.Returns, 0
	if a := v.abi(tb, t); a != nil {
		c.name, stack = a.Name, a.Stack
		if params == nil {
			params = a.Parameters
		}
		if rets == nil {
			rets = a.Returns
		}
	}
	if t.ABI.StackAlignment != nil {
		stack = *t.ABI.StackAlignment
	}
	c.params, c.rets, c.stack = strings.ToLower(strings.Join(params, ",")), strings.ToLower(strings.Join(rets, ",")), strconv.Itoa(stack)
	return c
}

// Meet is the best target whose code runs on all of the given machines: their
// common features. Machines of different kinds have none; the error says why.
func Meet(tb *table.Tables, ts ...Target) (Target, error) {
	if len(ts) == 0 {
		return Target{}, fmt.Errorf("no machine was given to find a common target of")
	}
	first := ts[0]
	v := look(tb, first)
	for i, t := range ts[1:] {
		w := look(tb, t)
		if r, ok := same(first, t, v, w); !ok {
			return Target{}, fmt.Errorf("no code runs on both machine 1 and machine %d: %s", i+2, r)
		}
		v.set = v.set.Intersect(w.set)
		v.open = slices.DeleteFunc(v.open, func(n string) bool { return !slices.Contains(w.open, n) })
	}
	out := Default(tb, first.PU, v.archName(first), first.Mode)
	out.Memory = first.Memory
	out.Memory.Endianness = v.endian(first)
	for _, t := range ts[1:] {
		if t.Memory.Model != out.Memory.Model {
			out.Memory.Model = "Protected"
		}
		out.Memory.Alignment = max(out.Memory.Alignment, t.Memory.Alignment)
	}
	out.ABI = commonABI(tb, ts)
	if v.isa != nil {
		out.Features = v.isa.Reduce(v.set.Minus(base(v.isa, v.mode))).Names(v.isa)
		if look(tb, out).set != v.set { // a lesser base, which must be said
			out.Features = v.isa.Reduce(v.set).Names(v.isa)
		}
	}
	out.Features = append(out.Features, v.open...)
	return out, nil
}

// commonABI is what all machines say about calls, or nil where they differ.
func commonABI(tb *table.Tables, ts []Target) *ABI {
	first := look(tb, ts[0]).convention(tb, ts[0])
	for _, t := range ts[1:] {
		if look(tb, t).convention(tb, t) != first || first.name != "" && !sameNumber(t.ABI.RedZone, ts[0].ABI.RedZone) {
			return nil
		}
	}
	return ts[0].ABI
}

func sameNumber(a, b *int) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// Equal reports whether two targets mean the same machine.
func Equal(tb *table.Tables, a, b Target) bool {
	return Compat(tb, a, b, Run).OK() && Compat(tb, b, a, Run).OK()
}

// Satisfies lists what a target asks for that a host lacks: everything that
// Compat compares, and the extensions the target wants to use.
func Satisfies(tb *table.Tables, host, t Target) Verdict {
	t.Features = slices.Concat(t.Features, t.Extensions.SIMD, t.Extensions.Crypto)
	return Compat(tb, t, host, Run)
}
