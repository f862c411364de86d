package pinsight

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUpstreamUnits is about lists of units as an installed PInsight reads
// them: one comma between two items, nothing else, and blanks nowhere in a name.
func TestUpstreamUnits(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // of each region or section for units: its sets, ! where they limit nothing
	}{
		{"[Lexgion(0x10)] : : MPI.rank(0), CUDA.device(1)", "MPI.rank(0), CUDA.device(1)"},
		{"[Lexgion(0x10)] : : MPI.rank(0),", "MPI.rank(0)"},
		{"[Lexgion(0x10)] : : .MPI.rank(0)", "MPI.rank(0)"},
		{"[Lexgion(0x10)] : : Foo.bar(x), MPI.rank(0)", "MPI.rank(0)"},
		{"[Lexgion(0x10)] : : MPI.rank(0),, CUDA.device(1)", "MPI.rank(0)"},
		{"[Lexgion(0x10)] : : MPI.rank (0)", "!"},
		{"[Lexgion(0x10)] : : foo(0), MPI.rank(0)", "!"},
		{"[Lexgion(0x10)] : : MPI.rank(0) # the first", "!MPI.rank(0)"},
		{"[Lexgion(0x10)] : : MPI.rank(0) CUDA.device(1)", "!MPI.rank(0)"},
		{"[Lexgion(0x10)] : : MPI.rank(0), foo", "!MPI.rank(0)"},
		// What a set has before its mistake stays, and nobody checks its range.
		{"[Lexgion(0x10)] : : MPI.rank(0, 300, x), CUDA.device(1)", "!MPI.rank(0,300)"},
		{"[Lexgion(0x10)] : : MPI.rank(5-2)", "!MPI.rank()"},
		{"[Lexgion(0x10)] : : MPI.rank(1, 0-2000)", "!MPI.rank(1)"},
		// The second region finds the list cut at the mistake.
		{"[Lexgion(0x10, 0x20)] : : CUDA.device(1), MPI.rank(0, x)", "!CUDA.device(1), MPI.rank(0); !CUDA.device(1)"},
		// What was stored without a limit takes part once there is one.
		{"[Lexgion(0x10)] : : MPI.rank(x)\n[Lexgion(0x10)] : : CUDA.device(1)", "MPI.rank(), CUDA.device(1)"},

		{"[OpenMP.thread(0), foo]", ""},
		{"[OpenMP.thread (0)]", ""},
		{"[Lexgion.x(0), OpenMP.thread(0)]", ""},
		{"[foo(0), OpenMP.thread(0)]", ""},
		// Sets after the header replace those of the target, and are part of what it is.
		{"[OpenMP.thread(0)] : : OpenMP.thread(5)", "OpenMP.thread(5)"},
		{"[OpenMP.thread(0)] : : OpenMP.team(1)\n[OpenMP.thread(0)]", "OpenMP.thread(0), OpenMP.team(1); OpenMP.thread(0)"},
		{"[OpenMP.thread(0)] : : OpenMP.team(1)\n[OpenMP.team(1), OpenMP.thread(0)]", "OpenMP.thread(0), OpenMP.team(1)"},
		{"[OpenMP.thread(0)] : : OpenMP.team(1)\n[REMOVE OpenMP.team(*)]", ""},
		{"[OpenMP.thread(0)] : : MPI.rank(1)\n[REMOVE OpenMP.thread(0)]", "OpenMP.thread(0)"},
		{"[OpenMP.thread(0)]\n[REMOVE OpenMP.thread(* all)]", ""},
		{"[OpenMP.thread(0)]\n[REMOVE OpenMP.thread (*)]", "OpenMP.thread(0)"},
		{"[OpenMP.thread(0)]\n[REMOVE OpenMP.core(*), OpenMP.thread(0)]", "OpenMP.thread(0)"},
	} {
		n := upstreamCase(c.text)
		var got []string
		for _, u := range n.domains[0].units {
			got = append(got, unitsText(u.sets))
		}
		for _, e := range n.regions {
			limit := "!"
			if e.constrained {
				limit = ""
			}
			got = append(got, limit+unitsText(e.units))
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, text, c.want)
		}
	}
}

// TestUpstreamWindow is about window_end_action: each part by itself, blanks
// only where the program passes over them.
func TestUpstreamWindow(t *testing.T) {
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
		n := upstreamCase("[Lexgion.default]\n window_end_action = " + value)
		if got := n.dflt.end.text(n); got != want {
			t.Errorf("%s\n got %s\nwant %s", value, got, want)
		}
	}
}

// TestUpstreamNames is about the length of names, and address 0.
func TestUpstreamNames(t *testing.T) {
	n := upstreamCase("[Lexgion(Python:" + long("f")[:100] + ":" + long("g") + ")]\n[REMOVE Lexgion(0x0)]")
	if len(n.regions) != 1 {
		t.Fatalf("%d regions", len(n.regions))
	}
	// 255 bytes of the whole, 63 of the file, 127 of the name.
	e := n.regions[0]
	if len(e.file) != 63 || len(e.name) != 127 {
		t.Errorf("file of %d bytes, name of %d", len(e.file), len(e.name))
	}
	if !e.removed {
		t.Error("the first named region has address 0, and stays")
	}
	var ids []string
	for i := range 70 {
		ids = append(ids, fmt.Sprintf("F:a:b,0x%x", i+1)) // F is no domain, so the first of each is no region
	}
	if n := upstreamCase("[Lexgion(" + strings.Join(ids, ",") + ")]"); len(n.regions) != maxIDs {
		t.Errorf("%d regions of one header", len(n.regions))
	}
}

// TestUpstreamNumbers is about C's ways to read numbers.
func TestUpstreamNumbers(t *testing.T) {
	n := upstreamCase(`[Knob]
 a = 0x1.8
 b = 1e999
 c = -99999999999999999999
 d = +-1
 e = 1_0
 f = nan(1)
 g = -0x1p4
[MPI.default]
 MPI.rank = (-99999999999999999999 - 3)
`)
	var got []string
	for _, k := range n.knobs {
		got = append(got, k.name+"="+knobText(k.value))
	}
	got = append(got, n.domains[1].ranges[0].String())
	want := []string{"a=1.5", "b=+Inf", "c=0", "d=+-1", "e=1_0", "f=NaN", "g=-16", "(0-3)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	for value, want := range map[string]string{
		"0x10:2:3":           "0 -1 1",
		" 1: 2:3x:4":         "1 2 3",
		"1x:2:3:4:OFF":       "1 -1 1 OpenMP:OFF, MPI:OFF, CUDA:OFF, Python:OFF, HIP:OFF",
		"":                   "0 -1 1",
		"99999999999:-5:007": "1215752191 -5 7",
	} {
		c := oracleCase{Env: map[string]string{"PINSIGHT_TRACE_WINDOW": value}}
		n := c.load()
		got := strings.TrimSpace(strings.Join([]string{signed(n.dflt.start), signed(n.dflt.max), signed(n.dflt.every), n.dflt.end.text(n)}, " "))
		if got != want {
			t.Errorf("PINSIGHT_TRACE_WINDOW=%s\n got %s\nwant %s", value, got, want)
		}
	}
}

func upstreamCase(text string) *installed {
	text += "\n"
	return (&oracleCase{Input: []*string{&text}}).load()
}

func long(s string) string { return strings.Repeat(s, 400) }
