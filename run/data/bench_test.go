package data_test

import (
	"fmt"
	"testing"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/run/data"
)

func benchStore(b *testing.B, spec string) *data.Store {
	b.Helper()
	s, err := data.New(data.Tree(datatest.Tree(b, "logging: error\n"+spec)), data.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func BenchmarkShareReclaim(b *testing.B) {
	s := benchStore(b, "data: {d: int}")
	var d int32
	b.ReportAllocs()
	for b.Loop() {
		if s.Share("d", &d, data.Out) != nil || s.Reclaim("d") != nil {
			b.Fatal("failed")
		}
	}
}

func BenchmarkExposeMetadata(b *testing.B) {
	s := benchStore(b, "metadata: {m: int}")
	var m int32
	b.ReportAllocs()
	for b.Loop() {
		if s.Expose("m", &m, data.Out) != nil {
			b.Fatal("failed")
		}
	}
}

func BenchmarkShareAccessReleaseReclaim(b *testing.B) {
	s := benchStore(b, "data: {d: int}")
	var d int32
	b.ReportAllocs()
	for b.Loop() {
		if s.Share("d", &d, data.Out) != nil {
			b.Fatal("failed")
		}
		if _, err := s.Access("d", data.In); err != nil {
			b.Fatal(err)
		}
		if s.Release("d") != nil || s.Reclaim("d") != nil {
			b.Fatal("failed")
		}
	}
}

func BenchmarkExposeArray(b *testing.B) {
	s := benchStore(b, "metadata: {i: int, j: int}\ndata: {a: {type: array, subtype: double, size: [$i, $j]}}")
	i, j := int32(3), int32(4)
	s.Expose("i", &i, data.Out)
	s.Expose("j", &j, data.Out)
	a := make([]float64, 12)
	b.ReportAllocs()
	for b.Loop() {
		if s.Expose("a", a, data.Out) != nil {
			b.Fatal("failed")
		}
	}
}

func BenchmarkEvent(b *testing.B) {
	s := benchStore(b, "data: {d: int}")
	b.ReportAllocs()
	for b.Loop() {
		if s.Event("nobody listens") != nil {
			b.Fatal("failed")
		}
	}
}

func BenchmarkMultiExpose(b *testing.B) {
	s := benchStore(b, "metadata: {i: int}\ndata: {x: double}")
	i, x := int32(1), 2.0
	b.ReportAllocs()
	for b.Loop() {
		err := s.MultiExpose("ev", data.Item{Name: "i", Value: &i, Access: data.Out}, data.Item{Name: "x", Value: &x, Access: data.Out})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNew makes a store of 10,000 three-dimensional arrays. Reading the tree is not
// measured.
func BenchmarkNew(b *testing.B) {
	n := &data.Node{Kind: data.MappingNode}
	for i := range 10_000 {
		size := data.List("$n", "$n + 2", 16)
		n.Pairs = append(n.Pairs, data.Pair{
			Key:   data.Text(fmt.Sprintf("data_%d", i)),
			Value: data.Map("type", "array", "subtype", "double", "size", size),
		})
	}
	spec := data.Tree(data.Map("logging", "error", "metadata", data.Map("n", "int"), "data", n))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := data.New(spec, data.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
