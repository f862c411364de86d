package table_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

// An architecture is found by any of its names. The name x86_64 implies the mode, too.
func ExampleTables_Arch() {
	arch, mode := builtin.Tables().Arch("CPU", "x86_64")
	fmt.Println(arch.Name, mode)
	// Output:
	// x86 64
}
