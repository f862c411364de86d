package pdi_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// apply returns a tree after edits.
func apply(t *testing.T, c *lang.Config, edits []source.Edit) *lang.Config {
	t.Helper()
	changes, err := source.Changes(edits)
	if err != nil {
		t.Fatal(err)
	}
	after := c.With(changes)
	if found := after.Diagnostics(); found.HasErrors() {
		t.Fatalf("%s in\n%s\nwant no errors", found[0].Message, after.Document.File.Text())
	}
	return after
}

// declared returns the settings of metadata and data.
func declared(c *lang.Config) map[string]string {
	all := map[string]string{}
	for e := range c.Values() {
		if strings.HasPrefix(e.Key, "data.") || strings.HasPrefix(e.Key, "metadata.") {
			all[e.Key] = e.Value
		}
	}
	return all
}

// TestExtractAndInline gives a type a name and then inlines it again, which keeps the meaning.
func TestExtractAndInline(t *testing.T) {
	for name, text := range map[string]string{
		"block":        "metadata:\n  n: int\ndata:\n  d:\n    type: array\n    subtype: double\n    size: [$n, 3]\n",
		"flow":         "metadata: {n: int}\ndata:\n  d: {type: array, subtype: double, size: '$n + 1'}\n",
		"types before": "types:\n    t: int\ndata:\n  d:\n    type: array   # a comment\n    # another\n    subtype: t\n    size: 3\n",
		"types behind": "data:\n  d:\n    type: array\n    subtype: t\n    size: 3\ntypes:\n  t: int",
		"element":      "data:\n  d:\n    type: array\n    size: 2\n    subtype:\n      type: struct\n      members:\n        - x: int\n        - 'y z': {type: array, subtype: char, size: 4}\n",
		"in a mapping": "pdi:\n  data:\n    d:\n      type: record\n      buffersize: 8\n      members:\n        x: {disp: 0, type: int}\n",
		"a comment":    "data:\n  d: # the field\n    type: array\n    subtype: int\n    size: 3\n",
	} {
		t.Run(name, func(t *testing.T) {
			f := source.NewFile("a.yml", text)
			c := language.Parse(f).Resolve(load.NewEnv())
			if found := c.Diagnostics(); found.HasErrors() {
				t.Fatalf("%s; want no errors", found[0].Message)
			}
			tried := 0
			for at := range len(text) {
				if !strings.HasPrefix(text[at:], "type:") || text[at-1] == 'b' { // but not `subtype:`
					continue
				}
				edits := c.Extract(f, at)
				if strings.Contains(text[strings.LastIndexByte(text[:at], '\n')+1:at], "disp") {
					if len(edits) > 0 {
						t.Error("a member that says where it lies got a name for its type")
					}
					continue
				}
				tried++
				named := apply(t, c, edits)
				use := strings.LastIndex(named.Document.File.Text(), " d_type")
				if def := strings.LastIndex(named.Document.File.Text(), " d_type:"); use == def {
					use = strings.Index(named.Document.File.Text(), " d_type")
				}
				back := apply(t, named, named.Inline(named.Document.File, use+1))
				if diff := cmp.Diff(declared(c), declared(back)); diff != "" {
					t.Errorf("it means something else (-before +after):\n%s\n%s", diff, back.Document.File.Text())
				}
				if maps.Equal(declared(c), declared(named)) {
					t.Errorf("nothing has a name now:\n%s", named.Document.File.Text())
				}
			}
			if tried == 0 {
				t.Error("no type got a name")
			}
		})
	}
}
