package figures

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
)

// TestAppendJSON checks that any figures are written as encoding/json writes them, so that a
// field added later is not forgotten.
func TestAppendJSON(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var f Figures
		fill(random, reflect.ValueOf(&f).Elem())
		want, err := json.Marshal(&f)
		if err != nil {
			t.Fatal(err)
		}
		if have := f.AppendJSON([]byte("before ")); string(have) != "before "+string(want) {
			t.Fatalf("have %s\nwant %s", have, want)
		}
	}
}

// TestNoNumber checks that the JSON text is still valid if a figure is a number that JSON cannot
// represent.
func TestNoNumber(t *testing.T) {
	f := Figures{Rate: math.Inf(1), Busiest: math.NaN(), Fullest: 0.5}
	var back Figures
	if err := json.Unmarshal(f.AppendJSON(nil), &back); err != nil || back.Rate != 0 || back.Fullest != 0.5 {
		t.Errorf("%+v %v", back, err)
	}
}

var (
	oddTexts   = []string{"", "src", "a.b#1 (full)", `"`, `\`, "<&>", "a\nb", "\x00\x1f\x7f", "Größe", "\u2028\u2029", "\xff\xfe", "😀"}
	oddNumbers = []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e-6, 9.99e-7, 1e20, 1e21, 1e-9, 123456.789, math.MaxFloat64, math.SmallestNonzeroFloat64, 1.0 / 3}
	oddCounts  = []uint64{0, 1, 9, 10, math.MaxInt64, math.MaxUint64}
)

// fill gives every field a value, half of them unusual ones.
func fill(random *rand.Rand, v reflect.Value) {
	odd := random.IntN(2) == 0
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(random, v.Field(i))
		}
	case reflect.Slice:
		if n := random.IntN(4); n > 0 || odd { // else it stays nil
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			fill(random, v.Index(i))
		}
	case reflect.String:
		v.SetString(oddTexts[random.IntN(len(oddTexts))])
	case reflect.Bool:
		v.SetBool(odd)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(count(random, odd)))
	case reflect.Uint64:
		v.SetUint(count(random, odd))
	case reflect.Float64:
		if v.SetFloat(random.ExpFloat64()); odd {
			v.SetFloat(oddNumbers[random.IntN(len(oddNumbers))])
		}
	default:
		panic("a field of kind " + v.Kind().String())
	}
}

func count(random *rand.Rand, odd bool) uint64 {
	if odd {
		return oddCounts[random.IntN(len(oddCounts))]
	}
	return random.Uint64() >> random.IntN(64)
}

func BenchmarkAppendJSON(b *testing.B) {
	f := Of(&flow.Stats{State: flow.Running, Wall: second, Processes: make([]flow.ProcessStats, 40), Edges: make([]flow.EdgeStats, 20)})
	for i := range f.Processes {
		p := &f.Processes[i]
		p.Name, p.Type, p.Rate, p.Busy, p.Waits, p.On = "detector", "numbers", 1234.5678, 1.0/3, 2.0/3, "tracker (full)"
	}
	var text []byte
	for b.ReportAllocs(); b.Loop(); {
		text = f.AppendJSON(text[:0])
	}
}
