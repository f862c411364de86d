package data_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/run/data"
)

// heap is the memory of a program in another language: it records what was allocated and what was freed.
type heap struct {
	live  map[*byte]int
	freed int
	empty bool // allocations fail
}

func (h *heap) memory() data.Memory {
	return data.Memory{
		Alloc: func(size int64) []byte {
			if h.empty {
				return nil
			}
			b := make([]byte, size, max(size, 1))
			h.live[unsafe.SliceData(b)] = int(size)
			return b
		},
		Free: func(b []byte) {
			h.freed++
			delete(h.live, unsafe.SliceData(b))
		},
		Follow: func(at uint64, size int64) []byte {
			for p := range h.live {
				if uint64(uintptr(unsafe.Pointer(p))) == at {
					return unsafe.Slice(p, size)
				}
			}
			return nil
		},
	}
}

func (h *heap) take(bytes ...byte) unsafe.Pointer {
	b := h.memory().Alloc(int64(len(bytes)))
	copy(b, bytes)
	return unsafe.Pointer(unsafe.SliceData(b))
}

func foreignStore(t *testing.T, spec string) (*data.Store, *heap) {
	t.Helper()
	h := &heap{live: map[*byte]int{}}
	s, err := data.New(data.Tree(datatest.Tree(t, spec)), data.Options{Host: data.Host{Memory: h.memory()}})
	must(t, err)
	return s, h
}

// TestForeignMemory checks that memory handed over with Release is freed in the program's heap
// once nothing refers to it, and that reclaimed memory is not freed.
func TestForeignMemory(t *testing.T) {
	s, h := foreignStore(t, "{logging: off, metadata: {m: int}, data: {d: int, e: int}}")
	must(t, s.ShareAt("d", h.take(7, 0, 0, 0), data.InOut))
	ref, err := s.Ref("d")
	must(t, err)
	must(t, s.ShareRef("e", ref), s.Release("d"))
	if h.freed != 0 || long(t, s, "$e") != 7 {
		t.Errorf("%d freed while `e` shows it, want h.freed = 0 and long(t, s, \"$e\") = 7", h.freed)
	}
	must(t, s.Release("e"))
	if h.freed != 1 || len(h.live) != 0 {
		t.Errorf("%d freed, %d live after both names are released", h.freed, len(h.live))
	}
	at := h.take(8, 0, 0, 0)
	must(t, s.ShareAt("d", at, data.Out), s.Reclaim("d"))
	if h.freed != 1 {
		t.Error("reclaimed memory is freed")
	}

	// Released metadata is kept in place until another value replaces it.
	must(t, s.ShareAt("m", at, data.Out), s.Release("m"))
	if long(t, s, "$m") != 8 || h.freed != 1 {
		t.Errorf("m is %d, %d freed; want long(t, s, \"$m\") = 8 and h.freed = 1", long(t, s, "$m"), h.freed)
	}
	if _, err := s.Access("m", data.Out); data.StatusOf(err) != data.StatusPermission {
		t.Errorf("metadata that is kept may be written: %v", err)
	}
	must(t, s.ShareAt("m", h.take(9, 0, 0, 0), data.Out), s.Reclaim("m"))
	if long(t, s, "$m") != 9 || h.freed != 2 {
		t.Errorf("m is %d, %d freed; want long(t, s, \"$m\") = 9 and h.freed = 2", long(t, s, "$m"), h.freed)
	}
	// The kept value is a copy made by the store; the next value overwrites it.
	before := len(h.live)
	must(t, s.ShareAt("m", h.take(10, 0, 0, 0), data.Out), s.Reclaim("m"))
	if long(t, s, "$m") != 10 || len(h.live) != before+1 {
		t.Errorf("m is %d, %d live; want long(t, s, \"$m\") = 10 and len(h.live) = %v", long(t, s, "$m"), len(h.live), before+1)
	}
	must(t, s.Close())
	if h.freed != 3 {
		t.Errorf("%d freed: the store keeps what it made after its end", h.freed)
	}
}

