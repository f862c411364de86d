//go:build linux

package flow_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/plugin"
	"github.com/pentode-dev/pentode/run/data/plugin/flow"
	"github.com/pentode-dev/pentode/run/data/plugin/usercode"
	"github.com/pentode-dev/pentode/run/handoff"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// TestMain is also the program that the plugin starts as the pipeline: it does what the first line of the pipeline's file
// says, and writes the received data to a file next to it.
func TestMain(m *testing.M) {
	if os.Getenv(handoff.SocketVariable) == "" {
		os.Exit(m.Run())
	}
	text, err := os.ReadFile(os.Args[2])
	if err != nil {
		fmt.Println(err)
		os.Exit(9)
	}
	os.Exit(pipeline(strings.TrimSpace(string(text)), os.Args[2]+".log"))
}

func pipeline(does, log string) int {
	if does == "die" {
		return 3
	}
	conn, err := handoff.FileConn(os.NewFile(3, "socket"))
	if err != nil {
		return 9
	}
	t, err := handoff.Take(conn)
	if err != nil {
		return 9
	}
	if does == "refuse" {
		t.Refuse("it wants something else")
		return 1
	}
	turn := func(dt float64, n int32) {
		if err := t.Set([]handoff.Item{
			{Index: 1, Kind: tensor.Float64, Size: 8, Bytes: binary.LittleEndian.AppendUint64(nil, math.Float64bits(dt))},
			{Index: 0, Kind: tensor.Int32, Size: 4, Bytes: binary.LittleEndian.AppendUint32(nil, uint32(n))},
		}); err != nil {
			fmt.Println(err)
		}
	}
	if does == "knobs" {
		turn(0.5, 2)
	}
	wants := t.Hello.Data
	if does == "some" {
		wants = wants[:1]
	}
	if err := t.Accept(wants); err != nil {
		return 9
	}
	if does == "leave" {
		return 4
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d\n", t.Hello.Policy, t.Hello.Step)
	for {
		t.Wait(context.Background())
		line := ""
		err := t.Next(func(i handoff.Item) {
			v := tensor.Tensor{Kind: i.Kind, Shape: i.Shape, Data: i.Bytes}
			line += fmt.Sprintf("%s %s [%s] ", t.Hello.Data[i.Index], string(rune(i.Kind)), tensor.Extents(i.Shape))
			for k := range v.Count() {
				line += string(v.AppendText(nil, k)) + ","
			}
			if i.Kind == handoff.Text {
				line += string(i.Bytes)
			}
			line += " "
		})
		if line != "" {
			fmt.Fprintln(&b, strings.TrimSpace(line))
			if does == "knobs" {
				turn(0.25, 3)
			}
		}
		if err != nil {
			fmt.Fprintln(&b, errors.Is(err, io.EOF))
			os.WriteFile(log, []byte(b.String()), 0o600)
			return 0
		}
	}
}

// bench is a program with a store.
type bench struct {
	*data.Store
	log  strings.Builder
	pipe string
}

func start(t *testing.T, does, spec string, functions map[string]usercode.Function) (*bench, error) {
	t.Helper()
	dir := t.TempDir()
	b := &bench{pipe: filepath.Join(dir, "a b.pipe")}
	if err := os.WriteFile(b.pipe, []byte(does), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PENTODE_PROGRAM", self)
	b.Store, err = data.New(data.Tree(datatest.Tree(t, strings.ReplaceAll(spec, "PIPE", "'"+b.pipe+"'"))), data.Options{
		Plugins: plugin.List(plugin.Program{Functions: usercode.Functions(functions)}),
		Place:   data.Programs,
		Host:    data.Host{Console: &b.log},
	})
	return b, err
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestHand checks that shared data and the data of an event are passed to the pipeline: numbers, texts, arrays, parts of
// arrays. The data of an event form one step.
func TestHand(t *testing.T) {
	b, err := start(t, "take", `
metadata: {n: int, name: {type: array, subtype: char, size: 3}}
data:
  x: double
  a: {type: array, subtype: int16, size: [$n, 3]}
  part: {type: array, subtype: float, size: [4, 4], subsize: [2, 2], start: [1, 1]}
plugins:
  flow: {pipeline: PIPE, on_data: x, on_event: {step: [n, a], other: [part, name]}, policy: block, max_step: 1MB}
`, nil)
	must(t, err)
	n, x, name := int32(2), 1.5, []byte("abc")
	part := make([]float32, 16)
	for i := range part {
		part[i] = float32(i)
	}
	must(t, b.Expose("n", &n, data.Out), b.Expose("name", name, data.Out), b.Expose("x", &x, data.Out))
	a := []int16{1, 2, 3, 4, 5, -6}
	must(t, b.MultiExpose("step", data.Item{Name: "a", Value: a, Access: data.Out}))
	n = 1
	must(t, b.Expose("n", &n, data.Out))
	must(t, b.MultiExpose("step", data.Item{Name: "a", Value: a[:3], Access: data.Out}))
	must(t, b.MultiExpose("other", data.Item{Name: "part", Value: part, Access: data.Out}))
	must(t, b.Share("x", &x, data.In), b.Reclaim("x")) // it has no contents yet
	must(t, b.Close())
	got, err := os.ReadFile(b.pipe + ".log")
	must(t, err)
	want := `block 1048576
x d [] 1.5,
n i [] 2, a h [2 × 3] 1,2,3,4,5,-6,
n i [] 1, a h [1 × 3] 1,2,3,
part f [2 × 2] 5,6,9,10, name c [3] abc
true
`
	if string(got) != want {
		t.Errorf("%s\n%s\nwant %v", got, b.log.String(), want)
	}
	if !strings.Contains(b.log.String(), "4 steps were passed to the pipeline") {
		t.Errorf("%v; want %q in it", b.log.String(), "4 steps were passed to the pipeline")
	}
}

// TestWants checks that data that the pipeline does not use is not copied, and that unneeded data is not requested.
func TestWants(t *testing.T) {
	b, err := start(t, "some", `
data: {x: double, y: double}
plugins: {flow: {pipeline: PIPE, on_data: [x, y], on_event: {step: [y]}}}
`, nil)
	must(t, err)
	x := 1.5
	must(t, b.Expose("x", &x, data.Out), b.Expose("y", &x, data.Out), b.Event("step"), b.Close())
	if got, err := os.ReadFile(b.pipe + ".log"); err != nil || string(got) != "latest 67108864\nx d [] 1.5,\ntrue\n" {
		t.Errorf("%s, %v", got, err)
	}
}

// TestKnobs checks that values set in the pipeline become metadata of the program: at its start, and then at an event, all
// together, before other plugins receive that event.
func TestKnobs(t *testing.T) {
	var heard []string
	var b *bench
	b, err := start(t, "knobs", `
metadata: {n: int, dt: double, name: {type: array, subtype: char, size: 3}}
plugins:
  flow: {pipeline: PIPE, on_event: {step: [n]}, policy: block}
  user_code: {on_event: {step: {look: {}}, late: {look: {}}}}
`, map[string]usercode.Function{"look": func(s *data.Store) error {
		v, err := s.Env().ParseValue(data.Text("$n and $dt"))
		if err != nil {
			return err
		}
		text, err := v.Text()
		heard = append(heard, text)
		return err
	}})
	must(t, err)
	must(t, b.Event("step"))
	golden.Until(t, "the change is seen", func() bool {
		must(t, b.Event("late"))
		last := heard[len(heard)-1]
		if last != "2 and 0.5" && last != "3 and 0.25" {
			t.Fatalf("half of a change is seen: %s, want both settings old or both new", last)
		}
		return last == "3 and 0.25"
	})
	dt := 7.0 // the program may overwrite the value
	must(t, b.Expose("dt", &dt, data.Out), b.Event("late"))
	if heard[0] != "2 and 0.5" || heard[len(heard)-1] != "3 and 7" {
		t.Errorf("%q, want heard[0] = %q and heard[len(heard)-1] = %q", heard, "2 and 0.5", "3 and 7")
	}
	must(t, b.Close())
}

// TestRefused checks errors found when the store is made.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ does, spec, want string }{
		{"die", "plugins: {flow: {pipeline: PIPE}}", "failed at its start with exit code 3"},
		{"refuse", "plugins: {flow: {pipeline: PIPE}}", "does not accept the data: it wants something else"},
		{"", "plugins: {flow: {pipeline: /nowhere/x.pipe}}", "there is no pipeline `/nowhere/x.pipe`"},
		{"", "plugins: {flow: {}}", "the key `pipeline` is missing"},
		{"", "plugins: {flow: {pipeline: ''}}", "`pipeline` does not name a file"},
		{"", "plugins: {flow: {pipeline: PIPE, policy: newest}}", "`policy` is `newest`: expected one of `latest`, `block`, `drop`"},
		{"", "plugins: {flow: {pipeline: PIPE, ranks: all}}", "`ranks` is `all`: expected one of `root`, `each`"},
		{"", "plugins: {flow: {pipeline: PIPE, if_lost: stop}}", "`if_lost` is `stop`"},
		{"", "plugins: {flow: {pipeline: PIPE, max_step: 2GB}}", "`max_step` is `2GB`: expected a number of bytes up to 1073741824"},
		{"", "plugins: {flow: {pipeline: PIPE, on_dat: x}}", "has no key `on_dat`"},
		{"", "plugins: {flow: {pipeline: PIPE, on_data: x}}", "`x` is not declared"},
		{"", "data: {x: int}\nplugins: {flow: {pipeline: PIPE, on_event: {e: [x, x]}}}", "`x` is listed twice for one event"},
		{"", "data: {x: {type: struct, members: [{a: int}]}}\nplugins: {flow: {pipeline: PIPE, on_data: x}}", "pipelines accept numbers, texts and arrays of numbers"},
		{"", "data: {x: {type: real, kind: 16}}\nplugins: {flow: {pipeline: PIPE, on_data: x}}", "which pipelines do not have"},
	} {
		_, err := start(t, c.does, c.spec, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%v\nwant %s", c.spec, err, c.want)
		}
	}
	spec := data.Tree(datatest.Tree(t, "plugins: {flow: {pipeline: /dev/null}}"))
	for variable, want := range map[string]string{"": "there is no program `pentode` in PATH, and PENTODE_PROGRAM is not set", "/nowhere/pentode": "there is no program `/nowhere/pentode`, the value of PENTODE_PROGRAM"} {
		getenv := func(name string) string {
			return map[string]string{"PENTODE_PROGRAM": variable, "PATH": "/nowhere"}[name]
		}
		_, err := data.New(spec, data.Options{Plugins: []data.Plugin{flow.Plugin(flow.Program{Getenv: getenv})}, Host: data.Host{Console: io.Discard}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestLost checks that a program continues without a pipeline that has ended, unless the tree forbids that. A step that is
// too large is an error, but the next one is passed on.
func TestLost(t *testing.T) {
	x := 1.5
	b, err := start(t, "leave", "data: {x: double}\nplugins: {flow: {pipeline: PIPE, on_data: x, policy: block}}", nil)
	must(t, err)
	for !strings.Contains(b.log.String(), "continues without it") {
		must(t, b.Expose("x", &x, data.Out))
	}
	must(t, b.Expose("x", &x, data.Out), b.Event("e"), b.Close())
	if !strings.Contains(b.log.String(), "has ended before the program with exit code 4; the program continues without it") {
		t.Errorf("%v; want %q in it", b.log.String(), "has ended before the program with exit code 4; the program continues without it")
	}
	b, err = start(t, "leave", "data: {x: double}\nplugins: {flow: {pipeline: PIPE, on_data: x, if_lost: fail}}", nil)
	must(t, err)
	for err == nil {
		err = b.Expose("x", &x, data.Out)
	}
	if !strings.Contains(err.Error(), "has ended before the program with exit code 4") {
		t.Error(err)
	}
	_ = b.Close() // reports the error again
	b, err = start(t, "take", "data: {x: double, a: {type: array, subtype: double, size: 1000}}\nplugins: {flow: {pipeline: PIPE, on_data: [x, a], max_step: 4KB, policy: block}}", nil)
	must(t, err)
	if err := b.Expose("a", make([]float64, 1000), data.Out); err == nil || !strings.Contains(err.Error(), "cannot pass `a` to the pipeline: its step has 8064 bytes, but `max_step` is 4096") {
		t.Error(err)
	}
	must(t, b.Expose("x", &x, data.Out), b.Close())
	if got, _ := os.ReadFile(b.pipe + ".log"); !strings.Contains(string(got), "x d [] 1.5") {
		t.Errorf("%s; want %q in it", got, "x d [] 1.5")
	}
}

// TestRanks checks that either the first process of an MPI program passes data on, or each of them.
func TestRanks(t *testing.T) {
	for _, c := range []struct {
		ranks string
		rank  int
		hands bool
	}{{"root", 0, true}, {"root", 1, false}, {"each", 1, true}} {
		dir := t.TempDir()
		pipe := filepath.Join(dir, "p.pipe")
		must(t, os.WriteFile(pipe, []byte("take"), 0o600))
		self, _ := os.Executable()
		getenv := func(name string) string { return map[string]string{"PENTODE_PROGRAM": self}[name] }
		s, err := data.New(data.Tree(datatest.Tree(t, "plugins: {flow: {pipeline: "+pipe+", ranks: "+c.ranks+"}}")),
			data.Options{Plugins: []data.Plugin{flow.Plugin(flow.Program{Getenv: getenv, Rank: c.rank, Size: 2})}, Host: data.Host{Console: io.Discard}})
		must(t, err)
		must(t, s.Close())
		if _, err := os.Stat(pipe + ".log"); (err == nil) != c.hands {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
