package main

import (
	"strconv"
	"strings"
)

// result is one line of a benchmark's output.
type result struct {
	pkg, name string
	ns        float64 // nanoseconds per operation
	allocs    string
	rates     []string // other figures that the benchmark reports
	against   string   // how the time compares with that of another program
}

const module = "github.com/pentode-dev/pentode/"

// parse reads what `go test -bench` prints.
func parse(text string) []*result {
	var list []*result
	pkg := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if p, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = strings.TrimPrefix(p, module)
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		r := &result{pkg: pkg, name: shortName(fields[0])}
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				break
			}
			switch unit := fields[i+1]; unit {
			case "ns/op":
				r.ns = value
			case "allocs/op":
				r.allocs = fields[i]
			case "B/op":
			default:
				r.rates = append(r.rates, quantity(value)+" "+unit)
			}
		}
		if r.ns == 0 {
			r.allocs = "" // this benchmark times another program, and the allocations would be its own
		}
		list = append(list, r)
	}
	return list
}

// shortName removes the word Benchmark and the number of processors.
func shortName(name string) string {
	name = strings.TrimPrefix(name, "Benchmark")
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		if _, err := strconv.Atoi(name[i+1:]); err == nil {
			name = name[:i]
		}
	}
	return name
}

func quantity(v float64) string {
	for _, unit := range []struct {
		size   float64
		letter string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= unit.size {
			return strconv.FormatFloat(v/unit.size, 'f', 1, 64) + unit.letter
		}
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}
