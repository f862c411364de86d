package catalog_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestAddTypes checks that types are read with their ports and keys, that types which can
// run still can, and that each mistake in the file has its message.
func TestAddTypes(t *testing.T) {
	r := catalog.Standard()
	err := catalog.AddTypes(r, strings.NewReader(`[
		{"type": "blur", "doc": "Blurs.", "check": "check_sync", "properties": "_no_thread",
		 "in": [["image", "kwiver:image", "required"]], "out": [["image", "kwiver:image", "_shared", "blurred"]],
		 "config": [["radius", "int", 3, "how far", true], ["kernel:type / kernel:<impl>:*", "algo"], ["free"]]},
		{"type": "track_objects", "config": [["track_objects", "algo"]]},
		{"type": "numbers"}]`))
	if err != nil {
		t.Fatal(err)
	}
	blur, ok := r.Lookup("blur")
	if !ok || blur.In[0].Flags != pipe.Required || blur.Out[0].Flags != pipe.Shared || blur.Out[0].Doc != "blurred" || blur.Level != pipe.CheckSync {
		t.Errorf("blur is %+v, want an image required, another that is shared and blurred, and check_sync", blur)
	}
	if k, ok := blur.KeyFor("radius"); !ok || k.Kind != pipe.Int || k.Default != "3" || !k.Tunable {
		t.Errorf("radius is %+v, want a tunable int of 3", k)
	}
	for _, name := range []string{"kernel:type", "kernel:gauss:width", "free"} {
		if _, ok := blur.KeyFor(name); !ok {
			t.Errorf("key %s is not declared", name)
		}
	}
	if tracks, _ := r.Lookup("track_objects"); blur.Runs() != nil || tracks.Runs() == nil {
		t.Error("of declared types those run whose algorithm a Python module can register, and no others")
	}
	if numbers, _ := r.Lookup("numbers"); len(numbers.Out) > 0 || numbers.Runs() == nil {
		t.Error("a declaration counts for checks, and the type still runs")
	}
	for text, want := range map[string]string{
		`[{"type": "a"}, {"type": "a"}]`:                         "declared twice",
		`[{"doc": "a"}]`:                                         "has neither a `type`",
		`[{"algorithm": "a"}]`:                                   "algorithm `a`: it has no `role`",
		`[{"algorithm": "a", "role": "b", "keys": "many"}]`:      "algorithm `a`: `keys` is `many`",
		`[{"algorithm": "a", "role": "b", "config": [[""]]}]`:    "algorithm `a`: a key needs a name",
		`[{"type": "a", "in": [["x"]]}]`:                         "a port needs a name and a type",
		`[{"type": "a", "in": [["x", "y", "big"]]}]`:             "`big` is not a port flag",
		`[{"type": "a", "in": [["x", "y", "static,required"]]}]`: "both static and required",
		`[{"type": "a", "config": [["x", "number"]]}]`:           "has the kind `number`",
		`[{"type": "a", "keys": "many"}]`:                        "`keys` is `many`",
		`[{"type": "a", "config": [[""]]}]`:                      "a key needs a name",
		"[\n{\"type\": \"a\",\n":                                 "it is not JSON at line 3",
		`{"type": "a"}`:                                          "expected an array of process types at line 1",
		`[{"type": "a", "in": {"x": "y"}}]`:                      "expected an array",
	} {
		if err := catalog.AddTypes(catalog.Standard(), strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestWrite checks that reading written declarations gives the same types.
func TestWrite(t *testing.T) {
	types := []*pipe.Type{
		{Name: "blur", Doc: "Blurs \"it\".", Version: "Optics 2", Origin: "blur.cxx", OpenKeys: true, Level: pipe.CheckSync, Properties: []string{"_no_thread"}, Needs: "a lens",
			In:   []pipe.Port{{Name: "image<n>", Type: "kwiver:image", Flags: pipe.Required | pipe.NoDep, Doc: "one"}, {Name: "second", Type: "_any"}},
			Out:  []pipe.Port{{Name: "image", Type: "kwiver:image", Flags: pipe.Shared}},
			Keys: []pipe.Key{{Name: "radius", Kind: pipe.Int, Default: "3", Doc: "how far", Tunable: true}, {Name: "reader", Kind: pipe.Any}}},
		{Name: "plain", Needs: "a lens"},
	}
	placeholders := map[string]string{"MODEL-FILE": "train.py", "CLASSES": ""}
	unread := []pipe.Unread{{Class: "fancy", Role: "image_filter", Origin: "register.cxx"}, {Class: "plain", Origin: "register.cxx"}}
	var text strings.Builder
	if err := (catalog.Declarations{Types: types, Placeholders: placeholders, Unread: unread}).Write(&text); err != nil {
		t.Fatal(err)
	}
	r := &pipe.Registry{}
	if err := catalog.AddTypes(r, strings.NewReader(text.String())); err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	for _, want := range types {
		if have, _ := r.Lookup(want.Name); !reflect.DeepEqual(have, want) {
			t.Errorf("have %+v\nwant %+v", have, want)
		}
	}
	if have := r.Clone().Running().Placeholders; !reflect.DeepEqual(have, placeholders) {
		t.Errorf("have %v, want %v", have, placeholders)
	}
	if have := r.Clone().Running().Unread; !reflect.DeepEqual(have, unread) {
		t.Errorf("have %v, want %v", have, unread)
	}
}

func TestOracleTypesFile(t *testing.T) {
	golden.Oracle(t, "sprokit", func(t *testing.T, s golden.Set) {
		if err := catalog.AddTypes(&pipe.Registry{}, strings.NewReader(s.Text(t, "process_types.json"))); err != nil {
			t.Error(err)
		}
	})
}
