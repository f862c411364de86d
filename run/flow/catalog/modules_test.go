package catalog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

const effects = `
from pentode import Process, key, port, run

class Blur(Process):
    """Smooths each image.

    More about it."""

    image = port.input("kwiver:image", doc="To smooth.")
    mask = port.input("kwiver:image", required=False)
    out = port.output("kwiver:image", name="image")
    radius = key(int, 3, "Pixels on each side.", tunable=True)
    mode = key(str, "box", choices=["box", "gauss"])
    strong = key(bool, False)
    model = key(doc="A file.")

    def step(self, image, mask):
        key = lookup(1)
        return blurred(image, self.radius)

class Sharpen(Blur):
    amount = key(float, -0.5)

class _Hidden(Process):
    number = port.input()

class Terse(Process): a = port.input("integer"); b: Port = port.input("string"); c = port.output("integer"); \
    d = key(int, 1); self.e = key(int)

raise RuntimeError("this module is read, and not run")
`

const guest = `
from kwiver.sprokit.processes.kwiver_process import KwiverProcess
class Counter(KwiverProcess):
    def __init__(self, conf):
        KwiverProcess.__init__(self, conf)
        required = process.PortFlags()
        required.add(self.flag_required)
        self.declare_input_port('number', 'integer', required, 'A number.')
        self.declare_configuration_key('start', '1', 'Where to begin.')
def __sprokit_register__():
    process_factory.add_process('count_things', 'Counts things.', Counter)
`

// TestModules checks that the classes of Python modules become process types with ports, keys and
// documentation, without running their code.
func TestModules(t *testing.T) {
	tree := fstest.MapFS{
		"effects.py":       {Data: []byte(effects)},
		"pkg/__init__.py":  {Data: []byte("")},
		"pkg/processes.py": {Data: []byte(guest)},
	}
	r := Standard()
	if err := AddModules(r, []string{"effects", "pkg", "nowhere", "../etc"}, []Folder{{"/modules", tree}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Blur": "Smooths each image.|image kwiver:image required To smooth.|mask kwiver:image  |>image kwiver:image  |" +
			"radius int 3 true [] false|mode string box false [box gauss] false|strong bool false false [] false|model string  false [] true",
		"Sharpen": "|image kwiver:image required To smooth.|mask kwiver:image  |>image kwiver:image  |" +
			"radius int 3 true [] false|mode string box false [box gauss] false|strong bool false false [] false|model string  false [] true|amount double -0.5 false [] false",
		"Terse":        "|a integer required |b string required |>c integer  |d int 1 false [] false",
		"count_things": "Counts things.|number integer required A number.|start string 1 false [] false",
	} {
		typ, ok := r.Lookup(name)
		if !ok {
			t.Errorf("there is no type %s", name)
			continue
		}
		parts := []string{typ.Doc}
		for _, p := range typ.In {
			parts = append(parts, fmt.Sprintf("%s %s %s %s", p.Name, p.Type, p.Flags, p.Doc))
		}
		for _, p := range typ.Out {
			parts = append(parts, fmt.Sprintf(">%s %s %s %s", p.Name, p.Type, p.Flags, p.Doc))
		}
		for _, k := range typ.Keys {
			if k.Name == "interpreter" {
				break // every Python process has the remaining keys
			}
			parts = append(parts, fmt.Sprintf("%s %s %s %v %v %v", k.Name, k.Kind, k.Default, k.Tunable, k.Choices, k.Required))
		}
		if have := strings.Join(parts, "|"); have != want {
			t.Errorf("%s: have %s\nwant %s", name, have, want)
		}
	}
	if _, ok := r.Lookup("_Hidden"); ok {
		t.Error("a class whose name begins with _ is no type")
	}
}

// TestNarrowPython checks that a process of type `python` gets the ports and keys of its class, if
// the source is in the pipeline's folder or in `path`.
func TestNarrowPython(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"beside/effects.py": effects, "away/guest.py": guest} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	python, ok := Standard().Lookup("python")
	if !ok || python.Narrow == nil {
		t.Fatal("there is no type `python`")
	}
	span := source.NewFile(filepath.Join(dir, "beside", "a.pipe"), "x").Span(0, 1)
	for _, c := range []struct{ class, path, in string }{
		{"effects.Blur", "", "image mask"},
		{" effects.Sharpen ", "", "image mask"},
		{"guest.Counter", "../away", "number"},
		{"guest.Counter", filepath.Join(dir, "away"), "number"},
		{"guest.Counter", "", ""},
		{"effects.Nosuch", "", ""},
		{"effects", "", ""},
		{"", "", ""},
	} {
		narrow := python.Narrow(&pipe.Node{Name: "p", Type: "python", Config: pipe.Set("class", c.class, "path", c.path), Span: span})
		if (narrow != nil) != (c.in != "") {
			t.Errorf("%+v: %+v, want %v", c, narrow, (c.in != ""))
			continue
		}
		if narrow == nil {
			continue
		}
		var in []string
		for _, p := range narrow.In {
			in = append(in, p.Name)
		}
		if got := strings.Join(in, " "); got != c.in || narrow.Name != "python" || narrow.OpenKeys == (narrow.Version == "") {
			t.Errorf("%+v: inputs %s of %s, version %q, open %v; want got = %v, narrow.Name = %q and narrow.OpenKeys other than %v", c, got, narrow.Name, narrow.Version, narrow.OpenKeys, c.in, "python", (narrow.Version == ""))
		}
	}
}
