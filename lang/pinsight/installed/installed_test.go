package installed

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/trace"
)

// TestUnits reads lists of units as an installed PInsight does: exactly one comma between two items, and no blanks in a name.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // for each region or section for units: its sets, with ! if they limit nothing
	}{
		{"[Lexgion(0x10)] : : MPI.rank(0), CUDA.device(1)", "MPI.rank(0), CUDA.device(1)"},
		{"[Lexgion(0x10)] : : MPI.rank(0),", "MPI.rank(0)"},
		{"[Lexgion(0x10)] : : .MPI.rank(0)", "MPI.rank(0)"},
		{"[Lexgion(0x10)] : : Foo.bar(x), MPI.rank(0)", "MPI.rank(0)"},
		{"[Lexgion(0x10)] : : MPI.rank(0),, CUDA.device(1)", "MPI.rank(0)"},
		// A list without a known unit is a limit that no unit passes.
		{"[Lexgion(0x10)] : : MPI.rank (0)", ""},
		{"[Lexgion(0x10)] : : MPI.ranks(0-3)", ""},
		{"[Lexgion(0x10)] : : foo(0), MPI.rank(0)", ""},
		{"[Lexgion(0x10)] : : MPI.rank(0) # the first", "!MPI.rank(0)"},
		{"[Lexgion(0x10)] : : MPI.rank(0) CUDA.device(1)", "!MPI.rank(0)"},
		{"[Lexgion(0x10)] : : MPI.rank(0), foo", "!MPI.rank(0)"},
		// The part of a set before its mistake stays, and its range is not checked.
		{"[Lexgion(0x10)] : : MPI.rank(0, 300, x), CUDA.device(1)", "!MPI.rank(0,300)"},
		{"[Lexgion(0x10)] : : MPI.rank(5-2)", "!MPI.rank()"},
		{"[Lexgion(0x10)] : : MPI.rank(1, 0-2000)", "!MPI.rank(1)"},
		// The second region gets the list cut at the mistake.
		{"[Lexgion(0x10, 0x20)] : : CUDA.device(1), MPI.rank(0, x)", "!CUDA.device(1), MPI.rank(0); !CUDA.device(1)"},
		// Sets stored without limiting anything take effect once there is a limit.
		{"[Lexgion(0x10)] : : MPI.rank(x)\n[Lexgion(0x10)] : : CUDA.device(1)", "MPI.rank(), CUDA.device(1)"},

		{"[OpenMP.thread(0), foo]", ""},
		{"[OpenMP.thread (0)]", ""},
		{"[Lexgion.x(0), OpenMP.thread(0)]", ""},
		{"[foo(0), OpenMP.thread(0)]", ""},
		// Sets after the header replace the sets of the target, and identify the section from then on.
		{"[OpenMP.thread(0)] : : OpenMP.thread(5)", "OpenMP.thread(5)"},
		{"[OpenMP.thread(0)] : : OpenMP.team(1)\n[OpenMP.thread(0)]", "OpenMP.thread(0), OpenMP.team(1); OpenMP.thread(0)"},
		{"[OpenMP.thread(0)] : : OpenMP.team(1)\n[OpenMP.team(1), OpenMP.thread(0)]", "OpenMP.thread(0), OpenMP.team(1)"},
		// The largest id is ignored when two sets are compared.
		{"[OpenMP.thread(3)]\n[OpenMP.thread(3,1024)]", "OpenMP.thread(3)"},
		{"[OpenMP.thread(0)] : : OpenMP.team(1)\n[REMOVE OpenMP.team(*)]", ""},
		{"[OpenMP.thread(0)] : : MPI.rank(1)\n[REMOVE OpenMP.thread(0)]", "OpenMP.thread(0)"},
		{"[OpenMP.thread(0)]\n[REMOVE OpenMP.thread(* all)]", ""},
		{"[OpenMP.thread(0)]\n[REMOVE OpenMP.thread (*)]", "OpenMP.thread(0)"},
		{"[OpenMP.thread(0)]\n[REMOVE OpenMP.core(*), OpenMP.thread(0)]", "OpenMP.thread(0)"},
	} {
		n := read(t, c.text)
		var got []string
		for _, u := range n.Domains[0].Units {
			got = append(got, u.Sets.String())
		}
		for _, e := range n.Regions {
			limit := "!"
			if e.Constrained {
				limit = ""
			}
			got = append(got, limit+e.Units.String())
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, text, c.want)
		}
	}
}

