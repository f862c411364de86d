package suite

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
)

// third is one more process of the plan.
const third = "\nprocess {\n    name \"far\"" + westToEnd

// placeFaults are settings that are wrong in one process of the plan, and results that leave their folder.
var placeFaults = []fault{
	// Settings that are right in one process of the plan.
	{name: "two parts of three processes", file: "heat.psdl", new: third,
		alsoReplace: [][3]string{{"heat.pipe", "parts = $ENV{PENTODE_SIZE}", "parts = 2"}},
		code:        "suite/other-rank", severity: diag.Error, at: "heat.pipe: part = «$ENV{PENTODE_RANK}» # which part of the plate: the launch plan knows", other: `heat.psdl: name «"far"»;`,
		message: "process `far` cannot run the pipeline: process `solver`: part 2 is not one of 2, counted from 0"},
	{name: "one part of two processes", file: "heat.pipe", old: "parts = $ENV{PENTODE_SIZE}", new: "parts = 1",
		code: "suite/other-rank", severity: diag.Error, at: "heat.pipe: part = «$ENV{PENTODE_RANK}» # which part of the plate: the launch plan knows", other: `heat.psdl: name «"west"»;`,
		message: "process `east` cannot run the pipeline: process `solver`: part 1 is not one of 1, counted from 0"},

	// Results that leave their folder.
	{name: "a file of a tree outside", file: "heat.yml", old: "file: heat.h5", new: "file: ../heat.h5",
		code: "suite/leads-outside", severity: diag.Error, at: "heat.yml: file: «../heat.h5»", other: `heat.psdl: name «"west"»;`,
		message: "`../heat.h5` leads out of the folder of the results"},
	{name: "pictures outside, without a plan", file: "heat.psdl", gone: true,
		alsoReplace: [][3]string{{"heat.pipe", "file_name_template = plate", "file_name_template = pictures/../../plate"}, {"heat.pinsight", "MPI.rank(0-1)", "MPI.rank(0)"}},
		code:        "suite/leads-outside", severity: diag.Error, at: "heat.pipe: file_name_template = «pictures/../../plate_%02d.png»", other: "heat.pipe: process «solver»",
		message: "`pictures/../../plate_%02d.png` leads out of the folder of the results"},
}

// TestNoFalseAlarmOfPlaces: names and parts that are valid in all processes, and names that a run allows, are not reported.
func TestNoFalseAlarmOfPlaces(t *testing.T) {
	for name, r := range map[string][3]string{
		"a name that is computed":    {"heat.yml", "file: heat.h5", "file: '${rank}/heat.h5'"},
		"a name that comes back":     {"heat.yml", "file: heat.h5", "file: a/../heat.h5"},
		"as many parts as processes": {"heat.pipe", "parts = $ENV{PENTODE_SIZE}", "parts = 2"},
	} {
		expectQuiet(t, name, r)
	}
	allowed := fixedHost()
	allowed.AllowOutside = true
	files := example(t)
	files["heat.yml"] = strings.Replace(files["heat.yml"], "file: heat.h5", "file: ../heat.h5", 1)
	if list := Check(open(t, files), allowed); len(list) > 0 {
		t.Errorf("a run that may write anywhere has\n%s\nwant at most 0", lines(list))
	}
	files["heat.psdl"] = strings.ReplaceAll(files["heat.psdl"], `"run" `, `"run" "--allow-outside" `)
	host := fixedHost()
	host.Arguments = nil
	if list := Check(open(t, files), host); len(list) > 0 {
		t.Errorf("a plan that may write anywhere has\n%s\nwant at most 0", lines(list))
	}
}
