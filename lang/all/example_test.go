package all_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/lang/all"
)

func ExampleLanguages() {
	for _, l := range all.Languages(all.Options{}) {
		fmt.Println(l.Role, l.Name, l.Title)
	}
	// Output:
	// TARGET coil COIL configuration
	// LAUNCH paradyn Paradyn
	// FLOW sprokit sprokit
	// DATA pdi PDI specification tree
	// TRACE pinsight PInsight trace configuration
}
