// Command bench runs the benchmarks of all engines and of the language server,
// and prints one table.
//
//	go run ./bench                 every engine, and the language server
//	go run ./bench ./run/flow      one engine
//	go run ./bench -time 1s ./...  also the languages, and longer
//
// If another program does the same work, the table compares with it: with a C benchmark of the same
// work, measured at the same time on the same machine, or with the figures of the original program
// in compare.go. Other programs on the machine disturb the figures; the ratios to the C benchmarks
// suffer least.
//
//	go test -bench ──▶ parse ──▶ []result ──▶ compare ──▶ table
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	duration := flag.String("time", "200ms", "how long to run each benchmark")
	match := flag.String("bench", ".", "which benchmarks, as a regular expression")
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = []string{"./run/...", "./capi/...", "./internal/lsp"}
	}
	args := append([]string{"test", "-run", "^$", "-bench", *match, "-benchmem", "-benchtime", *duration, "-p", "1"}, packages...)
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	results := parse(string(out))
	compare(results)
	fmt.Print(table(results))
	if err != nil {
		for line := range strings.Lines(string(out)) {
			if strings.HasPrefix(line, "FAIL") || strings.HasPrefix(line, "--- FAIL") {
				fmt.Fprint(os.Stderr, line)
			}
		}
		fmt.Fprintln(os.Stderr, "bench: some benchmarks failed")
		os.Exit(1)
	}
}
