//go:build linux

package handoff

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// BenchmarkField measures what handing over a field of 1 MB costs the program. It alternates
// with copying the field within the program.
func BenchmarkField(b *testing.B) {
	const size = 1 << 20
	g, taker := meet(b, hello(Latest, 2*size, "field"))
	go drain(taker)
	field, copied := make([]byte, size), make([]byte, size)
	items := []Item{{Kind: tensor.Float64, Shape: []int{256, 512}, Size: size, Bytes: field}}
	for range 10 { // the first rounds allocate the pages
		g.Give(items)
		golden.Until(b, "the taker sleeps", func() bool { return taker.data.word(sleepingAt).Load() != 0 })
	}
	var giving, copying time.Duration
	for b.Loop() {
		field[0]++
		began := time.Now()
		if err := g.Give(items); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		copy(copied, field)
		giving, copying = giving+middle.Sub(began), copying+time.Since(middle)
	}
	b.SetBytes(size)
	b.ReportMetric(float64(giving.Nanoseconds())/float64(b.N), "ns/op")
	b.ReportMetric(float64(giving)/float64(copying), "×memcpy")
}

// BenchmarkNumber hands over eight bytes, to a pipeline that is awake or asleep.
func BenchmarkNumber(b *testing.B) {
	for _, asleep := range []bool{false, true} {
		b.Run(map[bool]string{false: "awake", true: "asleep"}[asleep], func(b *testing.B) {
			g, taker := meet(b, hello(Latest, 4096, "n"))
			if asleep {
				go drain(taker)
			}
			items := []Item{{Kind: tensor.Uint64, Size: 8, Bytes: binary.LittleEndian.AppendUint64(nil, 7)}}
			b.ReportAllocs()
			var giving time.Duration
			for b.Loop() {
				if asleep {
					for taker.data.word(sleepingAt).Load() == 0 {
						time.Sleep(10 * time.Microsecond) // the program does something else, and the taker falls asleep
					}
				}
				began := time.Now()
				if err := g.Give(items); err != nil {
					b.Fatal(err)
				}
				giving += time.Since(began)
			}
			b.ReportMetric(float64(giving.Nanoseconds())/float64(b.N), "ns/op")
		})
	}
}

// drain takes steps until the end.
func drain(taker *Taker) {
	for !taker.isGone() {
		taker.Wait(context.Background())
		_ = taker.Next(func(i Item) { _ = append([]byte(nil), i.Bytes...) })
	}
}
