package child

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/run/flow"
)

// FuzzAnswer: whatever a program writes, reading it ends without a panic.
// Answers are the same, however they are cut on their way.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte("{\"a\": 1}\n{\"_error\": \"no\"}\n"))
	f.Add([]byte("[1]\nnull\n{\"a\": 1e999}\n{\"a\": NaN}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		whole := newCodec(io.Discard, bytes.NewReader(text))
		cut := newCodec(io.Discard, iotest.OneByteReader(bytes.NewReader(text)))
		for range 1000 {
			a, err := whole.read()
			b, cutErr := cut.read()
			if fmt.Sprint(a, err) != fmt.Sprint(b, cutErr) {
				t.Fatalf("%q is read as %v, %v, and byte by byte as %v, %v", text, a, err, b, cutErr)
			}
			if err != nil {
				return
			}
		}
	})
}

// TestRoundTrip: what is written reads back equal.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := map[string]flow.Datum{}
		var names []string
		var list []flow.Datum
		for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,8}`), 0, 5, rapid.ID[string]).Draw(t, "names") {
			d := flow.OfEmpty()
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				d = flow.OfInt(rapid.Int64().Draw(t, "int"))
			case 1:
				d = flow.OfFloat(float64(rapid.Int32().Draw(t, "n")) + 0.5)
			case 2:
				d = flow.OfText(rapid.String().Draw(t, "text"))
			}
			data[name] = d
			names, list = append(names, name), append(list, d)
		}
		var b bytes.Buffer
		if err := newCodec(&b, nil).write(names, list); err != nil {
			t.Fatal(err)
		}
		back, err := newCodec(io.Discard, &b).read()
		if err != nil || !reflect.DeepEqual(back, data) {
			t.Fatalf("have %v %v, want %v", back, err, data)
		}
	})
}

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"a b  c":          {"a", "b", "c"},
		"sh -c 'x \"y\"'": {"sh", "-c", `x "y"`},
		`a "" b'c'd`:      {"a", "", "bcd"},
		"":                nil, "  ": nil, "'a": nil,
	} {
		have, err := split(text)
		if !reflect.DeepEqual(have, want) || (want == nil) != (err != nil) {
			t.Errorf("%q: have %q %v, want %q", text, have, err, want)
		}
	}
}
