package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTargetView: the view shows how two machines differ, and whether code for one runs on the
// other.
func TestTargetView(t *testing.T) {
	files := map[string]string{"a.yml": particles}
	for _, name := range []string{"x86-64-v3", "i686"} {
		text, err := os.ReadFile("../../lang/coil/preset/" + name + ".coilcfg")
		if err != nil {
			t.Fatal(err)
		}
		files[name+".coilcfg"] = string(text)
	}
	s, dir := newPage(t, files, nil)
	path := filepath.Join(dir, "x86-64-v3.coilcfg")
	compare := func(want int, path, with string) (a targetAnswer) {
		t.Helper()
		return answered(t, &a, ask(s, "GET", address("target", "path", path, "with", with), "", nil), want)
	}
	differ := func(a targetAnswer) string {
		var list []string
		for _, f := range a.Facts {
			if f.Differs {
				list = append(list, fmt.Sprintf("%s %s/%s", f.Name, f.A, f.B))
			}
		}
		return strings.Join(list, ", ")
	}
	a := compare(200, path, "x86-64")
	if !strings.Contains(a.Runs[0], "lacks `AVX2`") || a.Runs[1] != "" || a.Links != "" || !strings.Contains(differ(a), "AVX2") {
		t.Errorf("%+v, want %q in a.Runs[0], a.Runs[1] = nothing, a.Links = nothing and %q in differ(a)", a, "lacks `AVX2`", "AVX2")
	}
	a = compare(200, path, filepath.Join(dir, "i686.coilcfg"))
	for _, want := range []string{"Mode 64/32", "long 8/4", "pointer 8/4", "int64_t in a struct 8/4"} {
		if !strings.Contains(differ(a), want) {
			t.Errorf("`%s` is not in %s", want, differ(a))
		}
	}
	if a.Runs[0] == "" || a.Links == "" {
		t.Errorf("%+v, want a.Runs[0] other than nothing and a.Links other than nothing", a)
	}
	if a := compare(200, path, path); differ(a) != "" || a.Runs != [2]string{} || a.Links != "" {
		t.Errorf("with itself: %+v, want differ(a) = nothing, a.Runs = %v and a.Links = nothing", a, [2]string{})
	}
	if a := compare(200, path, ""); a.With != "host" || len(a.Facts) == 0 {
		t.Errorf("with this machine: %+v, want a.With = %q and len(a.Facts) other than 0", a, "host")
	}
	for _, with := range []string{"vax", "../../etc/passwd", "/etc/passwd", filepath.Join(dir, "a.yml"), strings.Repeat("x", 5000)} {
		if w := ask(s, "GET", address("target", "path", path, "with", with), "", nil); w.Code != 422 || w.Body.Len() > 500 {
			t.Errorf("with %.40q: %d %.200s, want w.Code = 422 and w.Body.Len() at most 500", with, w.Code, w.Body)
		}
	}
	for _, path := range []string{"", "/etc/passwd", "host", filepath.Join(dir, "none.coilcfg")} {
		compare(404, path, "host")
	}
}
