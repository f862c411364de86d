package netcdf

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// BenchmarkWrite writes 64 MB at once and as records, alternating with libnetcdf. The metric `libnetcdf` is how
// many times as fast we are. The files are new: if a file is replaced, the system needs time to free the old one,
// which we do in the background and libnetcdf does at once.
func BenchmarkWrite(b *testing.B) {
	const rows, columns, records = 2048, 4096, 16
	field := make([]byte, 8*rows*columns)
	for i := range field {
		field[i] = byte(i)
	}
	program := build(b, "write.c")
	for _, how := range []string{"whole", "records"} {
		b.Run(how, func(b *testing.B) {
			cmd := exec.CommandContext(b.Context(), program, how)
			in, err := cmd.StdinPipe()
			must(b, err)
			out, err := cmd.StdoutPipe()
			must(b, err)
			must(b, cmd.Start())
			answers := bufio.NewScanner(out)
			dir := b.TempDir()
			var ours, theirs time.Duration
			b.SetBytes(int64(len(field)))
			for b.Loop() {
				must(b, os.RemoveAll(filepath.Join(dir, "ours.nc")))
				must(b, os.RemoveAll(filepath.Join(dir, "theirs.nc")))
				begun := time.Now()
				h, err := Create(filepath.Join(dir, "ours.nc"))
				must(b, err)
				if how == "whole" {
					writeRecords(b, h, field, Shape{Type: hdf5.IEEE(8), Dimensions: []Dimension{{Name: "y", Size: rows}, {Name: "x", Size: columns}}}, 1)
				} else {
					writeRecords(b, h, field, Shape{Type: hdf5.IEEE(8), Dimensions: []Dimension{{Name: "y", Unlimited: true}, {Name: "x", Size: rows * columns / records}}}, records)
				}
				must(b, h.Close())
				ours += time.Since(begun)

				_, err = fmt.Fprintln(in, filepath.Join(dir, "theirs.nc"))
				must(b, err)
				if !answers.Scan() {
					b.Fatal(answers.Err())
				}
				n, err := strconv.ParseInt(strings.TrimSpace(answers.Text()), 10, 64)
				must(b, err)
				theirs += time.Duration(n)
			}
			must(b, in.Close())
			must(b, cmd.Wait())
			b.ReportMetric(float64(theirs)/float64(ours), "libnetcdf")
		})
	}
}

// writeRecords writes a field as one variable, in equal parts along its first dimension.
func writeRecords(b *testing.B, h *hdf5.File, field []byte, s Shape, parts int) {
	d, _, err := Define(h, "field", s)
	must(b, err)
	for i := range parts {
		var at hdf5.Slab
		if parts > 1 {
			at = hdf5.Slab{Start: []uint64{uint64(i), 0}, Count: []uint64{1, d.Space().Dims[1]}}
			must(b, Grow(h, d, []uint64{uint64(i + 1), 0}))
		}
		n := len(field) / parts
		must(b, d.Write(field[i*n:(i+1)*n], hdf5.Memory{}, at))
	}
}
