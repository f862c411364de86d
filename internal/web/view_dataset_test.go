package web_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/runs/record"
)

// finished opens a page with the record of one run, whose results write has written.
func finished(t *testing.T, write func(out string)) *tab {
	t.Helper()
	need.Program(t, "chromium")
	dir, out := copyOf(t, "../../examples/heat"), t.TempDir()
	write(out)
	here := desk{t, t.TempDir(), t.TempDir()}
	began := time.Now().Add(-time.Minute)
	r := &record.Record{ID: "r1", Kind: record.Pipeline, Started: began, Ended: began.Add(time.Second), Command: []string{"run", "heat.pipe"}, Folder: dir, Paths: []string{filepath.Join(dir, "heat.pipe")}, Out: out, Host: record.Host{Name: "desk", System: "linux/amd64", CPUs: 2}}
	files, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		r.Results = append(r.Results, record.Result{Path: f.Name(), Size: info.Size(), Time: info.ModTime(), Process: "heat.pipe/plate", Edge: "plate.field"})
	}
	if err := (record.Store{Dir: filepath.Join(here.state, "pentode")}).Write(r, nil); err != nil {
		t.Fatal(err)
	}
	b := browser(t, here.serve(dir))
	b.open("runs", "?run=r1")
	return b
}

// result returns the selector of the button that opens a file of a run.
func result(name string) string {
	return fmt.Sprintf("[...document.querySelectorAll('[aria-label=Results] button')].find(e => e.textContent === %q)", name)
}

// pick chooses an option of a list with the keyboard, by its first letters.
func (b *tab) pick(label, option string) {
	b.Helper()
	find := fmt.Sprintf("[...document.querySelectorAll('.choice')].find(e => e.firstChild.textContent === %q)?.querySelector('select')", label)
	b.until(label, find)
	b.press(find, option)
	b.until(option, fmt.Sprintf("(%s)?.selectedOptions[0].textContent.startsWith(%q)", find, option))
}

// inBounds checks that the page fits on a narrow screen, light and dark, and is accessible there.
func (b *tab) inBounds(name string) {
	b.Helper()
	b.size(400, 800)
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		b.picture(name + "-400-" + scheme)
		if wide := js[int](b, "document.documentElement.scrollWidth"); wide > 400 {
			b.Errorf("%s is %d pixels wide on a %s screen of 400, want at most 400", name, wide, scheme)
		}
	}
	b.scheme("light")
	b.accessible(name + " at 400")
	b.size(1400, 900)
}

// TestDatasetView opens an HDF5 file with the keyboard, and checks its tree, a slice as heat map, curve and table, and the
// difference of two slices.
func TestDatasetView(t *testing.T) {
	need.Slow(t)
	b := finished(t, func(out string) {
		for _, name := range []string{"plate.h5", "other.h5"} {
			f, err := hdf5.Create(filepath.Join(out, name))
			if err != nil {
				t.Fatal(err)
			}
			put := func(name string, dims []uint64, value func(i int) float64) *hdf5.Dataset {
				t.Helper()
				d, err := f.Root().CreateDataset(name, hdf5.IEEE(8), hdf5.Space{Dims: dims}, hdf5.Options{})
				if err != nil {
					t.Fatal(err)
				}
				p := make([]byte, 0, 8*d.Space().Len())
				for i := range d.Space().Len() {
					p = binary.LittleEndian.AppendUint64(p, math.Float64bits(value(int(i))))
				}
				if err := d.Write(p, hdf5.Memory{}, hdf5.Slab{}); err != nil {
					t.Fatal(err)
				}
				return d
			}
			wave := func(i int) float64 {
				step, y, x := i/4800, i/80%60, i%80
				return 300 + 20*math.Sin(float64(x+4*step)/9)*math.Cos(float64(y)/11)
			}
			d := put("plate/temperature", []uint64{8, 60, 80}, wave)
			put("plate/smoothed", []uint64{8, 60, 80}, func(i int) float64 { return wave(i) - float64(i%80)/40 })
			put("mean", []uint64{2000}, func(i int) float64 { return 300 + math.Sin(float64(i)/40)*math.Exp(-float64(i)/900) })
			put("<b>rank", nil, func(int) float64 { return 3 })
			if err := d.SetAttribute("unit", hdf5.Text(8, hdf5.NullPad), hdf5.Space{}, []byte("kelvin\x00\x00")); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
	const loaded = "performance.getEntriesByName(location.origin + '/static/dataset-tree.js').length"
	if js[int](b, loaded) != 0 {
		t.Error("the view is loaded before it is opened")
	}
	leaf := func(name string) string {
		return fmt.Sprintf("[...document.querySelectorAll('.tree button')].find(e => e.firstChild.textContent === %q)", name)
	}
	b.press(result("plate.h5"), kb.Enter)
	b.press(leaf("temperature"), kb.Enter)
	b.until("the unit", "document.querySelector('[aria-label=Attributes]')?.innerText.includes('kelvin')")
	const said = "document.querySelector('.plot .said')?.innerText"
	b.until("a heat map", "document.querySelector('pentode-heat-map canvas')?.width > 0 && /^scale from 28/.test("+said+")")
	b.looks("datasets")
	b.inBounds("datasets")

	b.press("document.querySelector('pentode-heat-map canvas')", kb.ArrowRight)
	b.do(chromedp.KeyEvent(kb.ArrowRight))
	b.until("the value at the mark", "/^row 0, column 1: 302.2/.test("+said+")")
	b.press("document.querySelector('[aria-label=\"Element of axis 0\"]')", kb.ArrowRight)
	b.until("the map of the next step", "document.querySelector('.sliders output').innerText === '1'")
	b.pick("Compare with a dataset of", "plate.h5")
	b.pick("Dataset", "/plate/smoothed")
	b.until("two maps", "document.querySelectorAll('pentode-heat-map canvas').length === 2")
	b.until("both with one scale", "(l => l.length === 2 && l[0].innerText === l[1].innerText)([...document.querySelectorAll('.plot .said')])")
	b.looks("datasets-both")
	b.pick("as", "difference")
	b.until("one map", "document.querySelectorAll('pentode-heat-map').length === 1 && document.querySelector('.plot figcaption').innerText === '/plate/temperature less /plate/smoothed'")
	b.until("the largest difference", "/^scale from -1.975 to 1.975/.test("+said+")")
	b.looks("datasets-difference")

	b.pick("Show as", "curve")
	b.until("a curve", "document.querySelector('pentode-curve canvas')?.width > 0")
	b.press(leaf("mean"), kb.Enter)
	b.until("the thinned curve", "document.querySelector('.dataset').innerText.includes('each point is the smallest and the largest of its elements')")
	b.looks("datasets-curve")
	b.inBounds("datasets-curve")
	b.press("document.querySelector('[aria-label=\"Last element of axis 0\"]')", kb.ArrowDown)
	b.until("a smaller range", "document.querySelector('.dataset').innerText.includes('1,999 elements')")
	b.pick("Show as", "table")
	b.until("the elements", "document.querySelectorAll('.plots tbody tr').length === 100")
	b.press(leaf("<b>rank"), kb.Enter)
	b.until("one number", "document.querySelector('.single')?.innerText === '3'")
}
