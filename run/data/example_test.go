package data_test

import (
	"fmt"
	"log"

	"github.com/pentode-dev/pentode/run/data"
)

// This example has a field whose size is known only when the program runs. A plugin, or
// here the program itself, sees the memory in place and with its type.
func Example() {
	spec := data.Tree(data.Map(
		"logging", "warn",
		"metadata", data.Map("n", "int"),
		"data", data.Map("field", data.Map("type", "array", "subtype", "double", "size", "$n")),
	))
	store, err := data.New(spec, data.Options{})
	if err != nil {
		log.Fatal(err)
	}
	store.OnShare("field", func(name string, ref data.Ref) error {
		memory, err := ref.Read()
		if err != nil {
			return err
		}
		values, err := data.View[float64](memory)
		fmt.Println(name, "is an", ref.Type(), values)
		return err
	})
	n := int32(3)
	if err := store.Expose("n", &n, data.Out); err != nil {
		log.Fatal(err)
	}
	if err := store.Expose("field", []float64{1, 2.5, 4}, data.Out); err != nil {
		log.Fatal(err)
	}
	fmt.Println(store.Expose("field", []float64{1}, data.Out))
	// Output:
	// field is an array double [3] [1 2.5 4]
	// cannot share `field`: its type takes 24 bytes, the memory has 8
}
