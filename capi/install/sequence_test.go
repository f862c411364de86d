package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unsafe"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data"
)

// sequenceTree is the tree of testdata/sequence.c.
const sequenceTree = `
logging: off
metadata: {m: int, n: int}
data:
  d: int
  a: {type: array, subtype: int, size: $n}
  r: {type: struct, members: [{i: int}, {x: double}]}
  s: {type: array, subtype: int, size: [4, 4], subsize: ['$n', 2], start: [0, '$m']}
`

// call is one line of the program's input.
type call struct {
	what, name string
	number     int
}

// TestSequences makes the same calls through the C interface and directly on the store, and
// compares the status of each.
func TestSequences(t *testing.T) {
	p := prefix(t)
	count := 300
	if need.Full() {
		count = 5000
	}
	calls := randomCalls(rand.New(rand.NewPCG(1, 2)), count)
	var in strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&in, "%s %s %d\n", c.what, c.name, c.number)
	}
	cmd := exec.Command(compile(t, p, "sequence.c"))
	cmd.Stdin = strings.NewReader(in.String())
	cmd.Env = append(os.Environ(), "PENTODE_CHECK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(calls) {
		t.Fatalf("%d calls gave %d results, want %v", len(calls), len(lines), len(calls))
	}
	e := engine{t: t, value: 1}
	for i, c := range calls {
		got, message, _ := strings.Cut(lines[i], " ")
		if want := fmt.Sprint(e.play(c)); got != want {
			t.Fatalf("call %d, %v, gives %s %s in C, %s in Go", i+1, c, got, message, want)
		}
	}
}

func randomCalls(r *rand.Rand, count int) []call {
	kinds := strings.Fields("share share share share null expose expose multi access access access access release release release reclaim reclaim reclaim event value")
	names := []string{"m", "n", "d", "a", "r", "s", "undeclared"}
	var list []call
	for range count {
		list = append(list, call{"init", "-", 0})
		for range 3 + r.IntN(15) {
			c := call{kinds[r.IntN(len(kinds))], names[r.IntN(len(names))], r.IntN(4)}
			if c.what == "value" {
				c.number = r.IntN(3)
			}
			list = append(list, c)
		}
		list = append(list, call{"finalize", "-", 0})
	}
	return list
}

// engine makes the calls in Go.
type engine struct {
	t     *testing.T
	store *data.Store
	value int
	kept  [][]byte
}

// memory returns new memory with the current value, which lives as long as the store.
func (e *engine) memory() unsafe.Pointer {
	b := make([]byte, 4096)
	binary.NativeEndian.PutUint32(b, uint32(e.value))
	e.kept = append(e.kept, b)
	return unsafe.Pointer(&b[0])
}

// play makes a call and returns its status, or 100 and the first integer of an access.
func (e *engine) play(c call) int {
	access := data.Access(c.number)
	switch c.what {
	case "init":
		store, err := data.New(data.Tree(datatest.Tree(e.t, sequenceTree)), data.Options{Dialect: data.Upstream})
		if err != nil {
			e.t.Fatal(err)
		}
		e.store, e.kept = store, nil
		return 0
	case "value":
		e.value = c.number
		return 0
	case "access":
		memory, err := e.store.Access(c.name, access)
		if err == nil && memory != nil {
			return 100 + int(*(*int32)(unsafe.Pointer(unsafe.SliceData(memory)))) // an undeclared datum has no size
		}
		if err == nil {
			return 100
		}
		return int(data.StatusOf(err))
	}
	return int(data.StatusOf(e.call(c, access)))
}

func (e *engine) call(c call, access data.Access) error {
	switch c.what {
	case "share":
		return e.store.ShareAt(c.name, e.memory(), access)
	case "null":
		return e.store.ShareAt(c.name, nil, access)
	case "expose":
		return e.expose(c.name, access)
	case "multi":
		return e.multi(c.name, access)
	case "release":
		return e.store.Release(c.name)
	case "reclaim":
		return e.store.Reclaim(c.name)
	case "event":
		return e.store.Event(c.name)
	}
	return e.store.Close()
}

func (e *engine) expose(name string, access data.Access) error {
	if err := e.store.ShareAt(name, e.memory(), access); err != nil {
		return err
	}
	return e.store.Reclaim(name)
}

// multi shares a datum and `d` for an event.
func (e *engine) multi(name string, access data.Access) error {
	if err := e.store.ShareAt(name, e.memory(), access); err != nil {
		return err
	}
	err := e.expose("d", data.Out)
	if reclaimed := e.store.Reclaim(name); err == nil {
		err = reclaimed
	}
	return err
}
