package suite

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
)

// arrayFaults are mistakes in arriving arrays: their elements, shape or range.
var arrayFaults = []fault{
	{name: "a transposed field", file: "heat.yml", old: "    size: [$rows, $cols]\n\n", new: "    size: [$cols, $rows]\n\n",
		alsoReplace: [][3]string{{"heat.pipe", "rows = 128", "rows = 12"}, {"heat.pipe", "cols = 128", "cols = 20"}},
		code:        "suite/wrong-size", severity: diag.Error, at: "heat.pipe: to «store.field»", other: "heat.yml: «type: array subtype: double size: [$cols, $rows]»",
		message: "an array of 12 × 20 arrives, but the tree declares 20 × 12: its axes are in reverse order"},
	{name: "one extent that is known", file: "heat.yml", old: "    size: [$rows, $cols]\n\n", new: "    size: [$step, $rows]\n\n",
		alsoReplace: [][3]string{{"heat.pipe", "rows = 128", "rows = 12"}, {"heat.pipe", "cols = 128", "cols = 20"}},
		code:        "suite/wrong-size", severity: diag.Error, at: "heat.pipe: to «store.field»", other: "heat.pipe: process «solver»",
		message: "an array of 12 × 20 arrives, but the tree declares ? × 12"},
	{name: "one axis too few, of extents that are not known", file: "heat.yml", old: "    size: [$rows, $cols]\n\n", new: "    size: [$step]\n\n",
		code: "suite/wrong-size", severity: diag.Error, at: "heat.pipe: to «store.field»", other: "heat.yml: «type: array subtype: double size: [$step]»",
		message: "an array of 128 × 128 arrives, but the tree declares ?"},
	{name: "a size that one number feeds", file: "heat.pipe", old: "    cols = $CONFIG{plate:cols}\n  ", new: "  ",
		alsoReplace: [][3]string{{"heat.pipe", "connect from solver.step", "process width\n  :: const_number\n  value = 20\nconnect from width.number to store.cols\nconnect from solver.step"}},
		code:        "suite/wrong-size", severity: diag.Error, at: "heat.pipe: to «store.field»", other: "heat.yml: «type: array subtype: double size: [$rows, $cols]»",
		message: "an array of 128 × 128 arrives, but the tree declares 128 × 20"},
	{name: "a cut array", file: "heat.pipe", old: "connect from solver.field\n        to   store.field\n", new: "process cut\n  :: slice\n  at = :, 3\nconnect from solver.field to cut.array\nconnect from cut.array\n        to   store.field\n",
		code: "suite/wrong-size", severity: diag.Error, at: "heat.pipe: to «store.field»", other: "heat.pipe: process «cut»",
		message: "an array of 128 arrives, but the tree declares 128 × 128"},
	{name: "fractions for whole numbers", file: "heat.yml", old: "    subtype: double\n    size: [$rows", new: "    subtype: int32\n    size: [$rows",
		code: "suite/wrong-kind", severity: diag.Error, at: "heat.pipe: to «store.field»", other: "heat.yml: «type: array subtype: int32 size: [$rows, $cols]»",
		message: "`solver.field` gives float64, but the tree declares int32, which has no fractions", help: "declare its elements as `double`"},
	{name: "fractions that are rounded", file: "heat.yml", old: "    subtype: double\n    size: [$rows", new: "    subtype: float\n    size: [$rows",
		code: "suite/wrong-kind", severity: diag.Warning, at: "heat.pipe: to «store.field»", other: "heat.yml: «type: array subtype: float size: [$rows, $cols]»",
		message: "`solver.field` gives float64, which is rounded: the tree declares float32"},
	{name: "numbers that grow too large", file: "heat.yml", old: "  step: int64\n", new: "  step: int8\n",
		alsoReplace: [][3]string{{"heat.pipe", "steps = 400", "steps = 900"}},
		code:        "suite/wrong-kind", severity: diag.Error, at: "heat.pipe: to «store.step»", other: "heat.yml: step: «int8»",
		message: "`solver.step` gives numbers from 0 to 900, but `int8` can only hold numbers from -128 to 127"},
}

// TestNoFalseAlarmOfArrays: unknown properties and matching arrays are not reported.
func TestNoFalseAlarmOfArrays(t *testing.T) {
	for name, change := range map[string][][3]string{
		"sizes that only the run knows": {{"heat.yml", "    size: [$rows, $cols]\n\n", "    size: [$step, $step]\n\n"}},
		"an array of a program":         {{"heat.pipe", "connect from solver.field\n        to   store.field\n", "process prog\n  :: exec\n  command = sh x.sh\nconnect from solver.field to prog.field\nconnect from prog.field\n        to   store.field\n"}},
		"numbers that fit":              {{"heat.yml", "  step: int64\n", "  step: int16\n"}},
		"a number that a float holds":   {{"heat.yml", "  step: int64\n", "  step: double\n"}},
		"a plane of images":             {{"heat.yml", "    size: [$rows, $cols]\n\n", "    size: [$rows * 3, $cols * 3, 3]\n\n"}, {"heat.yml", "subtype: double\n    size: [$rows *", "subtype: uint8\n    size: [$rows *"}, {"heat.pipe", "connect from solver.field\n        to   store.field\n", "connect from paint.image\n        to   store.field\n"}},
	} {
		expectQuiet(t, name, change...)
	}
}

// expectQuiet checks the example after replacements: file, old and new text.
func expectQuiet(t *testing.T, name string, change ...[3]string) {
	t.Helper()
	files := example(t)
	for _, r := range change {
		if !strings.Contains(files[r[0]], r[1]) {
			t.Fatalf("%s: %s has no `%s`", name, r[0], r[1])
		}
		files[r[0]] = strings.Replace(files[r[0]], r[1], r[2], 1)
	}
	for _, d := range Check(open(t, files), fixedHost()) {
		if d.Severity != diag.Info {
			t.Errorf("%s: %s; want %v", name, lines(diag.List{d}), diag.Info)
		}
	}
}
