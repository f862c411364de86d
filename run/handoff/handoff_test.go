//go:build linux

package handoff

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/handoff/tensor"
	"golang.org/x/sys/unix"
)

// pair makes the two ends of a socket.
func pair(t testing.TB) (a, b *net.UnixConn) {
	t.Helper()
	a, f, err := SocketPair()
	if err != nil {
		t.Fatal(err)
	}
	if b, err = FileConn(f); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

// meet connects a program to a pipeline that wants all of its data.
func meet(t testing.TB, h Hello) (*Giver, *Taker) {
	t.Helper()
	a, b := pair(t)
	met := make(chan *Taker, 1)
	go func() {
		defer close(met)
		taker, err := Take(b)
		if err != nil {
			t.Error(err)
			return
		}
		if err := taker.Accept(h.Data); err != nil {
			t.Error(err)
		}
		met <- taker
	}()
	g, err := Give(context.Background(), a, h)
	if err != nil {
		t.Fatal(err)
	}
	taker := <-met
	t.Cleanup(taker.Close)
	return g, taker
}

func hello(p Policy, step int, names ...string) Hello {
	return Hello{Program: "wave", Data: names, Policy: p, Step: step, Slots: 4}
}

func number(i int, v uint64) Item {
	b := binary.LittleEndian.AppendUint64(nil, v)
	return Item{Index: i, Kind: tensor.Uint64, Size: len(b), Bytes: b}
}

// next waits for a step and copies it.
func next(t testing.TB, taker *Taker) ([]Item, error) {
	t.Helper()
	for {
		taker.Wait(t.Context())
		var items []Item
		err := taker.Next(func(i Item) {
			i.Bytes = bytes.Clone(i.Bytes)
			items = append(items, i)
		})
		if items != nil || err != nil {
			return items, err
		}
	}
}

// TestStep checks that data arrives as it was given: kinds, shapes, texts, and data written by Fill.
func TestStep(t *testing.T) {
	g, taker := meet(t, hello(Block, 1<<16, "n", "field", "name", "sparse"))
	field := make([]byte, 3*4*8)
	for i := range field {
		field[i] = byte(i)
	}
	given := []Item{
		number(0, 7),
		{Index: 1, Kind: tensor.Float64, Shape: []int{3, 4}, Size: len(field), Bytes: field},
		{Index: 2, Kind: Text, Shape: []int{5}, Size: 5, Bytes: []byte("hello")},
		{Index: 3, Kind: tensor.Uint8, Shape: []int{2, 0}, Fill: func([]byte) {}},
	}
	if err := g.Give(given); err != nil {
		t.Fatal(err)
	}
	items, err := next(t, taker)
	if err != nil || len(items) != len(given) {
		t.Fatalf("%d items, %v", len(items), err)
	}
	for i, got := range items {
		want := given[i]
		if got.Index != want.Index || got.Kind != want.Kind || tensor.Extents(got.Shape) != tensor.Extents(want.Shape) || !bytes.Equal(got.Bytes, want.Bytes) {
			t.Errorf("item %d came as %+v, want %+v", i, got, want)
		}
	}
	g.Close()
	if _, err := next(t, taker); !errors.Is(err, io.EOF) {
		t.Errorf("the end is %v", err)
	}
}

// TestPolicies checks that steps arrive complete and in order under every policy. block loses none, latest never loses
// the last one, and missing steps are counted.
func TestPolicies(t *testing.T) {
	const steps = 5000
	for _, policy := range []Policy{Block, Drop, Latest} {
		t.Run(string(policy), func(t *testing.T) {
			g, taker := meet(t, hello(policy, 1<<12, "n", "twice"))
			given := make(chan struct{})
			go func() {
				defer close(given)
				for i := range uint64(steps) {
					if err := g.Give([]Item{number(0, i), number(1, 2*i)}); err != nil {
						t.Error(err)
					}
				}
				g.Close()
			}()
			came, last := 0, -1
			for {
				items, err := next(t, taker)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				n := int(binary.LittleEndian.Uint64(items[0].Bytes))
				if twice := int(binary.LittleEndian.Uint64(items[1].Bytes)); twice != 2*n || n <= last {
					t.Fatalf("step %d has %d, after step %d", n, twice, last)
				}
				came, last = came+1, n
				if n%1000 == 0 {
					time.Sleep(time.Millisecond) // an occasionally slow taker
				}
			}
			<-given
			if _, lost := g.Steps(); came+int(lost) != steps {
				t.Errorf("%d came and %d were lost of %d", came, lost, steps)
			}
			if policy == Block && came != steps || policy == Latest && last != steps-1 {
				t.Errorf("%d came, the last is %d; want came = %v and last = %v", came, last, steps, steps-1)
			}
		})
	}
}

// TestUnread checks that, without a free slot, drop keeps the old steps and latest the newest one.
func TestUnread(t *testing.T) {
	for policy, want := range map[Policy][]uint64{Drop: {0, 1, 2, 3}, Latest: {9}} {
		g, taker := meet(t, hello(policy, 1<<12, "n"))
		for i := range uint64(10) {
			if err := g.Give([]Item{number(0, i)}); err != nil {
				t.Fatal(err)
			}
		}
		g.Close()
		for _, n := range want {
			if items, err := next(t, taker); err != nil || binary.LittleEndian.Uint64(items[0].Bytes) != n {
				t.Errorf("%s: %v, %v where %d was expected", policy, items, err, n)
			}
		}
		if _, err := next(t, taker); !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v follows", policy, err)
		}
	}
}