// TestWindow reads window_end_action: each part by itself, with blanks only where the program skips them.
func TestWindow(t *testing.T) {
	all := func(mode string) string {
		return fmt.Sprintf("OpenMP:%[1]s, MPI:%[1]s, CUDA:%[1]s, Python:%[1]s, HIP:%[1]s", mode)
	}
	for value, want := range map[string]string{
		"MONITORING, OpenMP:OFF":             "OpenMP:OFF, MPI:MONITORING, CUDA:MONITORING, Python:MONITORING, HIP:MONITORING",
		"OpenMP:OFF, STANDBY":                all("STANDBY"),
		"OFF, STANDBY":                       all("STANDBY"),
		"OpenMP:OFF,":                        "OpenMP:OFF",
		"OpenMP:OFF, , MPI:OFF":              "OpenMP:TRACING, MPI:OFF, CUDA:TRACING, Python:TRACING, HIP:TRACING",
		"OpenMP : OFF, Foo:OFF":              "OpenMP:OFF",
		"INTROSPECT":                         all("TRACING"),
		"INTROSPECT:":                        "INTROSPECT:0::",
		"INTROSPECT:soon:a.sh:OFF":           "INTROSPECT:0::",
		"INTROSPECT:5 :a.sh:OFF":             "INTROSPECT:5::",
		"INTROSPECT::a.sh:MPI:OFF":           "INTROSPECT:0:a.sh:MPI:OFF",
		"INTROSPECT:1:" + long("s") + ":OFF": "INTROSPECT:1:" + long("s")[:255] + ":" + all("OFF"),
	} {
		n := read(t, "[Lexgion.default]\n window_end_action = "+value)
		if got := n.Default.End.text(n); got != want {
			t.Errorf("%s\n got %s\nwant %s", value, got, want)
		}
	}
}

// TestNames checks the length limits of names, and address 0.
func TestNames(t *testing.T) {
	n := read(t, "[Lexgion(Python:"+long("f")[:100]+":"+long("g")+")]\n[REMOVE Lexgion(0x0)]")
	if len(n.Regions) != 1 {
		t.Fatalf("%d regions, want 1", len(n.Regions))
	}
	// 255 bytes of the whole, 63 of the file, 127 of the name.
	e := n.Regions[0]
	if len(e.File) != 63 || len(e.Name) != 127 {
		t.Errorf("file of %d bytes, name of %d; want len(e.File) = 63 and len(e.Name) = 127", len(e.File), len(e.Name))
	}
	if !e.Removed {
		t.Error("the first named region has address 0, and stays")
	}
	var ids []string
	for i := range 70 {
		ids = append(ids, fmt.Sprintf("F:a:b,0x%x", i+1)) // F is no domain, so the first of each is no region
	}
	if n := read(t, "[Lexgion("+strings.Join(ids, ",")+")]"); len(n.Regions) != MaxIDs {
		t.Errorf("%d regions of one header, want %v", len(n.Regions), MaxIDs)
	}
}

