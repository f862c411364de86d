package target_test

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/run/target"
)

// Code for a machine with AVX2 does not run on a machine without it. Flags shows how to build for each.
func Example() {
	var machines target.Machines // with the tables of this program
	old := machines.Default("CPU", "x86", 64)
	fast := machines.Default("CPU", "x86", 64)
	fast.Features = append(fast.Features, "AVX2")
	fmt.Println("old code on the fast one:", machines.Compat(old, fast, target.Run).OK())
	fmt.Println("fast code on the old one:", machines.Compat(fast, old, target.Run))
	flags, _, err := machines.Flags(fast, target.Compiler{Name: "gcc", Major: 14}, target.Compiling)
	fmt.Println(strings.Join(flags, " "), err)
	// Output:
	// old code on the fast one: true
	// fast code on the old one: lacks `AVX2`
	// -m64 -march=x86-64 -mavx2 -O1 <nil>
}
