package child

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// FuzzAnswer checks that reading any output of a program ends without a panic, and gives the same
// answers however the output is split into reads.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte("{\"a\": 1}\n{\"_error\": \"no\"}\n"))
	f.Add([]byte("{\"a\": [[1, 2], [3, 4.5]], \"b\": [[1], []]}\n"))
	f.Add([]byte("[1]\nnull\n{\"a\": 1e999}\n{\"a\": NaN}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		whole := newCodec(io.Discard, bytes.NewReader(text))
		cut := newCodec(io.Discard, iotest.OneByteReader(bytes.NewReader(text)))
		for range 1000 {
			a, err := whole.read()
			b, cutErr := cut.read()
			if !reflect.DeepEqual(a, b) || fmt.Sprint(err) != fmt.Sprint(cutErr) {
				t.Fatalf("%q is read as %v, %v, and byte by byte as %v, %v", text, a, err, b, cutErr)
			}
			if err != nil {
				return
			}
		}
	})
}

// TestRoundTrip checks that a record is unchanged after writing and reading it.
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

// TestArraysOfAnswers checks that lists of numbers become arrays at any depth, and other lists
// stay lists.
func TestArraysOfAnswers(t *testing.T) {
	for text, want := range map[string]string{
		`[[1, 2], [3, 4]]`:          "an array of 2 × 2 int64 [[1,2],[3,4]]",
		` [ 1 , 2.5e0 ] `:           "an array of 2 float64 [1,2.5]",
		`[9223372036854775808, -1]`: "an array of 2 float64 [9.223372036854776e+18,-1]",
		`[]`:                        "an array of 0 float64 []",
		`[[1], [2, 3]]`:             "a list [[1],[2,3]]",
		`[1, "two", null]`:          `a list [1,"two",null]`,
		`[true, false]`:             "a list [true,false]",
		`{"a": [[1, 2]], "b": 1.5}`: `a record {"a":[[1,2]],"b":1.5}`,
		`[1e999]`:                   "error: member `x` of the program's answer: `1e999` is too large for a number",
		`[1, NaN]`:                  "error: the program's answer has a number that is not finite, which JSON cannot represent; send null, or use `format = binary`: `{\"x\": [1, NaN]}`",
		strings.Repeat("[", 100) + strings.Repeat("]", 100): "error: member `x` of the program's answer: it has more than 64 levels",
	} {
		data, err := newCodec(io.Discard, strings.NewReader(`{"x": `+text+"}\n")).read()
		got := fmt.Sprintf("error: %v", err)
		if err == nil {
			var b bytes.Buffer
			if err := newCodec(&b, nil).write([]string{"x"}, []flow.Datum{data["x"]}); err != nil {
				t.Error(err)
			}
			got = data["x"].Noun() + " " + strings.TrimSuffix(strings.TrimPrefix(b.String(), `{"x":`), "}\n")
		}
		if got != want {
			t.Errorf("%s is %s\nwant %s", text, got, want)
		}
	}
	err := newCodec(io.Discard, nil).write([]string{"x"}, []flow.Datum{flow.Of(map[string]any{"a": tensorOf(math.Inf(1))})})
	if err == nil || err.Error() != "an array among the inputs has +Inf, which JSON cannot represent; use `format = binary` or a Python class" {
		t.Error(err)
	}
	if err := newCodec(io.Discard, nil).write([]string{"x"}, []flow.Datum{flow.Of(make(chan int))}); err == nil || strings.Contains(err.Error(), "chan") {
		t.Error(err)
	}
}

func tensorOf(v float64) *tensor.Tensor {
	t := tensor.New(tensor.Float64, 1)
	t.SetFloats(0, []float64{v})
	return t
}

// BenchmarkJSONArray reads a field of a megabyte of text printed by a program.
func BenchmarkJSONArray(b *testing.B) {
	row := "[" + strings.Repeat("0.123456789,", 255) + "1]"
	line := `{"field":[` + strings.Repeat(row+",", 319) + row + "]}\n"
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := newCodec(io.Discard, strings.NewReader(line)).read(); err != nil {
			b.Fatal(err)
		}
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"a b  c":          {"a", "b", "c"},
		"sh -c 'x \"y\"'": {"sh", "-c", `x "y"`},
		`a "" b'c'd`:      {"a", "", "bcd"},
		"":                nil, "  ": nil, "'a": nil,
	} {
		have, err := Split(text)
		if !reflect.DeepEqual(have, want) || (want == nil) != (err != nil) {
			t.Errorf("%q: have %q %v, want %q", text, have, err, want)
		}
	}
}
