package declhdf5_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// crashing is a tree that writes several files: groups, chunks with and without filters,
// attributes, replaced datasets, and a file that is replaced as a whole.
const crashing = `
metadata: {step: int}
data: {field: {type: array, subtype: double, size: 1500}, wide: {type: array, subtype: int, size: 300}}
plugins:
  decl_hdf5:
    - file: '@/all.h5'
      on_event: step
      datasets: {film: {type: array, subtype: double, size: [40, 1500], +decl_hdf5.chunking: [1, 500]}}
      write:
        field:
          - {dataset: 'group/${step:03d}/field', attributes: {at: $step, unit: K}}
          - {dataset: film, deflate: 1, dataset_selection: {size: [1, 1500], start: [$step, 0]}}
          - {dataset: latest, deflate: 1, fletcher: 1, collision_policy: replace}
        step: {attribute: 'group#last'}
        wide: {dataset: 'wide/${step}', chunking: 60}
    - {file: '@/half.h5', on_event: step, datasets: {half: {type: array, subtype: int, size: 3000}}, write: {wide: {dataset: half, dataset_selection: {size: 300, start: '300 * $step'}}}}
    - {file: '@/latest.h5', on_event: step, collision_policy: replace, write: [field, wide]}
    - {file: '@/${step:03d}.h5', on_event: step, write: {wide: {deflate: 9}, step: {attribute: 'wide#step'}}}
    - {file: '@/all.h5', on_event: step, when: '$step & 1', write: {step: {dataset: 'odd/${step}'}}}
`

// TestCrashingRun is the run that other tests crash, in a separate process. It records each
// completed step.
func TestCrashingRun(t *testing.T) {
	dir := os.Getenv("PENTODE_CRASHING_RUN")
	if dir == "" {
		t.Skip("it is run by TestKilledRun and others")
	}
	from, to := number(t, "PENTODE_CRASHING_FROM"), number(t, "PENTODE_CRASHING_TO")
	s, err := start(t, dir, crashing, nil)
	must(t, err)
	for step := int32(from); step < int32(to); step++ {
		if err := crashingStep(s, step); err != nil {
			fmt.Println("failed:", err)
			continue
		}
		fmt.Println("done", step)
	}
}

func number(t *testing.T, variable string) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv(variable))
	must(t, err)
	return n
}

func crashingStep(s *data.Store, step int32) error {
	field, wide := make([]float64, 1500), make([]int32, 300)
	for i := range field {
		field[i] = float64(step)*1e4 + float64(i*i%977)
	}
	for i := range wide {
		wide[i] = step*1000 + int32(i)
	}
	return errors.Join(s.Expose("step", &step, data.Out), s.MultiExpose("step",
		data.Item{Name: "field", Value: field, Access: data.Out}, data.Item{Name: "wide", Value: wide, Access: data.Out}))
}

// crash runs steps under a program and returns the output of the run.
func crash(t *testing.T, dir string, from, to int, args ...string) string {
	t.Helper()
	args = append(args, os.Args[0], "-test.run=^TestCrashingRun$", "-test.count=1")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "PENTODE_CRASHING_RUN="+dir, fmt.Sprint("PENTODE_CRASHING_FROM=", from), fmt.Sprint("PENTODE_CRASHING_TO=", to), "GOMAXPROCS=1")
	out, _ := cmd.Output()
	return string(out)
}

// intact checks the files of a run in which some steps are complete.
func intact(t testing.TB, dir, out string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.h5"))
	if err != nil {
		return err
	}
	dump := need.Has(t, "h5dump")
	for _, path := range files {
		f, err := hdf5.Open(path)
		if err != nil {
			return err
		}
		f.Close()
		if !dump {
			continue
		}
		if text, err := exec.Command("h5dump", path).CombinedOutput(); err != nil {
			return fmt.Errorf("h5dump %s: %v\n%.1000s", path, err, text)
		}
	}
	for line := range strings.Lines(out) {
		var step int
		if _, err := fmt.Sscanf(line, "done %d", &step); err != nil {
			continue
		}
		for name, want := range map[string]float64{fmt.Sprintf("group/%03d/field", step): 1500, fmt.Sprintf("wide/%d", step): 300, "latest": 1500, "film": 40 * 1500} {
			if err := readable(filepath.Join(dir, "all.h5"), name, want, step); err != nil {
				return err
			}
		}
		if err := errors.Join(readable(filepath.Join(dir, fmt.Sprintf("%03d.h5", step)), "wide", 300, step), readable(filepath.Join(dir, "latest.h5"), "field", 1500, step)); err != nil {
			return err
		}
	}
	return nil
}

