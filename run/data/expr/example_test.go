package expr_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// names is the smallest scope: 32-bit integers by name.
type names map[string]*expr.Cell

func (n names) Cell(name string) *expr.Cell {
	if n[name] == nil {
		n[name] = &expr.Cell{}
	}
	return n[name]
}

func (names) Deref(expr.Datum) (expr.Datum, error) {
	return expr.Datum{}, fmt.Errorf("no pointers here")
}

func Example() {
	memory := []byte{7, 0, 0, 0}
	scope := names{"iter": {State: expr.Ready, Datum: expr.Datum{Type: expr.Scalar(expr.Int32), Bytes: memory}}}

	when, _ := expr.Compile("$iter % 5 = 0", expr.Documented)
	file, _ := expr.Compile("data_${iter:05d}.h5", expr.Documented)
	write, name := when.Bind(scope), file.Bind(scope)

	for _, memory[0] = range []byte{9, 10} { // the bound expressions see the program's new values
		ok, _ := write.Bool()
		text, _ := name.Text()
		fmt.Println(ok, text)
	}
	wrong, _ := expr.Compile("$iter / 0", expr.Documented)
	_, err := wrong.Bind(scope).Long()
	fmt.Println(err)
	// Output:
	// false data_00009.h5
	// true data_00010.h5
	// division by zero: `10 / 0`
}
