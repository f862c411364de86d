package flow

import (
	"fmt"
	"math"
	"strconv"

	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// A Datum is what travels over an edge: a value, or a control word such as flush or complete. Numbers are
// stored without an allocation. The zero Datum is empty.
type Datum struct {
	value any
	bits  uint64
	kind  DatumKind
	form  form
}

// DatumKind is the kind of a datum, in ascending order of importance. If the inputs of a step have data of
// different kinds, the largest kind decides what the engine does.
type DatumKind uint8

const (
	DataKind     DatumKind = iota + 1 // a value
	EmptyKind                         // this step has no value
	ErrorKind                         // there is no value because making it failed; the datum has the reason
	FlushKind                         // the data after this datum do not belong to the data before it
	CompleteKind                      // no more data follow
)

var kindNames = [...]string{"empty", "data", "empty", "error", "flush", "complete"}

// String returns the name of the kind.
func (k DatumKind) String() string { return kindNames[k] }

type form uint8

const (
	formAny form = iota
	formInt
	formFloat
)

// OfInt makes an integer.
func OfInt(i int64) Datum { return Datum{bits: uint64(i), kind: DataKind, form: formInt} }

// OfFloat makes a number.
func OfFloat(f float64) Datum {
	return Datum{bits: math.Float64bits(f), kind: DataKind, form: formFloat}
}

// OfText makes a string.
func OfText(s string) Datum { return Datum{value: s, kind: DataKind} }

// Of makes a datum of any value. Numbers and strings become what OfInt, OfFloat and OfText make, except uint
// and uint64, which may not fit.
func Of(v any) Datum {
	switch v := v.(type) {
	case int:
		return OfInt(int64(v))
	case int8:
		return OfInt(int64(v))
	case int16:
		return OfInt(int64(v))
	case int32:
		return OfInt(int64(v))
	case int64:
		return OfInt(v)
	case uint8:
		return OfInt(int64(v))
	case uint16:
		return OfInt(int64(v))
	case uint32:
		return OfInt(int64(v))
	case float64:
		return OfFloat(v)
	case float32:
		return OfFloat(float64(v))
	}
	return Datum{value: v, kind: DataKind}
}

// OfEmpty makes a datum without a value.
func OfEmpty() Datum { return Datum{kind: EmptyKind} }

// OfError makes an error datum. why is the reason why there is no value.
func OfError(why string) Datum { return Datum{kind: ErrorKind, value: why} }

// OfFlush makes a flush.
func OfFlush() Datum { return Datum{kind: FlushKind} }

// OfComplete makes the end of the data.
func OfComplete() Datum { return Datum{kind: CompleteKind} }

// Kind returns the kind of the datum.
func (d Datum) Kind() DatumKind {
	if d.kind == 0 {
		return EmptyKind
	}
	return d.kind
}

// IsData reports whether the datum has a value.
func (d Datum) IsData() bool { return d.kind == DataKind }

// IsNumber reports whether the value is a number.
func (d Datum) IsNumber() bool { return d.kind == DataKind && d.form != formAny }

// A castError is raised when a step reads a datum as the wrong type; the engine turns it into the error of
// the step.
type castError struct{ want, have string }

func (e *castError) Error() string {
	return fmt.Sprintf("got %s where %s was expected", e.have, e.want)
}

// Noun describes the value for messages: "a number", "an array of 3 × 4 float32".
func (d Datum) Noun() string {
	switch {
	case d.kind != DataKind:
		return "no value (" + d.kind.String() + ")"
	case d.form == formInt:
		return "a whole number"
	case d.form == formFloat:
		return "a number"
	}
	return noun(d.value)
}

// A Noun is a value that can describe itself in messages: "a timestamp". Noun is also called on zero values.
type Noun interface {
	Noun() string
}

// noun describes a value for users, who do not know its Go type.
func noun(v any) string {
	switch v := v.(type) {
	case string:
		return "a string"
	case bool:
		return "true or false"
	case []byte:
		return "bytes"
	case []any, []float64, []string:
		return "a list"
	case map[string]any:
		return "a record"
	case *tensor.Tensor:
		if v == nil {
			return "an array"
		}
		return v.String()
	case Noun:
		return v.Noun()
	}
	return "a value of another type"
}

// Array returns the value as an array. A list of numbers, or of lists of equal length, counts as an array.
// Any other datum ends the step with an error. The array is shared and must not be changed.
func (d Datum) Array() *tensor.Tensor {
	if d.kind == DataKind && d.form == formAny {
		t, err := tensor.Of(d.value)
		if err == nil {
			return t
		}
		if list, ok := d.value.([]any); ok {
			panic(&castError{"an array", fmt.Sprintf("a list of %d that is not an array (%v)", len(list), err)})
		}
	}
	panic(&castError{"an array", d.Noun()})
}

// Int returns the integer. A datum without one ends the step with an error.
func (d Datum) Int() int64 {
	if d.form != formInt || d.kind != DataKind {
		panic(&castError{"a whole number", d.Noun()})
	}
	return int64(d.bits)
}

// Float returns the number; an integer is converted. A datum without a number ends the step with an error.
func (d Datum) Float() float64 {
	switch {
	case d.kind == DataKind && d.form == formFloat:
		return math.Float64frombits(d.bits)
	case d.kind == DataKind && d.form == formInt:
		return float64(int64(d.bits))
	}
	panic(&castError{"a number", d.Noun()})
}

// Text returns the value as text: a string unchanged, a number as digits. Other values end the step with an
// error.
func (d Datum) Text() string {
	switch {
	case d.kind != DataKind:
	case d.form == formInt:
		return strconv.FormatInt(int64(d.bits), 10)
	case d.form == formFloat:
		return strconv.FormatFloat(math.Float64frombits(d.bits), 'g', -1, 64)
	default:
		switch v := d.value.(type) {
		case string:
			return v
		case []byte:
			return string(v)
		case bool:
			return strconv.FormatBool(v)
		case fmt.Stringer:
			return v.String()
		}
	}
	panic(&castError{"text or a number", d.Noun()})
}

// Value returns the value with its Go type: int64, float64, string, or the type given to Of. It returns nil
// if the datum has no value.
func (d Datum) Value() any {
	switch {
	case d.kind != DataKind:
		return nil
	case d.form == formInt:
		return int64(d.bits)
	case d.form == formFloat:
		return math.Float64frombits(d.bits)
	}
	return d.value
}

// As returns the value as a T. A datum without a T ends the step with an error.
func As[T any](d Datum) T {
	if v, ok := d.Value().(T); ok {
		return v
	}
	var want T
	panic(&castError{noun(any(want)), d.Noun()})
}

// Why returns the reason in an error datum.
func (d Datum) Why() string {
	if s, ok := d.value.(string); ok && d.kind == ErrorKind {
		return s
	}
	return ""
}

// A Stamp is the time of a datum: data that belong together have equal stamps.
type Stamp int64