// TestShareAt shares memory by its address alone: the type gives the size.
func TestShareAt(t *testing.T) {
	s, h := foreignStore(t, "{logging: off, metadata: {n: int}, data: {d: int, e: {type: array, subtype: int, size: 4, subsize: 0}, a: {type: array, subtype: int, size: $n}}}")
	at := h.take(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
	must(t, s.ShareAt("d", at, data.InOut))
	memory, err := s.Access("d", data.In)
	must(t, err)
	if !slices.Equal(memory, []byte{1, 2, 3, 4}) {
		t.Errorf("got %v, want %v", memory, []byte{1, 2, 3, 4})
	}
	must(t, s.ShareAt("e", nil, data.InOut), s.ShareAt("d", nil, data.None))
	if memory, err := s.Access("d", data.None); memory != nil || err != nil {
		t.Errorf("nothing was shared, there is %v, %v", memory, err)
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{s.ShareAt("d", nil, data.Out), "cannot share `d`: there is no memory, and its type takes 4 bytes"},
		{s.ShareAt("n", at, data.In), "cannot share `n`: metadata must be readable: share it with Out"},
		{s.ShareAt("a", at, data.Out), "cannot share `a`: "},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("got %v\nwant %s", c.err, c.want)
		}
	}
	must(t, s.ShareAt("e", at, data.Out))
	if _, err := s.Access("e", data.Out); data.StatusOf(err) != data.StatusPermission {
		t.Errorf("shared to be read, it may be written: %v", err)
	}
	must(t, s.ShareAt("e", at, data.In))
	if _, err := s.Access("e", data.In); data.StatusOf(err) != data.StatusPermission {
		t.Errorf("shared to be written, it may be read: %v", err)
	}
	must(t, s.Close())
	if err := s.ShareAt("d", at, data.Out); data.StatusOf(err) != data.StatusState {
		t.Errorf("a closed store: %v", err)
	}
}