// readable checks a dataset that a step wrote.
func readable(path, name string, n float64, step int) error {
	f, err := hdf5.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	d, err := f.Root().Dataset(name)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	values := make([]float64, d.Space().Len())
	if float64(len(values)) != n {
		return fmt.Errorf("%s: `%s` has %d elements", path, name, len(values))
	}
	raw := make([]byte, 4*len(values))
	if err := d.Read(raw, hdf5.Memory{Type: hdf5.Int(4)}, hdf5.Slab{}); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	first := int32(raw[0]) | int32(raw[1])<<8 | int32(raw[2])<<16 | int32(raw[3])<<24
	if strings.HasPrefix(name, "group") && first != int32(step)*1e4 || strings.HasPrefix(name, "wide") && first != int32(step)*1000 {
		return fmt.Errorf("%s: `%s` begins with %d", path, name, first)
	}
	return nil
}

// TestKilledRun kills a run at each of its writes, changes of length and renamings. All complete
// steps must be readable, and the next run must be able to continue.
func TestKilledRun(t *testing.T) {
	need.Slow(t)
	strace(t)
	crashes(t, "signal=KILL", 1, func(dir, out string) error {
		after := crash(t, dir, 8, 9)
		if strings.Contains(after, "failed") || !strings.Contains(after, "done 8") {
			return fmt.Errorf("a later run: %s", after)
		}
		left, _ := filepath.Glob(filepath.Join(dir, "*.partial"))
		if len(left) > 1 {
			return fmt.Errorf("%v stay", left)
		}
		return intact(t, dir, out+after)
	})
}

// TestFailingRun makes each of these calls fail once. The event must return the error, all files
// must be readable, and the following steps must succeed.
func TestFailingRun(t *testing.T) {
	need.Slow(t)
	strace(t)
	for fault, stride := range map[string]int{"ENOSPC": 1, "EIO": 5} {
		crashes(t, "error="+fault, stride, func(dir, out string) error {
			if left, _ := filepath.Glob(filepath.Join(dir, "*.partial")); len(left) > 0 {
				return fmt.Errorf("%v stay", left)
			}
			if !strings.Contains(out, "failed: ") {
				return errors.New("nothing failed")
			}
			return nil
		})
	}
}

// strace skips a test if system calls cannot be made to fail.
func strace(t *testing.T) {
	t.Helper()
	need.Program(t, "strace", "-qq", "-o", "/dev/null", "-e", "inject=pwrite64:error=EIO:when=65535", "true")
}

// crashes injects a fault at the calls of a run that change its files: at every call with stride
// 1, at fewer if tests run at their short size.
func crashes(t *testing.T, fault string, stride int, after func(dir, out string) error) {
	if !need.FullSize() {
		stride *= 13
	}
	if !need.Full() {
		stride *= 3
	}
	for _, call := range []string{"pwrite64", "ftruncate", "renameat"} {
		n := 1
		for ; ; n += stride {
			dir := t.TempDir()
			log := filepath.Join(dir, "strace.log")
			out := crash(t, dir, 0, 2, "strace", "-f", "-qq", "-o", log, "-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:%s:when=%d", call, fault, n))
			text, err := os.ReadFile(log)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if !bytes.Contains(text, []byte("INJECTED")) && !bytes.Contains(text, []byte("killed by SIGKILL")) {
				break // all calls have been tried
			}
			if err := intact(t, dir, out); err != nil {
				t.Fatalf("%s %d, %s: %v\n%s", call, n, fault, err, out)
			}
			if err := after(dir, out); err != nil {
				t.Fatalf("%s %d, %s: %v\n%s", call, n, fault, err, out)
			}
			must(t, os.RemoveAll(dir))
		}
		if n == 1 {
			t.Errorf("no %s", call)
		}
	}
}

