package expr_test

import (
	"testing"

	"github.com/pentode-dev/pentode/run/data/expr"
)

func benchScope(b *testing.B) *scope {
	s := newScope()
	s.declare(b, "metadata: {i: int, j: int, k: int, d: double, arr: {type: array, subtype: int, size: 4}}",
		[][2]string{{"i", "5"}, {"j", "12"}, {"k", "3"}, {"d", "1.5"}, {"arr", "[1, 2, 3, 4]"}})
	return s
}

func bind(b *testing.B, text string) *expr.Bound {
	b.Helper()
	p, err := expr.Compile(text, expr.Documented)
	if err != nil {
		b.Fatal(err)
	}
	return p.Bind(benchScope(b))
}

func BenchmarkLong(b *testing.B) {
	for _, text := range []string{"42", "$i", "${arr[2]}", "1 + 2 * 3", "$i + $j * $k", "$i > 3 & $i < 10"} {
		b.Run(text, func(b *testing.B) {
			x := bind(b, text)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.Long(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDouble(b *testing.B) {
	x := bind(b, "$d")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := x.Double(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkText(b *testing.B) {
	for _, text := range []string{"data_${i}.h5", "data_${i:05d}_${j:03d}.h5", "$i"} {
		b.Run(text, func(b *testing.B) {
			x := bind(b, text)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.Text(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("append", func(b *testing.B) {
		x := bind(b, "data_${i:05d}_${j:03d}.h5")
		buf := make([]byte, 0, 64)
		b.ReportAllocs()
		for b.Loop() {
			var err error
			if buf, err = x.AppendText(buf[:0]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkCompile(b *testing.B) {
	for _, text := range []string{"$i", "$i + $j * $k", "data_${i:05d}_${j:03d}.h5"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := expr.Compile(text, expr.Documented); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