// TestNumbers checks C's ways of reading numbers.
func TestNumbers(t *testing.T) {
	n := read(t, `[Knob]
 a = 0x1.8
 b = 1e999
 c = -99999999999999999999
 d = +-1
 e = 1_0
 f = nan(1)
 g = -0x1p4
 h = 1`+"\x11"+`2
 # i = 3
 $j = 4
[MPI.default]
 MPI.rank = (-99999999999999999999 - 3)
`)
	var got []string
	for _, k := range n.Knobs {
		got = append(got, k.Name+"="+knobText(k.Value))
	}
	got = append(got, n.Domains[1].Ranges["rank"].String())
	want := []string{"a=1.5", "b=+Inf", "c=0", "d=+-1", "e=1_0", "f=NaN", "g=-16", "h=1\x112", "$j=4", "(0-3)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}

	for value, want := range map[string]string{
		"0x10:2:3":           "0 -1 1",
		" 1: 2:3x:4":         "1 2 3",
		"1x:2:3:4:OFF":       "1 -1 1 OpenMP:OFF, MPI:OFF, CUDA:OFF, Python:OFF, HIP:OFF",
		"":                   "0 -1 1",
		"99999999999:-5:007": "1215752191 -5 7",
	} {
		n := New(catalog(t), make([][]string, 5))
		n.Start(&load.Env{Lookup: func(name string) (string, bool) { return value, name == "PINSIGHT_TRACE_WINDOW" }})
		got := strings.TrimSpace(strings.Join([]string{signed(n.Default.Start), signed(n.Default.Max), signed(n.Default.Every), n.Default.End.text(n)}, " "))
		if got != want {
			t.Errorf("PINSIGHT_TRACE_WINDOW=%s\n got %s\nwant %s", value, got, want)
		}
	}
}

// TestKnobSizes: entries that exceed the sizes of the table of knobs are cut, and knobs after its end are dropped.
func TestKnobSizes(t *testing.T) {
	text := "[Knob]\n " + long("n") + " = " + long("v") + "\n"
	for i := range MaxKnobs {
		text += fmt.Sprintf(" k%d = %d\n", i, i)
	}
	n := read(t, text+" k0 = 7\n")
	if k := n.Knobs[0]; len(k.Name) != 63 || len(knobText(k.Value)) != 255 {
		t.Errorf("the longest name has %d bytes and the longest value %d, want len(k.Name) = 63 and len(knobText(k.Value)) = 255", len(k.Name), len(knobText(k.Value)))
	}
	if last := n.Knobs[len(n.Knobs)-1]; len(n.Knobs) != 64 || last.Name != "k62" {
		t.Errorf("%d knobs, the last is %s; want len(n.Knobs) = 64 and last.Name = %q", len(n.Knobs), last.Name, "k62")
	}
	if second := n.Knobs[1]; second.Name != "k0" || knobText(second.Value) != "7" {
		t.Errorf("the full table has %s = %s; want second.Name = %q and knobText(second.Value) = %q", second.Name, knobText(second.Value), "k0", "7")
	}
}

// TestPolicies reads the policies of nodes: a time on the wrong policy, blanks, and unknown names.
func TestPolicies(t *testing.T) {
	for value, want := range map[string]string{
		"on:5": "on", " Rotate_Per_Node : 250": "rotate_per_node:250", "rotate_per_node:x": "rotate_per_node:1000",
		"rotate_per_node:-3": "rotate_per_node:1000", "never": "off", "": "off",
	} {
		if got := parsePolicy(value, noPolicy).String(); got != want {
			t.Errorf("%q is %s, want %s", value, got, want)
		}
	}
	if n := read(t, "[Energy]\n measure = on\n measure = maybe"); n.Energy.Name != "on" {
		t.Errorf("an unknown policy makes energy %s", n.Energy.Name)
	}
}

// TestRanges: a range is one number or two, with a comma or a dash between them. The program ignores further text and missing parts.
func TestRanges(t *testing.T) {
	for text, want := range map[string]string{
		"(0-3)": "(0-3)", "(0, 15)": "(0-15)", "( 4\t-7": "(4-7)", "2,5)": "(2-5)", "(0x10-0x1f)": "(16-31)", "(010-1)": "(8-1)",
		"(3)": "(3-3)", "3": "(3-3)", "(3;9)": "(3-3)", "(2-": "(2-0)", "(2,": "(2-0)", "(1-2-3)": "(1-2)", "(-4--2)": "(-4--2)", "()": "(0-0)", "": "(0-0)",
	} {
		if got := ParseRange(text).String(); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// TestUnclosedHeader: the program reads nothing after a header without its closing bracket.
func TestUnclosedHeader(t *testing.T) {
	n := read(t, "[Lexgion.default]\n tracing_rate = 2\n[Lexgion.default\n tracing_rate = 3\n[Lexgion(0x10)]\n tracing_rate = 4")
	if n.Default.Every != 2 || len(n.Regions) != 0 {
		t.Errorf("the rate is %d and there are %d regions, want 2 and none", n.Default.Every, len(n.Regions))
	}
}

// TestFoundAgain: the program finds sections of the second domain by the target's set of the third.
func TestFoundAgain(t *testing.T) {
	n := read(t, "[MPI.rank(0)]\n[MPI.rank(0)]\n[MPI.rank(5), CUDA.device(0)]")
	if got := len(n.Domains[1].Units); got != 2 {
		t.Errorf("%d sections for ranks, want 2", got)
	}
}

// TestPython checks that the configuration of Python takes effect only when the launcher of the script activates it.
func TestPython(t *testing.T) {
	for text, want := range map[string]trace.Mode{"": trace.Tracing, "[Python.default]\n trace_mode = MONITORING": trace.Monitoring} {
		n := read(t, text)
		if got := n.Layers().Modes["Python"]; got != want || n.Domains[3].Mode != trace.Standby {
			t.Errorf("%s: %s at work and %s before, want %s and STANDBY", text, got, n.Domains[3].Mode, want)
		}
	}
}

// catalog has the domains of the original program in its order.
func catalog(t *testing.T) *trace.Catalog {
	t.Helper()
	c, err := trace.NewCatalog(
		trace.Domain{Name: "OpenMP", Kinds: []trace.Kind{{Name: "team", High: 255}, {Name: "thread", High: 255}, {Name: "device", High: 16}}},
		trace.Domain{Name: "MPI", Kinds: []trace.Kind{{Name: "rank", High: 127}}},
		trace.Domain{Name: "CUDA", Kinds: []trace.Kind{{Name: "device", High: 16}}},
		trace.Domain{Name: "Python", Kinds: []trace.Kind{{Name: "thread", High: 255}}},
		trace.Domain{Name: "HIP", Kinds: []trace.Kind{{Name: "device", High: 16}}},
	)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// read returns the state after reading one file.
func read(t *testing.T, text string) *State {
	t.Helper()
	n := New(catalog(t), make([][]string, 5))
	n.Load(source.NewFile("trace_config.txt", text+"\n"))
	n.Start(&load.Env{})
	return n
}

func long(s string) string { return strings.Repeat(s, 400) }

// TestOrigins: values from the environment name it, a limited or removed region never counts as a default, and a region that is set again after its
// removal exists again.
func TestOrigins(t *testing.T) {
	n := New(catalog(t), make([][]string, 5))
	n.Load(source.NewFile("trace_config.txt", "[Lexgion(0x10)] : : MPI.rank(0)\n tracing_rate = 2\n[REMOVE Lexgion(0x20)]\n[REMOVE Lexgion(0x30)]\n[Lexgion(0x30)]\n tracing_rate = 3\n"))
	n.Start(&load.Env{Lookup: func(name string) (string, bool) { return "on", name == "PINSIGHT_MEASURE_ENERGY" }})
	got := map[string]string{}
	for e := range n.Values {
		if !e.Implicit {
			got[e.Key] = e.Value
		}
		if s := e.Steps[0]; e.Key == "Energy.measure" && (s.What != origin.Environment || s.Note != "PINSIGHT_MEASURE_ENERGY") {
			t.Errorf("%s comes from %v %s; want s.What = %v and s.Note = %q", e.Key, s.What, s.Note, origin.Environment, "PINSIGHT_MEASURE_ENERGY")
		}
	}
	want := map[string]string{
		"Energy.measure": "on", "Lexgion(0x10).tracing_rate": "2", "Lexgion(0x10).units": "MPI.rank(0)",
		"Lexgion(0x20).removed": "true", "Lexgion(0x30).tracing_rate": "3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}
}

// TestUnitsShown: sets after the header of a section for units are shown if they differ from the target.
func TestUnitsShown(t *testing.T) {
	for text, want := range map[string]string{
		"[OpenMP.thread(0)]":                                        "",
		"[OpenMP.thread(0)] : : OpenMP.thread(0)":                   "",
		"[OpenMP.thread(0)] : : OpenMP.team(0)":                     "OpenMP.team(0)",
		"[OpenMP.thread(0)] : : OpenMP.thread(5)":                   "OpenMP.thread(5)",
		"[OpenMP.thread(0), OpenMP.team(1)] : : OpenMP.team(1)":     "",
		"[OpenMP.thread(0)] : : OpenMP.thread(0), OpenMP.device(0)": "OpenMP.device(0)",
	} {
		got := ""
		for e := range read(t, text).Values {
			if strings.HasSuffix(e.Key, ".units") {
				got += e.Value
			}
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}
