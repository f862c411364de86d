package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const adjustable = `config plate
  rows = 128   # read by two
  name = a
  odd = 1
process a
  :: numbers
  start = $CONFIG{plate:rows}
  end[tunable] = 500
process b
  :: sink
connect from a.number
        to   b.sink
`

// TestForm: the form of a file has the settings in its config blocks and the tunable settings, with their descriptions, and changes several at once.
func TestForm(t *testing.T) {
	s, dir := newPage(t, map[string]string{"a.pipe": adjustable}, nil)
	path := filepath.Join(dir, "a.pipe")
	var got []string
	for _, f := range answered(t, &[]fieldEntry{}, ask(s, "GET", address("form", "path", path), "", nil), 200) {
		got = append(got, fmt.Sprintf("%s=%s %s doc:%v %v %d %v", f.Key, f.Value, f.Type, f.Doc != "", f.Tunable, f.Line, f.Readers))
	}
	want := "plate:rows=128 int doc:true false 2 [a:start]\nplate:name=a string doc:false false 3 []\nplate:odd=1 string doc:false false 4 []\na:end=500 int doc:true true 8 []"
	if strings.Join(got, "\n") != want {
		t.Errorf("the fields are\n%s\nwant %v", strings.Join(got, "\n"), want)
	}
	fill := func(want int, values string, write bool) (a editAnswer) {
		t.Helper()
		return answered(t, &a, ask(s, "POST", "/api/form", fmt.Sprintf(`{"path":%s,"values":%s,"write":%v}`, quoted(path), values, write), nil), want)
	}
	file := func() string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const both = `[{"key":"plate:rows","value":"64"},{"key":"a:end","value":"900"}]`
	if a := fill(200, both, false); a.Written || !strings.Contains(a.Diff, "+  rows = 64   # read by two") || !strings.Contains(a.Diff, "+  end[tunable] = 900") || len(a.Also) != 1 || a.Also[0].Key != "a:start" {
		t.Errorf("the preview is %+v, want the rows and the end in its diff, a:start besides, and nothing written", a)
	}
	if a := fill(200, `[{"key":"plate:rows","value":"64"},{"key":"a:end","value":"x"}]`, true); a.Written || len(a.Refused) == 0 || file() != adjustable {
		t.Errorf("with an error: %+v, want a value refused and nothing written", a)
	}
	if a := fill(200, both, true); !a.Written || !strings.Contains(file(), "rows = 64   #") || !strings.Contains(file(), "end[tunable] = 900\n") {
		t.Errorf("written: %+v\n%s\nwant both values in the file", a, file())
	}
	fill(400, `[]`, true)
	s.opt.ReadOnly = true
	fill(403, both, true)
}

// TestFormOfPlan: the form of a launch plan has its tunable constants, with their ranges.
func TestFormOfPlan(t *testing.T) {
	s, dir := newPage(t, map[string]string{"a.pcl": "tunable_constant { \"samplingRate\" 0.5; }\n"}, nil)
	list := answered(t, &[]fieldEntry{}, ask(s, "GET", address("form", "path", filepath.Join(dir, "a.pcl")), "", nil), 200)
	if len(list) != 1 || list[0].Value != "0.5" || list[0].Type != "float" || list[0].Doc == "" || list[0].Min == nil {
		t.Errorf("the fields are %+v, want one, a float of 0.5 with a text and a least value", list)
	}
}
