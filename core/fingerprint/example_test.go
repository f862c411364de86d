package fingerprint_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/fingerprint"
)

// A fingerprint does not depend on the order of a set or on a neutral field,
// but on a value.
func ExampleOf() {
	type machine struct {
		Features []string `fingerprint:"set"`
		Comment  string   `fingerprint:"-"`
		Bits     int
	}
	a := fingerprint.Of(machine{[]string{"AVX", "FMA"}, "first", 64})
	b := fingerprint.Of(machine{[]string{"FMA", "AVX"}, "second", 64})
	c := fingerprint.Of(machine{[]string{"FMA", "AVX"}, "second", 32})
	fmt.Println(a == b, b == c)
	// Output:
	// true false
}
