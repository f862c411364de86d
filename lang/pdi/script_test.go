package pdi_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi"
)

// TestScript reads calls in all their forms.
func TestScript(t *testing.T) {
	for text, want := range map[string]string{
		"- [event, go]\n- [share, n, out, 3]\n":          "event go; share n out 3",
		"[[event, go], [event, stop]]":                   "event go; event stop",
		"[event, go]\n[event, \"a b\"]\n":                "event go; event a b",
		"event go\n# a comment\n\n  share n out 3 + 4\n": "event go; share n out 3 + 4",
		"- event go\n- expr $n + 1\n":                    "event go; expr $n + 1",
		"- share n out 3\n- [event, stop]\n":             "share n out 3; event stop",
		"event 'a b' \n":                                 "event a b",
		"event \"a b\"\n":                                "event a b",
		"event it's\n":                                   "event it's",
		"event '\n":                                      "event '",
		"event 'a\"\n":                                   "event 'a\"",
		"share x inout [1, 2, 3]\n":                      "share x inout [1, 2, 3]",
		"share x inout {a: 1, b: [1, 2]}\n":              "share x inout {a: 1, b: [1, 2]}",
		"share \"x y\" inout 3\n":                        "share x y inout 3",
		"share x inout 'a b' c\n":                        "share x inout 'a b' c",
		"expr '$a' == 3\n":                               "expr '$a' == 3",
		"str $a is  two\n":                               "str $a is  two",
		"double 1 + 1\n":                                 "double 1 + 1",
		"poke x 0 1 2\n":                                 "poke x 0 1 2",
		"multi\tgo [x, out, 1] [y, out, [2, 3]]\n":       "multi go [x, out, 1] [y, out, [2, 3]]",
		"multi go [x, out, 'a ] b']\n":                   "multi go [x, out, a ] b]",
		"":                                               "",
		"[event go]":                                     "s:1:1: unknown call `event go`",
		"- [event\n":                                     "s:1:3: `[` is not closed",
		"event a\nnosuch x\n":                            "s:2:1: unknown call `nosuch`",
		"- event a\n- nosuch call\n":                     "s:2:3: unknown call `nosuch`",
		"- {a: 1}\n":                                     "s:1:3: expected a call like `[share, name, OUT, 3]`, found {a: 1}",
		"reclaim x y\n":                                  "s:1:1: `reclaim` takes NAME, found 2 words",
	} {
		script, err := pdi.Script(source.NewFile("s", text))
		var calls []string
		for _, c := range script {
			calls = append(calls, c.String())
		}
		got := strings.Join(calls, "; ")
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.HasPrefix(got, want+":")) {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	}
}
