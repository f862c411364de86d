package suite

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestLinks: names of the same thing in two files are joined, and names of files lead to the files.
func TestLinks(t *testing.T) {
	files := example(t)
	files["heat.pipe"] = strings.Replace(files["heat.pipe"], "every = 20", "every = $ENV{PARADYN_TUNABLE_fieldEvery}", 1)
	files["heat.psdl"] = strings.Replace(files["heat.psdl"], `tunable_constant "samplingRate" 0.5;`, `tunable_constant "fieldEvery" 20;`, 1)
	var got []string
	for _, l := range Links(open(t, files)) {
		verb := "is"
		if l.Leads {
			verb = "leads to"
		}
		got = append(got, fmt.Sprintf("%s %s %s", marked(l.A), verb, marked(l.B)))
	}
	for _, want := range []string{
		"heat.pipe: spec = «heat.yml» leads to heat.yml@0",
		"heat.pipe: to store.«mean» is heat.yml: «mean»: double",
		"heat.pipe: to store.«step» is heat.yml: when: $«step» % $period = 0",
		"heat.pipe: «cols» = $CONFIG{plate:cols} is heat.yml: «cols»: int",
		"heat.pipe: event = «step_done» is heat.yml: on_event: «step_done»",
		"heat.pinsight: [Lexgion(«pictures»)] : Flow.default : MPI.rank(0) is heat.pipe: process «pictures»",
		"heat.pinsight: [Lexgion(«pictures»)] : Flow.default : MPI.rank(0) is heat.pipe: to «pictures».image",
		`heat.psdl: args { "run" «"heat.pipe"» "--policy" "heat.pinsight" "--trace" "trace.json" }; #2 leads to heat.pipe@0`,
		`heat.psdl: args { "run" "heat.pipe" "--policy" «"heat.pinsight"» "--trace" "trace.json" }; #1 leads to heat.pinsight@0`,
		`heat.pipe: every = $ENV{«PARADYN_TUNABLE_fieldEvery»} leads to heat.psdl: tunable_constant «"fieldEvery"» 20;`,
	} {
		if !slices.Contains(got, want) {
			t.Errorf("not linked: %s\nof\n%s", want, strings.Join(got, "\n"))
		}
	}
}
