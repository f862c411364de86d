package config_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/run/data/config"
)

// A rule describes what a plugin accepts: here a name, or a mapping with two keys.
func ExampleRule() {
	rule := &config.Rule{Scalar: config.Reads, Keys: []config.Key{
		{Name: "data", Rule: config.OrList(config.Only(config.Reads)), Doc: "What is printed."},
		{Name: "when", Rule: config.Only(config.Condition), Doc: "Whether it is."},
	}}
	fmt.Println(rule.Expected())
	fmt.Println(rule.KeyNames(), rule.Find("when").Doc)
	// Output:
	// the name of a datum or a mapping
	// [data when] Whether it is.
}
