package coil_test

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/run/target"
)

// A configuration becomes a target, and the target becomes the flags of a
// compiler.
func ExampleRead() {
	f := source.NewFile("server.coilcfg", `
[Target]
PU = CPU
Architecture = x86
Mode = 64
Features = AVX2, FMA

[Optimization]
Level = 3

[Memory]
Model = Protected
Alignment = 16
StackGrowth = Down
Endianness = Little
`)
	m, err := coil.Read(f, load.NewEnv())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range m.Diagnostics() {
		fmt.Println(d.Span, d.Message)
	}
	flags, notes, err := target.Machines{}.Flags(m.Target(), target.Compiler{Name: "gcc", Major: 14}, target.Compiling)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range notes {
		fmt.Println(n)
	}
	fmt.Println(strings.Join(flags, " "))
	// Output: -m64 -march=x86-64 -mavx2 -mfma -O3
}