// TestNoMemory checks that the message names the size if the program's heap is exhausted.
func TestNoMemory(t *testing.T) {
	s, h := foreignStore(t, "{logging: off, metadata: {m: int}, data: {d: int}}")
	m := h.take(1, 0, 0, 0)
	must(t, s.ShareAt("m", m, data.Out), s.Release("m"))
	v, err := s.Env().ParseValue(data.Text("1 + 1"))
	must(t, err)
	number := data.ScalarOf(data.X86_64(), "int", data.Signed, 4)
	h.empty = true
	must(t, s.ShareAt("m", unsafe.Pointer(new(int32)), data.Out))
	reclaim := s.Reclaim("m")
	_, allocate := s.Allocate(number)
	_, flatten := s.FlattenToShare(number, make([]byte, 4))
	for what, err := range map[string]error{"allocate": allocate, "flatten": flatten, "reclaim": reclaim, "value": s.ShareValue("d", v)} {
		if data.StatusOf(err) != data.StatusSystem || !strings.Contains(err.Error(), "not enough memory for a value of ") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := long(t, s, "$m"); got != 1 {
		t.Errorf("m is %d: the value that could not be kept is", got)
	}
	if _, err := s.Flatten(number, make([]byte, 4)); err != nil {
		t.Errorf("a form that is not shared lies in Go's memory: %v", err)
	}
	if _, err := s.Flatten(number, make([]byte, 3)); data.StatusOf(err) != data.StatusType {
		t.Errorf("three bytes are an int: %v", err)
	}
}

// TestAllocate checks that memory is zeroed and limited.
func TestAllocate(t *testing.T) {
	for text, want := range map[string]string{
		"int": "4 bytes",
		"{type: array, subtype: char, size: 4294967297}": "a value of 4294967297 bytes is larger than the limit of 4294967296 bytes",
	} {
		typ, err := evaluate(t, text, "{}")
		must(t, err)
		b, err := data.Allocate(typ)
		got := fmt.Sprint(len(b), " bytes")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// TestForeignPointers checks that the host is asked for the memory at an address, and that the
// null pointer leads nowhere.
func TestForeignPointers(t *testing.T) {
	s, h := foreignStore(t, "{logging: off, data: {p: {type: pointer, subtype: int}}}")
	target := h.take(42, 0, 0, 0)
	must(t, s.ShareAt("p", unsafe.Pointer(&target), data.Out))
	ref, err := s.Ref("p")
	must(t, err)
	b, err := ref.Read()
	must(t, err)
	found, err := s.Follow(ref.Type().(*data.Pointer), b)
	if err != nil || !slices.Equal(found, []byte{42, 0, 0, 0}) {
		t.Errorf("got %v, %v", found, err)
	}
	flat, err := s.FlattenToShare(ref.Type(), b)
	must(t, err)
	flat.Pack()
	if flat.Type.String() != "int" || !slices.Equal(flat.Bytes, []byte{42, 0, 0, 0}) || h.live[unsafe.SliceData(flat.Bytes)] != 4 {
		t.Errorf("the flat form is %s %v, in the heap: %v; want flat.Type.String() = %q, flat.Bytes = %v and h.live[unsafe.SliceData(flat.Bytes)] = 4", flat.Type, flat.Bytes, h.live, "int", []byte{42, 0, 0, 0})
	}
	if _, err := s.Follow(ref.Type().(*data.Pointer), make([]byte, 8)); err == nil || !strings.Contains(err.Error(), "the pointer is null") {
		t.Errorf("got %v", err)
	}
}

// TestFollow checks that a target is found only if all of it lies in known memory.
func TestFollow(t *testing.T) {
	s := newStore(t, "{logging: off, data: {p: {type: pointer, subtype: {type: array, subtype: int, size: 2}}, a: {type: array, subtype: int, size: 4}}}")
	a := []int32{1, 2, 3, 4}
	must(t, s.Share("a", a, data.InOut))
	at := uint64(uintptr(unsafe.Pointer(&a[0])))
	p, ok := s.Template("p")
	if !ok {
		t.Fatal("`p` has no type")
	}
	typ, _ := p.Constant()
	for offset, want := range map[int64]bool{-4: false, 0: true, 4: true, 8: true, 9: false, 16: false, 20: false} {
		to := at + uint64(offset)
		found, err := s.Follow(typ.(*data.Pointer), unsafe.Slice((*byte)(unsafe.Pointer(&to)), 8))
		if (err == nil) != want || want && (len(found) != 8 || found[0] != byte(a[offset/4])) {
			t.Errorf("%d bytes from the begin: %v, %v", offset, found, err)
		}
	}
	must(t, s.Reclaim("a"))
	if _, err := s.Follow(typ.(*data.Pointer), unsafe.Slice((*byte)(unsafe.Pointer(&at)), 8)); err == nil {
		t.Error("a pointer leads into memory that was reclaimed")
	}
	must(t, s.Share("a", a, data.In))
	if _, err := s.Follow(typ.(*data.Pointer), unsafe.Slice((*byte)(unsafe.Pointer(&at)), 8)); err == nil {
		t.Error("a pointer leads into memory that may not be read")
	}
	if err := s.Reveal(3); data.StatusOf(err) != data.StatusType {
		t.Errorf("a number is memory: %v", err)
	}
	must(t, s.Reveal((*int32)(nil)), s.Reveal(a))
	if _, err := s.Follow(typ.(*data.Pointer), unsafe.Slice((*byte)(unsafe.Pointer(&at)), 8)); err != nil {
		t.Error(err)
	}
}

// TestFlattenBack checks that a type of unlimited size is refused.
func TestFlattenBack(t *testing.T) {
	s := newStore(t, "logging: off")
	list, err := evaluate(t, "list", "{list: {type: struct, members: [{next: {type: pointer, subtype: list}}]}}")
	must(t, err)
	_, err = s.Flatten(list, make([]byte, 8))
	if want := "a `list` leads back to itself and has no flat form"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestShareValue shares the result of an expression: the datum itself, a part of it under the same
// lock, or a new value.
func TestShareValue(t *testing.T) {
	for _, memory := range []data.Memory{{}, (&heap{live: map[*byte]int{}}).memory()} {
		s, err := data.New(data.Tree(datatest.Tree(t, `
logging: off
metadata: {never: int}
data:
  s: {type: struct, members: [{x: int}, {y: double}]}
  p: {type: pointer, subtype: float}
  t: {type: tuple, elements: [int16, uint8]}
  a: {type: array, subtype: int, size: 4, start: 1, subsize: 2}
`)), data.Options{Host: data.Host{Memory: memory}})
		must(t, err)
		value := func(text string) *data.Value {
			t.Helper()
			v, err := s.Env().ParseValue(datatest.Tree(t, text))
			must(t, err)
			return v
		}
		type pair struct {
			x int32
			y float64
		}
		p := pair{x: 5, y: 2.5}
		must(t, s.Share("s", &p, data.Out))
		must(t, s.ShareValue("whole", value("$s")), s.ShareValue("part", value("$s.x")), s.ShareValue("sum", value("$s.x + 1")))
		p.x = 6
		for text, want := range map[string]int64{"$whole.x": 6, "$part": 6, "$sum": 6} {
			if got := long(t, s, text); got != want {
				t.Errorf("%s is %d, want %d", text, got, want)
			}
		}
		p.x = 7
		if long(t, s, "$part") != 7 || long(t, s, "$sum") != 6 {
			t.Error("a part is the memory itself, a sum is not")
		}
		if _, err := s.Access("part", data.Out); data.StatusOf(err) != data.StatusPermission {
			t.Errorf("a part of what may not be written may be: %v", err)
		}
		sum, err := s.Access("sum", data.InOut)
		must(t, err)
		if len(sum) != 8 {
			t.Errorf("a sum has %d bytes, want 8", len(sum))
		}
		must(t, s.Release("sum"), s.Reclaim("part"), s.Reclaim("whole"), s.Share("s", &p, data.InOut), s.ShareValue("part", value("$s.y")))
		_, err = s.Access("part", data.Out)
		must(t, err)
		if _, err := s.Access("s", data.In); data.StatusOf(err) != data.StatusPermission {
			t.Errorf("the whole may be read while its part is written: %v", err)
		}
		must(t, s.Release("part"))

		must(t, s.ShareValue("list", value("[1, 2.5, {a: 3}]")))
		ref, err := s.Ref("list")
		must(t, err)
		b, err := ref.Read()
		must(t, err)
		j := data.JSON{Machine: data.X86_64()}
		if got := string(j.Append(nil, ref.Type(), b)); got != `[1,2.5,{"a":3}]` {
			t.Errorf("a list of values is %s; want %q", got, `[1,2.5,{"a":3}]`)
		}

		must(t, s.ShareValue("null", value("$never")))
		if ref, err := s.Ref("null"); err != nil || ref.Type() != nil {
			t.Errorf("what was never given a value has the type %v, %v", ref.Type(), err)
		}
		if err := s.ShareValue("missing", value("$nosuch")); data.StatusOf(err) != data.StatusValue {
			t.Errorf("got %v", err)
		}
		must(t, s.Close())
		if err := s.ShareValue("late", value("1")); data.StatusOf(err) != data.StatusState {
			t.Errorf("a closed store: %v", err)
		}
	}
}

// TestEvaluate checks the types and layouts of everything that an expression can refer to.
func TestEvaluate(t *testing.T) {
	s := newStore(t, `
logging: off
metadata: {never: int}
types: {list: {type: struct, members: [{v: int}, {next: {type: pointer, subtype: list}}]}}
data:
  s: {type: record, buffersize: 24, members: {x: {disp: 0, type: int16}, f: {disp: 4, type: float}, u: {disp: 8, type: uint64}, b: {disp: 16, type: byte}}}
  p: {type: pointer, subtype: float}
  t: {type: tuple, elements: [int16, uint8]}
  a: {type: array, subtype: double, size: 4, start: 1, subsize: 2}
  l: list
`)
	for name, size := range map[string]int{"s": 24, "p": 8, "t": 4, "a": 32, "l": 16} {
		must(t, s.Share(name, make([]byte, size), data.Out))
	}
	for text, want := range map[string]string{
		"$s": "24/8{x@0:2/2 f@4:4/4 u@8:8/8 b@16:1/1} record", "$p": "8/8 pointer to float", "$t": "4/2{@0:2/2 @2:1/1} tuple",
		"$a": "32/8 array double [1..3 of 4]", "$s.x": "2/2 int16", "$s.f": "4/4 float", "$s.u": "8/8 uint64", "$s.b": "1/1 byte", "$t[1]": "1/1 uint8",
		"$l.next": "8/8 pointer to type that contains it",
	} {
		v, err := s.Env().ParseValue(data.Text(text))
		must(t, err)
		typ, b, err := v.Evaluate()
		must(t, err)
		if got := outline(typ) + " " + typ.String(); got != want || int64(len(b)) != typ.Size() {
			t.Errorf("%s is %s in %d bytes, want %s", text, got, len(b), want)
		}
	}
	v, err := s.Env().ParseValue(data.Text("$l.next"))
	must(t, err)
	next, _, err := v.Evaluate()
	must(t, err)
	record := next.(*data.Pointer).Elem.(*data.Record)
	if back := record.Members[1].Type; back != next {
		t.Errorf("the list leads to %v, not back", back)
	}
	v, err = s.Env().ParseValue(data.Text("$never"))
	must(t, err)
	if _, _, err := v.Evaluate(); data.StatusOf(err) != data.StatusPermission {
		t.Errorf("got %v", err)
	}
	v, err = s.Env().ParseValue(data.Text("$nosuch"))
	must(t, err)
	if _, _, err := v.Evaluate(); data.StatusOf(err) != data.StatusValue {
		t.Errorf("got %v", err)
	}
}

// TestPredefine checks that a metadatum that no tree declares can be added to a store and read by
// expressions.
func TestPredefine(t *testing.T) {
	s := newStore(t, "{logging: off, data: {a: {type: array, subtype: int, size: $n}}}")
	number := data.ScalarOf(data.X86_64(), "int", data.Signed, 4)
	memory := []byte{3, 0, 0, 0}
	must(t, s.Predefine("n", number, memory))
	memory[0] = 4
	if got := long(t, s, "$n"); got != 3 {
		t.Errorf("n is %d, no copy of its value", got)
	}
	must(t, s.Share("a", []int32{1, 2, 3}, data.Out))
	if err := s.Predefine("m", number, memory[:3]); data.StatusOf(err) != data.StatusType {
		t.Errorf("three bytes are an int: %v", err)
	}
	must(t, s.Close())
	if err := s.Predefine("o", number, memory); data.StatusOf(err) != data.StatusState {
		t.Errorf("a closed store: %v", err)
	}
}

// TestHostFiles checks that files are opened below the host's folder, and that none is written
// outside a fenced folder.
func TestHostFiles(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "in"), 0o755), os.WriteFile(filepath.Join(dir, "above"), []byte("here"), 0o644))
	var s *data.Store
	for _, fenced := range []bool{true, false} {
		var err error
		s, err = data.New(data.Tree(data.Map("logging", "off")), data.Options{Host: data.Host{Dir: filepath.Join(dir, "in"), Fenced: fenced}})
		must(t, err)
		f, err := s.Host().Open("../above", os.O_RDONLY, 0)
		must(t, err)
		must(t, f.Close())
		f, err = s.Host().Open("../new", os.O_WRONLY|os.O_CREATE, 0o644)
		if (err == nil) == fenced {
			t.Errorf("fenced %v: %v", fenced, err)
		}
		if err == nil {
			must(t, f.Close())
		}
	}
	if got := s.Host().Path("/x/y"); got != "/x/y" {
		t.Errorf("got %s; want %q", got, "/x/y")
	}
	if got := (&data.Host{}).Path("y"); got != "y" {
		t.Errorf("got %s; want %q", got, "y")
	}
	if _, err := s.Host().Open("nosuch", os.O_RDONLY, 0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestResultsFolder checks that files are written to the folder of results, and that reading looks
// there first.
func TestResultsFolder(t *testing.T) {
	here, out := t.TempDir(), t.TempDir()
	t.Chdir(here)
	for path, text := range map[string]string{"given": "of the run", "both": "of the run", filepath.Join(out, "both"): "a result"} {
		must(t, os.WriteFile(path, []byte(text), 0o666))
	}
	s, err := data.New(data.Tree(datatest.Tree(t, "data: {}")), data.Options{Host: data.Host{Dir: out, Fenced: true}})
	must(t, err)
	h := s.Host()
	for name, want := range map[string]string{"given": "given", "both": filepath.Join(out, "both"), "new": filepath.Join(out, "new"), "/etc/x": "/etc/x"} {
		if got := h.Path(name); got != want {
			t.Errorf("`%s` is read at `%s`, want `%s`", name, got, want)
		}
	}
	f, err := h.Open("given", os.O_WRONLY|os.O_CREATE, 0o666)
	must(t, err)
	must(t, f.Close())
	if _, err := os.Stat(filepath.Join(out, "given")); err != nil {
		t.Errorf("what is written lies beside what was given: %v", err)
	}
}