// TestFullDisk limits the size of files: complete steps must stay readable, and an incomplete
// file must not have a name.
func TestFullDisk(t *testing.T) {
	need.Slow(t)
	shell := need.Program(t, "bash")
	for _, blocks := range []int{1, 12, 20, 40, 100} { // of 1024 bytes
		dir := t.TempDir()
		out := crash(t, dir, 0, 8, shell, "-c", fmt.Sprintf(`ulimit -f %d; exec "$@"`, blocks), "bash")
		if !strings.Contains(out, "failed: ") || !strings.Contains(out, "file too large") {
			t.Errorf("%d blocks: nothing failed:\n%s", blocks, out)
		}
		if err := intact(t, dir, out); err != nil {
			t.Errorf("%d blocks: %v\n%s", blocks, err, out)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.partial")); len(left) > 0 {
			t.Errorf("%d blocks: %v stay, want at most 0", blocks, left)
		}
	}
}

// TestGrowth writes a step at each event: the size of the file must not grow with the square of
// their number.
func TestGrowth(t *testing.T) {
	dir := t.TempDir()
	s, err := start(t, dir, "metadata: {i: int}\nplugins: {decl_hdf5: [{file: '@/g.h5', write: {i: {dataset: 'step ${i:04d}', attributes: {last: $i}}}}, {file: '@/g.h5', write: {i: {attribute: '/#last'}}}]}", nil)
	must(t, err)
	n := 400
	if need.FullSize() {
		n = 2000
	}
	for i := range int32(n) {
		must(t, s.Expose("i", &i, data.Out))
	}
	must(t, s.Close())
	info, err := os.Stat(filepath.Join(dir, "g.h5"))
	must(t, err)
	if t.Logf("%d steps take %d bytes", n, info.Size()); info.Size() > int64(n)*500 {
		t.Errorf("%d steps take %d bytes, want at most %v", n, info.Size(), int64(n)*500)
	}
}

// TestBetweenEvents checks that another program can change the file between two events, and that
// the next event keeps the changes.
func TestBetweenEvents(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "g.h5")
	s, err := start(t, dir, "data: {i: int}\nplugins: {decl_hdf5: {file: '@/g.h5', write: {i: {dataset: 'group/${i}'}}}}", nil)
	must(t, err)
	for i := range int32(4) {
		must(t, s.Expose("i", &i, data.Out))
		other, err := hdf5.OpenRW(path)
		must(t, err)
		must(t, other.Root().Delete(fmt.Sprint("group/", i)))
		_, err = other.Root().CreateGroup(fmt.Sprint("group/of another ", i))
		must(t, err, other.Close())
	}
	i := int32(4)
	must(t, s.Expose("i", &i, data.Out), s.Close())
	f, err := hdf5.Open(path)
	must(t, err)
	defer f.Close()
	for i := range 5 {
		for name, want := range map[string]bool{fmt.Sprint("group/", i): i == 4, fmt.Sprint("group/of another ", i): i < 4} {
			if ok, err := f.Root().Exists(name); ok != want || err != nil {
				t.Errorf("`%s` exists: %v, %v", name, ok, err)
			}
		}
	}
}

// BenchmarkEvent writes a step to a file that already has some.
func BenchmarkEvent(b *testing.B) {
	dir := b.TempDir()
	s, err := start(b, dir, "metadata: {i: int}\ndata: {field: {type: array, subtype: double, size: 1000}}\nplugins: {decl_hdf5: {file: '@/g.h5', on_event: step, write: {field: {dataset: 'step ${i:08d}', attributes: {at: $i}}}}}", nil)
	if err != nil {
		b.Fatal(err)
	}
	field := make([]float64, 1000)
	i := int32(0)
	for b.Loop() {
		if err := errors.Join(s.Expose("i", &i, data.Out), s.MultiExpose("step", data.Item{Name: "field", Value: field, Access: data.Out})); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
