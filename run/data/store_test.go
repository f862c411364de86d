package data_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data"
)

func newStore(t testing.TB, spec string) *data.Store {
	t.Helper()
	s, err := data.New(data.Tree(datatest.Tree(t, spec)), data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func long(t testing.TB, s *data.Store, text string) int64 {
	t.Helper()
	v, err := s.Env().ParseValue(data.Text(text))
	if err != nil {
		t.Fatal(err)
	}
	n, err := v.Long()
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n
}

// must fails the test on the first error.
func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestMemory shares Go memory of every kind and reads it through expressions. Nothing is
// copied, so changes are visible at once.
func TestMemory(t *testing.T) {
	s := newStore(t, "{logging: off, data: {i: int, l: int64, a: {type: array, subtype: int, size: 3}, s: {type: struct, members: [{x: int}, {y: double}]}, w: {type: array, subtype: char, size: 2}}}")
	i, l := int32(1), int64(1)
	a := []int32{1, 2, 3}
	fixed := [3]int32{7, 8, 9}
	type pair struct {
		X int32
		Y float64
	}
	p := pair{X: 5}
	type myInt int32
	mine := myInt(12)
	for _, c := range []struct {
		name   string
		value  any
		text   string
		change func()
		want   int64
	}{
		{"i", &i, "$i", func() { i = 42 }, 42},
		{"l", &l, "$l", func() { l = -3 }, -3},
		{"a", a, "$a[2]", func() { a[2] = 33 }, 33},
		{"a", &fixed, "$a[0]", func() { fixed[0] = 70 }, 70},
		{"s", &p, "$s.x", func() { p.X = 6 }, 6},
		{"s", []pair{p}, "$s.x + 0", func() {}, 5},
		{"i", &mine, "$i", func() { mine = 13 }, 13},
		{"i", []byte{1, 0, 0, 0}, "$i", func() {}, 1},
	} {
		must(t, s.Share(c.name, c.value, data.Out))
		c.change()
		if got := long(t, s, c.text); got != c.want {
			t.Errorf("%T: %s is %d, want %d", c.value, c.text, got, c.want)
		}
		must(t, s.Reclaim(c.name))
	}
	must(t, s.Share("w", "hi", data.Out))

	for _, c := range []struct {
		value  any
		access data.Access
		want   string
	}{
		{"hi", data.InOut, "cannot share `i`: a Go string cannot be written to: share it with Out, or share a []byte"},
		{42, data.Out, "cannot share `i`: a Go int has no memory to share: pass a pointer to it, or a slice"},
		{[]byte{1, 2}, data.Out, "cannot share `i`: its type takes 4 bytes, the memory has 2"},
		{new(int), data.Out, "cannot share `i`: its type `int` takes 4 bytes, a Go *int has 8"},
		{[]string{"a"}, data.Out, "cannot share `i`: a Go []string is not plain memory: it contains a string"},
		{&struct{ m map[int]int }{}, data.Out, "cannot share `i`: a Go *struct { m map[int]int } is not plain memory: it contains a map[int]int"},
		{&struct{ p *int }{}, data.InOut, "cannot share `i`: a Go *struct { p *int } contains a *int and may not be written to: share it with Out"},
		{nil, data.Out, "cannot share `i`: there is no memory, and its type takes 4 bytes"},
		{(*int32)(nil), data.In, "cannot share `i`: there is no memory, and its type takes 4 bytes"},
	} {
		if err := s.Share("i", c.value, c.access); err == nil || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
	memory, err := s.Access("w", data.In)
	must(t, err)
	if view, err := data.View[uint8](memory); err != nil || string(view) != "hi" {
		t.Errorf("got %q, %v", view, err)
	}
	if _, err := data.View[int64](memory); err == nil {
		t.Error("two bytes are viewed as int64")
	}
}

// TestMessages checks the texts of the store's error messages.
func TestMessages(t *testing.T) {
	s := newStore(t, "{logging: off, metadata: {m: int}, data: {d: int, a: {type: array, subtype: int, size: $m}}}")
	d := int32(1)
	_, missing := s.Access("d", data.In)
	_, unset := s.Access("m", data.In)
	must(t, s.Share("d", &d, data.Out))
	_, write := s.Access("d", data.Out)
	must(t, s.Reclaim("d"), s.Share("d", &d, data.InOut))
	_, err := s.Access("d", data.Out)
	must(t, err)
	_, busy := s.Access("d", data.In)
	must(t, s.Release("d"))
	_, err = s.Access("d", data.In)
	must(t, err)
	_, reading := s.Access("d", data.Out)
	must(t, s.Begin("t"))
	for _, c := range []struct {
		err  error
		want string
	}{
		{missing, "`d` is not shared"},
		{unset, "cannot access `m`: it was never given a value"},
		{write, "cannot access `d`: it may not be written"},
		{busy, "cannot access `d`: it is being written"},
		{reading, "cannot access `d`: it is being read"},
		{s.Reclaim("a"), "cannot reclaim `a`: it is not shared"},
		{s.Release("m"), "cannot release `m`: it is not shared"},
		{s.Share("m", &d, data.In), "cannot share `m`: metadata must be readable: share it with Out"},
		{s.Begin("u"), "the transaction `t` is still open: end it before you begin another one"},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", c.err, c.want)
		}
	}
	if err := s.Share("a", []int32{1}, data.Out); data.StatusOf(err) != data.StatusPermission || !strings.HasPrefix(err.Error(), "spec.yml:1:") {
		t.Errorf("a size without a value: %v", err)
	}
	must(t, s.End(), s.Close())
	if err := s.Event("e"); data.StatusOf(err) != data.StatusState {
		t.Errorf("a closed store: %v", err)
	}
}

// TestMetadata checks that metadata stores copies without holes: copies of a slice, of a record with
// holes, and of a value whose type changed.
func TestMetadata(t *testing.T) {
	s := newStore(t, `
logging: off
metadata:
  n: int
  v: {type: array, subtype: int, size: $n}
  slice: {type: array, subtype: int, size: [3, 4], start: [1, 1], subsize: [2, 2]}
  rec: {type: record, buffersize: 32, members: {b: {disp: 24, type: int}, a: {disp: 3, type: char}}}
`)
	n := int32(2)
	must(t, s.Expose("n", &n, data.Out))
	v := []int32{1, 2}
	must(t, s.Expose("v", v, data.Out))
	v[0] = 100 // belongs to the program again: the copy stays
	if got := long(t, s, "$v[0] + 10 * $v[1]"); got != 21 {
		t.Errorf("v: %d, want 21", got)
	}
	n = 3
	must(t, s.Expose("n", &n, data.Out))
	if got := long(t, s, "$v[1]"); got != 2 {
		t.Errorf("the copy keeps its type: %d, want 2", got)
	}
	must(t, s.Expose("v", []int32{4, 5, 6}, data.Out))
	if got := long(t, s, "$v[2]"); got != 6 {
		t.Errorf("v: %d, want 6", got)
	}
	var grid [12]int32
	for i := range grid {
		grid[i] = int32(i)
	}
	must(t, s.Share("slice", &grid, data.Out))
	if got := long(t, s, "1000 * $slice[0][0] + $slice[1][1]"); got != 5010 {
		t.Errorf("slice, shared: %d; want 5010", got)
	}
	must(t, s.Reclaim("slice"))
	if got := long(t, s, "1000 * $slice[0][0] + $slice[1][1]"); got != 5010 {
		t.Errorf("slice, kept: %d; want 5010", got)
	}
	memory, err := s.Access("slice", data.In)
	must(t, err)
	if len(memory) != 16 {
		t.Errorf("the copy of a slice has %d bytes, want 16", len(memory))
	}
	must(t, s.Release("slice"))
	// Reclaiming an access takes the memory away from the store, not the value.
	memory, err = s.Access("n", data.In)
	must(t, err)
	must(t, s.Reclaim("n"))
	memory[0] = 77
	if got := long(t, s, "$n"); got != 3 {
		t.Errorf("n after an access was reclaimed: %d", got)
	}
	must(t, s.Expose("n", &n, data.Out))
	rec := make([]byte, 32)
	rec[24], rec[3] = 9, 8
	must(t, s.Expose("rec", rec, data.Out))
	if got := long(t, s, "$rec.b * 10 + $rec.a"); got != 98 {
		t.Errorf("rec: %d, want 98", got)
	}
}

// TestPointers checks that pointers are followed into known memory only.
func TestPointers(t *testing.T) {
	s := newStore(t, `
logging: off
types:
  list: {type: struct, members: [{value: int}, {next: {type: pointer, subtype: list}}]}
data: {l: list}
`)
	type list struct {
		value int32
		next  *list
	}
	tail := &list{value: 2}
	head := &list{value: 1, next: tail}
	must(t, s.Share("l", head, data.Out))
	if got := long(t, s, "$l.value"); got != 1 {
		t.Errorf("head is %d, want 1", got)
	}
	v, err := s.Env().ParseValue(data.Text("$l.next.value"))
	must(t, err)
	if _, err := v.Long(); err == nil || !strings.Contains(err.Error(), "not in memory known to the store") {
		t.Errorf("an unknown pointer is followed: %v", err)
	}
	must(t, s.Reveal(tail))
	if got := long(t, s, "$l.next.value"); got != 2 {
		t.Errorf("tail is %d, want 2", got)
	}
	if v, err := s.Env().ParseValue(data.Text("$l.next.next.value")); err != nil {
		t.Error(err)
	} else if _, err := v.Long(); err == nil || !strings.Contains(err.Error(), "null") {
		t.Errorf("a null pointer is followed: %v", err)
	}
}

// TestCallbacks checks the order of callbacks, that all of them run, and that an error
// undoes a share.
func TestCallbacks(t *testing.T) {
	s := newStore(t, "{logging: off, data: {d: int}}")
	var calls []string
	note := func(what string, err error) data.DataCallback {
		return func(name string, ref data.Ref) error {
			calls = append(calls, what+" "+name)
			return err
		}
	}
	s.OnShare("", note("any", nil))
	s.OnShare("d", note("named", nil))
	s.OnRemove("d", note("gone", nil))
	d := int32(1)
	must(t, s.Expose("d", &d, data.Out))
	if got := strings.Join(calls, ", "); got != "named d, any d, gone d" {
		t.Errorf("calls: %s; want %q", got, "named d, any d, gone d")
	}
	s.OnShare("d", note("bad", errors.New("no room")))
	s.OnShare("d", note("worse", data.Errorf(data.StatusValue, nil, "no sense")))
	err := s.Share("d", &d, data.Out)
	want := "cannot share `d`: while sharing `d`: 2 errors\n * no room\n * no sense"
	if err == nil || err.Error() != want || data.StatusOf(err) != data.StatusMultiple {
		t.Errorf("got %v", err)
	}
	if err := s.Reclaim("d"); data.StatusOf(err) != data.StatusState {
		t.Errorf("the share was not undone: %v", err)
	}
	for range 2 { // both run at each depth
		s.OnEvent("loop", func(string) error { return s.Event("loop") })
	}
	if err := s.Event("loop"); err == nil || !strings.Contains(err.Error(), "plugins trigger each other more than 100 deep") {
		t.Errorf("got %.200v", err)
	}
}

// TestEventBomb checks that events that double at each step are stopped.
func TestEventBomb(t *testing.T) {
	need.Slow(t)
	s := newStore(t, "logging: off")
	for i := range 60 {
		for range 2 {
			s.OnEvent(fmt.Sprint("e", i), func(string) error { return s.Event(fmt.Sprint("e", i+1)) })
		}
	}
	if err := s.Event("e0"); err == nil || !strings.Contains(err.Error(), "plugins trigger each other more than 1048576 times") {
		t.Errorf("got %.200v", err)
	}
	must(t, s.Event("e59"))
}

// TestEarlyUse checks that a tree can declare a name that a plugin has used before.
func TestEarlyUse(t *testing.T) {
	early := data.Plugin{Name: "early", New: func(c *data.Context) error { return c.Expose("d", []byte{1}, data.Out) }}
	spec := data.Tree(datatest.Tree(t, "{logging: off, plugins: {early: }, data: {d: int}}"))
	s, err := data.New(spec, data.Options{Plugins: []data.Plugin{early}})
	must(t, err)
	if err := s.Share("d", []byte{1}, data.Out); data.StatusOf(err) != data.StatusType {
		t.Errorf("got %v", err)
	}
}

// TestOnEmpty checks that a plugin can share a datum when it is needed.
func TestOnEmpty(t *testing.T) {
	s := newStore(t, "{logging: off, data: {d: int}}")
	d := int32(7)
	s.OnEmpty(func(name string) error {
		switch name {
		case "d":
			return s.Share("d", &d, data.Out)
		case "undeclared":
			ref, err := s.Ref("d")
			must(t, err)
			return s.ShareRef(name, ref)
		}
		return errors.New("never heard of it")
	})
	if got := long(t, s, "$d + 1"); got != 8 {
		t.Errorf("got %d, want 8", got)
	}
	if got := long(t, s, "$undeclared + 2"); got != 9 {
		t.Errorf("got %d, want 9", got)
	}
	if _, err := s.Access("e", data.In); err == nil || !strings.Contains(err.Error(), "never heard of it") {
		t.Errorf("got %v", err)
	}
}

// TestRef checks that a Ref ends with its datum, even if the store reuses the buffer.
func TestRef(t *testing.T) {
	s := newStore(t, "{logging: off, data: {d: int, e: int}}")
	d, e := int32(1), int32(2)
	must(t, s.Share("d", &d, data.Out))
	ref, err := s.Ref("d")
	must(t, err)
	if b, err := ref.Read(); err != nil || b[0] != 1 || ref.Type().Size() != 4 {
		t.Errorf("got %v, %v", b, err)
	}
	if _, err := ref.Write(); data.StatusOf(err) != data.StatusPermission {
		t.Errorf("got %v", err)
	}
	must(t, s.Reclaim("d"), s.Share("e", &e, data.InOut))
	if _, err := ref.Read(); err == nil || ref.Type() != nil {
		t.Error("a reclaimed datum is read")
	}
	if err := s.ShareRef("f", ref); data.StatusOf(err) != data.StatusPermission {
		t.Errorf("got %v", err)
	}
	ref, _ = s.Ref("e")
	must(t, s.ShareRef("alias", ref))
	_, err = s.Access("alias", data.Out)
	must(t, err)
	if _, err := s.Access("e", data.In); data.StatusOf(err) != data.StatusPermission {
		t.Errorf("two names of one memory do not share its lock: %v", err)
	}
	must(t, s.Release("alias"), s.Release("alias"))
	if got := long(t, s, "$e"); got != 2 {
		t.Errorf("got %d, want 2", got)
	}
}

// TestStoreLaws runs random calls against a model of the rules: which data is shared, who
// holds which lock, and which values metadata keeps.
func TestStoreLaws(t *testing.T) {
	type held struct {
		value       int32
		granted     data.Access
		read, write bool
		share       int // the share that it belongs to
	}
	rapid.Check(t, func(t *rapid.T) {
		s, err := data.New(data.Tree(data.Map("logging", "off", "data", data.Map("d", "int"))), data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var stack []held
		gone := map[int]bool{}
		shares := 0
		locks := func(share int) (readers, writers int) {
			for _, h := range stack {
				if h.share == share && h.read {
					readers++
				}
				if h.share == share && h.write {
					writers++
				}
			}
			return
		}
		check := func(what string, err error, want data.Status) {
			if data.StatusOf(err) != want {
				t.Fatalf("%s: %v %v, want %v; stack %+v", what, data.StatusOf(err), err, want, stack)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"share": func(t *rapid.T) {
				shares++
				v := rapid.Int32().Draw(t, "value")
				a := data.Access(rapid.IntRange(0, 3).Draw(t, "access"))
				check("share", s.Share("d", &v, a), data.StatusOK)
				stack = append(stack, held{value: v, granted: a, share: shares})
			},
			"access": func(t *rapid.T) {
				a := data.Access(rapid.IntRange(0, 3).Draw(t, "access"))
				memory, err := s.Access("d", a)
				if len(stack) == 0 {
					check("access", err, data.StatusValue)
					return
				}
				top := stack[len(stack)-1]
				readers, writers := locks(top.share)
				in, out := a&data.In != 0, a&data.Out != 0
				want := data.StatusOK
				if !gone[top.share] && (in && (top.granted&data.Out == 0 || writers > 0) || out && (top.granted&data.In == 0 || readers+writers > 0)) {
					want = data.StatusPermission
				}
				check("access", err, want)
				if err == nil {
					if gone[top.share] != (memory == nil) && a != data.None {
						t.Fatalf("memory %v of a datum that is gone: %v, want %v", memory, gone[top.share], data.None)
					}
					top.read, top.write = in && !gone[top.share], out && !gone[top.share]
					stack = append(stack, top)
				}
			},
			"release": func(t *rapid.T) {
				if len(stack) == 0 {
					check("release", s.Release("d"), data.StatusState)
					return
				}
				check("release", s.Release("d"), data.StatusOK)
				stack = stack[:len(stack)-1]
			},
			"reclaim": func(t *rapid.T) {
				if len(stack) == 0 {
					check("reclaim", s.Reclaim("d"), data.StatusState)
					return
				}
				gone[stack[len(stack)-1].share] = true
				check("reclaim", s.Reclaim("d"), data.StatusOK)
				stack = stack[:len(stack)-1]
			},
			"": func(t *rapid.T) {
				v, err := s.Env().ParseValue(data.Text("$d"))
				if err != nil {
					t.Fatal(err)
				}
				got, err := v.Long()
				switch {
				case len(stack) == 0:
					check("$d", err, data.StatusValue)
				default:
					top := stack[len(stack)-1]
					_, writers := locks(top.share)
					if gone[top.share] || top.granted&data.Out == 0 || writers > 0 {
						check("$d", err, data.StatusPermission)
					} else if err != nil || got != int64(top.value) {
						t.Fatalf("$d is %d, %v; want %d", got, err, top.value)
					}
				}
			},
		})
	})
}

// TestFlattenLaw packs random types into their flat form and back.
func TestFlattenLaw(t *testing.T) {
	s := newStore(t, "logging: off")
	rapid.Check(t, func(t *rapid.T) {
		n := randomType(t, 0)
		template, err := data.ParseType(n, &data.Env{})
		if err != nil {
			t.Fatal(err)
		}
		typ, err := template.Evaluate()
		if err != nil {
			t.Fatal(err)
		}
		memory := make([]byte, typ.Size())
		for i := range memory {
			memory[i] = byte(i*7 + 1)
		}
		flat, err := s.Flatten(typ, memory)
		if err != nil {
			t.Fatal(err)
		}
		flat.Pack()
		if !flat.Type.Dense() || flat.Type.DataSize() != typ.DataSize() {
			t.Fatalf("%d bytes of data became %d, want as many, without gaps", typ.DataSize(), flat.Type.DataSize())
		}
		values := func(t data.Type, b []byte) string {
			j := data.JSON{Machine: data.X86_64()}
			return string(j.Append(nil, t, b))
		}
		if a, b := values(typ, memory), values(flat.Type, flat.Bytes); a != b {
			t.Fatalf("%s became %s; want %v", a, b, b)
		}
		before := bytes.Clone(memory)
		for i := range flat.Bytes {
			flat.Bytes[i] ^= 0xff
		}
		flat.Unpack()
		changed := 0
		for i := range memory {
			if memory[i] != before[i] {
				changed++
			}
		}
		if int64(changed) != typ.DataSize() {
			t.Fatalf("%d bytes changed, %d carry data", changed, typ.DataSize())
		}
	})
}

func randomType(t *rapid.T, depth int) *data.Node {
	k := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth > 3 {
		k = 0
	}
	switch k {
	case 1, 2:
		size := rapid.IntRange(1, 5).Draw(t, "size")
		used := rapid.IntRange(1, size).Draw(t, "used")
		start := rapid.IntRange(0, size-used).Draw(t, "start")
		return data.Map("type", "array", "subtype", randomType(t, depth+1), "size", size, "subsize", used, "start", start)
	case 3:
		members := data.List()
		for i := range rapid.IntRange(1, 4).Draw(t, "members") {
			members.Items = append(members.Items, data.Map(fmt.Sprintf("m%d", i), randomType(t, depth+1)))
		}
		return data.Map("type", "struct", "members", members)
	case 4:
		elements := data.List()
		for range rapid.IntRange(1, 3).Draw(t, "elements") {
			elements.Items = append(elements.Items, randomType(t, depth+1))
		}
		return data.Map("type", "tuple", "elements", elements)
	}
	return data.Text(rapid.SampledFrom([]string{"int8", "int16", "int", "int64", "uint16"}).Draw(t, "scalar"))
}

func TestCallsAllocateNothing(t *testing.T) {
	s := newStore(t, "logging: error\nmetadata: {m: int}\ndata: {d: int}")
	var d, m int32
	allocs := testing.AllocsPerRun(100, func() {
		must(t, s.Expose("m", &m, data.Out), s.Share("d", &d, data.InOut))
		_, err := s.Access("d", data.In)
		must(t, err, s.Release("d"), s.Event("e"), s.Reclaim("d"))
	})
	if allocs != 0 {
		t.Errorf("%v allocations, want 0", allocs)
	}
}
