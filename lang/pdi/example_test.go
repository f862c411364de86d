package pdi_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
)

// A Go program reads a specification tree, makes the store and shares a field in it.
func ExampleRead() {
	m, err := pdi.Read(source.NewFile("heat.yml", `
logging: error
metadata: {rows: int, cols: int}
data:
  field: {type: array, subtype: double, size: [$rows, '$cols + 2']}
`), load.NewEnv())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range m.Diagnostics() {
		fmt.Println(d.Span, d.Message)
	}
	s, err := data.New(m.Spec(), data.Options{Dialect: m.Dialect()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	rows, cols := int32(2), int32(3)
	s.Expose("rows", &rows, data.Out)
	s.Expose("cols", &cols, data.Out)
	if err := s.Share("field", make([]float64, 2*(3+2)), data.Out); err != nil {
		fmt.Println(err)
		return
	}
	field, _ := s.Ref("field")
	fmt.Println(field.Type(), field.Type().Size())
	fmt.Println(s.Reclaim("field"))
	// Output:
	// array double [2][5] 80
	// <nil>
}