// TestTakeBack checks that a newer step replaces an unread one in the same memory, and that a taker that was woken
// finds a step, however fast steps come.
func TestTakeBack(t *testing.T) {
	woken := 0
	g := giver{slots: slots{memory: make([]byte, page+4*page), size: page, count: 4}, policy: Latest, wake: func() { woken++ }}
	give := func() int {
		if slot, err := g.begin(); slot == nil || err != nil {
			t.Fatal(err)
		}
		g.commit()
		return g.at
	}
	takes := taker{slots: g.slots, wake: func() {}}
	first := give()
	if again := give(); again != first {
		t.Errorf("a step that was not read lies in slot %d, and the next one in %d", first, again)
	}
	if takes.take() == nil {
		t.Fatal("there is no step")
	}
	if other := give(); other == first {
		t.Error("a slot is written while it is read")
	}
	takes.free()
	if takes.take() == nil {
		t.Fatal("there is no step")
	}
	takes.free()
	g.word(sleepingAt).Store(1)
	if give(); woken != 1 {
		t.Fatal("the taker was not woken")
	}
	for range 3 {
		if slot, _ := g.begin(); slot == nil || !takes.any() {
			t.Error("the taker that was woken finds nothing")
		}
		g.commit()
	}
	if takes.take() == nil {
		t.Fatal("there is no step")
	}
	takes.free()
	if given, lost := (&Giver{data: g}).Steps(); given != 3 || lost != 4 {
		t.Errorf("%d steps were given and %d lost", given, lost)
	}
	if a, b := give(), give(); a != b {
		t.Error("after it took one, it is still taken for on its way")
	}
}

// TestGone checks that each side notices if the other one ends without notice, even while it waits.
func TestGone(t *testing.T) {
	g, taker := meet(t, hello(Block, 1<<12, "n"))
	g.conn.Close()
	if _, err := next(t, taker); !errors.Is(err, ErrLost) {
		t.Errorf("the program is gone: %v", err)
	}
	g, taker = meet(t, hello(Block, 1<<12, "n"))
	blocked := make(chan error)
	go func() {
		for {
			if err := g.Give([]Item{number(0, 0)}); err != nil {
				blocked <- err
				return
			}
		}
	}()
	taker.Close()
	if err := <-blocked; !errors.Is(err, ErrGone) {
		t.Errorf("the pipeline is gone: %v", err)
	}
	if !taker.Ready() || taker.Pending() || taker.Set(nil) == nil {
		t.Error("one that is closed is used")
	}
}

// TestTooLarge checks that a step larger than agreed is refused, that the error names its largest datum, and that the
// next step is handed over.
func TestTooLarge(t *testing.T) {
	g, taker := meet(t, hello(Block, 8192, "n", "field"))
	err := g.Give([]Item{number(0, 1), {Index: 1, Kind: tensor.Uint8, Shape: []int{8192}, Size: 8192, Bytes: make([]byte, 8192)}})
	if large := (*LargeError)(nil); !errors.As(err, &large) || large.Index != 1 || large.Max != 8192 {
		t.Fatal(err)
	}
	if err := g.Give([]Item{number(0, 1)}); err != nil {
		t.Fatal(err)
	}
	if items, err := next(t, taker); err != nil || len(items) != 1 {
		t.Errorf("%v, %v", items, err)
	}
}

