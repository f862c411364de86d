package wire

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// values draws a value of any kind, nested to a depth.
func values(t *rapid.T, depth int) any {
	kinds := 9
	if depth > 0 {
		kinds = 12
	}
	switch rapid.IntRange(0, kinds).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Int64().Draw(t, "int")
	case 2:
		return rapid.Float64().Draw(t, "float")
	case 3:
		return rapid.String().Draw(t, "text")
	case 4:
		return append([]byte{}, rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "bytes")...)
	case 5:
		return rapid.Bool().Draw(t, "bool")
	case 6:
		kind := rapid.SampledFrom([]tensor.Kind{tensor.Uint8, tensor.Int16, tensor.Float32, tensor.Float64, tensor.Bool}).Draw(t, "element")
		a, b := rapid.IntRange(0, 5).Draw(t, "rows"), rapid.IntRange(0, 5).Draw(t, "columns")
		return &tensor.Tensor{Kind: kind, Shape: []int{a, b}, Data: make([]byte, a*b*kind.Size())}
	case 7:
		return pic.Timestamp{Frame: rapid.Int64().Draw(t, "frame"), Time: rapid.Float64().Draw(t, "time")}
	case 8:
		return pic.Detections{{ID: rapid.Int64().Draw(t, "id"), Left: 1.5, Classes: []pic.Class{{Name: rapid.String().Draw(t, "name"), Score: 0.5}}}}
	case 9:
		return pic.Tracks{{ID: 1, States: []pic.TrackState{{Frame: rapid.Int64().Draw(t, "frame"), Detection: pic.Detection{Right: 2}}}}}
	case 10:
		return pic.Homography{Matrix: [9]float64{1, 2, 3}, From: rapid.Int64().Draw(t, "from")}
	case 11:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, values(t, depth-1))
		}
		return list
	}
	members := map[string]any{}
	for _, name := range rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "members") {
		members[name] = values(t, depth-1)
	}
	return members
}

// TestThereAndBack checks that an encoded value decodes to the same value and that no byte is left.
func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []flow.Datum
		for range rapid.IntRange(0, 5).Draw(t, "data") {
			if v := values(t, 3); v != nil {
				list = append(list, flow.Of(v))
			} else {
				list = append(list, rapid.SampledFrom([]flow.Datum{flow.OfEmpty(), flow.OfError("why"), flow.OfFlush()}).Draw(t, "word"))
			}
		}
		var e Encoder
		if err := e.Column(list); err != nil {
			t.Fatal(err)
		}
		d := Decoder{Buf: e.Buf}
		back, err := d.Column(len(list))
		if err != nil || len(d.Buf) > 0 {
			t.Fatalf("%v, %d bytes are left", err, len(d.Buf))
		}
		for i := range list {
			if list[i].Kind() != back[i].Kind() || !reflect.DeepEqual(list[i].Value(), back[i].Value()) {
				t.Fatalf("have %#v, want %#v", back[i].Value(), list[i].Value())
			}
		}
	})
}

// TestStrides checks that an array whose elements are not adjacent is gathered, and that an array with too
// few bytes is refused.
func TestStrides(t *testing.T) {
	for _, c := range []struct {
		kind    tensor.Kind
		shape   []int
		strides []int64
		data    string
		want    string
		err     string
	}{
		{tensor.Uint8, []int{2, 3}, []int64{1, 2}, "abcdef", "acebdf", ""},
		{tensor.Uint8, []int{2, 3}, []int64{3, 1}, "abcdefg", "abcdef", ""},
		{tensor.Uint8, []int{2, 3}, []int64{1, 2}, "abcde", "", "an array of 2 × 3 uint8 needs more than the 5 bytes that were sent with it"},
		{tensor.Uint8, []int{2, 3}, []int64{1 << 30, 1 << 30}, "abcdef", "", "an array of 2 × 3 uint8 needs more than the 6 bytes that were sent with it"},
		{tensor.Uint8, []int{2, 3}, []int64{1, 0}, "abcdef", "", "an array's steps in memory must be positive"},
		{tensor.Uint8, []int{2}, []int64{tensor.MaxBytes}, "ab", "", "an array of 2 uint8 needs more than the 2 bytes that were sent with it"},
		{tensor.Uint8, []int{2}, []int64{tensor.MaxBytes + 1}, "ab", "", "an array's steps in memory must be positive"},
		{tensor.Int16, []int{2, 2}, []int64{2, 4}, "aabbccdd", "aaccbbdd", ""},
		{tensor.Float32, []int{2, 2}, []int64{4, 8}, "aaaabbbbccccdddd", "aaaaccccbbbbdddd", ""},
		{tensor.Float64, []int{2, 1, 2}, []int64{8, 8, 16}, "aaaaaaaabbbbbbbbccccccccdddddddd", "aaaaaaaaccccccccbbbbbbbbdddddddd", ""},
		{tensor.Int16, nil, nil, "ab", "ab", ""},
		{tensor.Int16, nil, nil, "a", "", "an array of one int16 needs more than the 1 bytes that were sent with it"},
		{tensor.Int16, []int{0}, []int64{0}, "", "", ""},
	} {
		size := c.kind.Size()
		for _, n := range c.shape {
			size *= n
		}
		have, err := gather(&tensor.Tensor{Kind: c.kind, Shape: c.shape}, c.strides, []byte(c.data), size)
		if got := fmt.Sprint(err); string(have) != c.want || (err != nil || c.err != "") && got != c.err {
			t.Errorf("%v by %v of %q: have %q, %v; want %q, %s", c.shape, c.strides, c.data, have, err, c.want, c.err)
		}
	}
}

// TestFlatImage checks that an array with two axes is sent as an image with one channel, and an array with
// too many channels as an array.
func TestFlatImage(t *testing.T) {
	for _, c := range []struct {
		shape []int
		want  string
	}{
		{[]int{2, 3}, "3x2"}, {[]int{2, 3, 1}, "3x2"}, {[]int{2, 3, 4}, "3x2"}, {[]int{2, 3, 5}, ""}, {[]int{2, 3, 0}, ""}, {[]int{6}, ""}, {[]int{1, 2, 3, 1}, ""},
	} {
		var e Encoder
		e.array(tensor.Uint8, c.shape...)
		have, err := (&Decoder{Buf: e.Buf}).image()
		got := ""
		if err == nil {
			got = fmt.Sprintf("%dx%d", have.Shape[1], have.Shape[0])
		}
		if got != c.want {
			t.Errorf("%v is %q, %v; want %q", c.shape, got, err, c.want)
		}
	}
}

// TestRecordMembers checks that a member of the wrong kind is an error and a missing one is empty.
func TestRecordMembers(t *testing.T) {
	for _, c := range []struct {
		name    string
		members map[string]any
		want    any
	}{
		{"detections", map[string]any{}, pic.Detections{}},
		{"tracks", map[string]any{"tracks": []any{}}, pic.Tracks{}},
		{"detections", map[string]any{"objects": 3}, nil},
		{"tracks", map[string]any{"tracks": "none"}, nil},
	} {
		got, err := fromRecord(c.name, c.members)
		if (err != nil) != (c.want == nil) || c.want != nil && fmt.Sprintf("%T%v", got, got) != fmt.Sprintf("%T%v", c.want, c.want) {
			t.Errorf("%s %v: %v, %v", c.name, c.members, got, err)
		}
	}
}

// TestNoForm checks that the error for a value that cannot be encoded names its type.
func TestNoForm(t *testing.T) {
	deep := any(nil)
	for range 100 {
		deep = []any{deep}
	}
	for _, v := range []any{make(chan int), struct{}{}, uint64(1) << 63, deep} {
		var e Encoder
		if err := e.Datum(flow.Of(v)); err == nil {
			t.Errorf("%T was encoded, want one", v)
		}
	}
}

// FuzzDecode checks that decoding any bytes ends without a panic, and that a decoded value is unchanged
// after encoding and decoding it again.
func FuzzDecode(f *testing.F) {
	var e Encoder
	for _, v := range []any{int64(1), "x", &tensor.Tensor{Kind: tensor.Uint8, Shape: []int{2}, Data: []byte{1, 2}}, pic.Detections{{ID: 1}}, map[string]any{"a": []any{1.5}}} {
		e.Datum(flow.Of(v))
	}
	f.Add(e.Buf, uint8(5))
	f.Add([]byte{0, 5, 'B', 1, 255, 255, 255, 255, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}, uint8(1))
	memory := make([]byte, 4096)
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		d := Decoder{Buf: data, Theirs: memory, Ours: memory}
		list, err := d.Column(int(n))
		if err != nil {
			return
		}
		var e, again Encoder
		if err := e.Column(list); err != nil {
			t.Fatal(err)
		}
		back := Decoder{Buf: e.Buf, Theirs: memory, Ours: memory}
		if list, err = back.Column(int(n)); err != nil {
			t.Fatal(err)
		}
		if err := again.Column(list); err != nil || !bytes.Equal(e.Buf, again.Buf) {
			t.Fatalf("%q became %q, %v", e.Buf, again.Buf, err)
		}
	})
}

// BenchmarkGather copies a plane of a megabyte whose first axis is the fastest, as in Fortran.
func BenchmarkGather(b *testing.B) {
	t := tensor.New(tensor.Float64, 256, 512)
	b.SetBytes(int64(len(t.Data)))
	for b.Loop() {
		if _, err := gather(t, []int64{8, 8 * 256}, t.Data, len(t.Data)); err != nil {
			b.Fatal(err)
		}
	}
}