// TestKnobs checks that knobs of one change arrive together, that the last of several changes counts, and that changes
// are pending until they are seen.
func TestKnobs(t *testing.T) {
	h := hello(Latest, 1<<12, "n")
	h.Knobs = []Knob{{"dt", "d"}, {"steps", "i"}}
	g, taker := meet(t, h)
	seen := func() (got []Item) {
		if err := g.Knobs(func(i Item) { i.Bytes = bytes.Clone(i.Bytes); got = append(got, i) }); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := seen(); got != nil || taker.Pending() {
		t.Fatalf("knobs that were not set: %v", got)
	}
	for v := range uint64(5) {
		if err := taker.Set([]Item{number(0, v), number(1, v)}); err != nil {
			t.Fatal(err)
		}
	}
	if !taker.Pending() {
		t.Error("the program has not seen them")
	}
	got := seen()
	if len(got) != 2 || binary.LittleEndian.Uint64(got[0].Bytes) != 4 || binary.LittleEndian.Uint64(got[1].Bytes) != 4 {
		t.Errorf("%v, want len(got) = 2, binary.LittleEndian.Uint64(got[0].Bytes) = 4 and binary.LittleEndian.Uint64(got[1].Bytes) = 4", got)
	}
	if taker.Pending() || seen() != nil {
		t.Error("they are seen twice")
	}
}

// TestRefused checks that a pipeline that refuses the data gives a reason.
func TestRefused(t *testing.T) {
	a, b := pair(t)
	go func() {
		taker, err := Take(b)
		if err != nil {
			t.Error(err)
			return
		}
		taker.Refuse("there is no `fild`")
		taker.Close()
	}()
	_, err := Give(context.Background(), a, hello(Block, 1, "n"))
	if no := (*Refusal)(nil); !errors.As(err, &no) || no.Reason != "there is no `fild`" {
		t.Error(err)
	}
	// The wait for a pipeline that never answers is limited by the caller's context.
	a, _ = pair(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := Give(ctx, a, hello(Block, 1, "n")); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	// If the pipeline ends, the error is ErrGone.
	a, b = pair(t)
	b.Close()
	if _, err := Give(t.Context(), a, hello(Block, 1, "n")); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// TestForgedHello checks that a program cannot make a pipeline use memory with other sizes than agreed.
func TestForgedHello(t *testing.T) {
	memory := func(n int, sealed bool) *os.File {
		fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
		if err != nil {
			t.Fatal(err)
		}
		f := os.NewFile(uintptr(fd), "memory")
		t.Cleanup(func() { f.Close() })
		if err := f.Truncate(int64(n)); err != nil {
			t.Fatal(err)
		}
		if sealed {
			unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK)
		}
		return f
	}
	good := hello(Block, 4096, "n")
	good.Protocol = protocol
	down, up := good.down(), good.up()
	other := func(change func(*Hello)) Hello { h := good; change(&h); return h }
	for name, c := range map[string]struct {
		hello Hello
		files []*os.File
		want  string
	}{
		"no memory":     {good, nil, "different versions"},
		"one memory":    {good, []*os.File{memory(down.bytes(), true)}, "different versions"},
		"no seal":       {good, []*os.File{memory(down.bytes(), false), memory(up.bytes(), true)}, "could still shrink it"},
		"too small":     {good, []*os.File{memory(down.bytes()-1, true), memory(up.bytes(), true)}, "were agreed"},
		"small knobs":   {good, []*os.File{memory(down.bytes(), true), memory(1, true)}, "were agreed"},
		"a file":        {good, []*os.File{os.Stdin, os.Stdin}, "could still shrink it"},
		"huge":          {other(func(h *Hello) { h.Step = 1 << 62 }), []*os.File{memory(1, true), memory(1, true)}, "are not valid"},
		"negative":      {other(func(h *Hello) { h.Slots = -1 }), []*os.File{memory(1, true), memory(1, true)}, "are not valid"},
		"many":          {other(func(h *Hello) { h.Slots = 1 << 40 }), []*os.File{memory(1, true), memory(1, true)}, "are not valid"},
		"other version": {other(func(h *Hello) { h.Protocol = 99 }), []*os.File{memory(1, true), memory(1, true)}, "different versions"},
	} {
		a, b := pair(t)
		text, _ := json.Marshal(c.hello)
		var frame bytes.Buffer
		WriteFrame(&frame, frameHello, text)
		if err := SendFiles(a, frame.Bytes(), c.files...); err != nil {
			t.Fatal(err)
		}
		if _, err := Take(b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	a, b := pair(t)
	SendFiles(a, []byte{255, 255, 255, 255, frameHello})
	if _, err := Take(b); err == nil {
		t.Error("a hello of 4 GB is read")
	}
}

// FuzzStep checks that, whatever one side writes to the memory, the other ends with an error and accesses no other memory.
func FuzzStep(f *testing.F) {
	slot := make([]byte, 4096)
	writeStep(slot, []Item{number(0, 1), {Index: 1, Kind: tensor.Float32, Shape: []int{2, 3}, Size: 24, Bytes: make([]byte, 24)}})
	f.Add(slot[:256])
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 'd', 'C', 2, 0, 64, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 127})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < stepHead {
			return
		}
		_ = readStep(b, 3, func(i Item) {
			n := max(i.Kind.Size(), 1)
			for _, k := range i.Shape {
				n *= k
			}
			if n != len(i.Bytes) || i.Index >= 3 {
				t.Errorf("%+v has %d bytes, want n = %v and i.Index less than 3", i, len(i.Bytes), len(i.Bytes))
			}
		})
	})
}

// TestForgedStates checks that invalid states cause neither a hang nor a crash: steps are lost or missing.
func TestForgedStates(t *testing.T) {
	g, taker := meet(t, hello(Latest, 1<<12, "n"))
	for _, forged := range []uint64{1<<63 | full, reading, 1<<64 - 1, 1<<62 | writing, full} {
		for i := range taker.data.count {
			taker.data.state(i).Store(forged)
			for k := range taker.data.slot(i)[:256] {
				taker.data.slot(i)[k] = 0xff
			}
		}
		for range 3 {
			_ = taker.Next(func(Item) {})
			if err := g.Give([]Item{number(0, 1)}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
