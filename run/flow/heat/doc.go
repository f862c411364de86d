// Package heat is a small scientific code as process types: a plate that is
// heated, its statistics, and its picture.
//
// It is what the example run of the project computes: large enough to have
// fields, steps and images, small enough to read in one sitting. A Field is
// shared by all processes that receive it, so it is not changed once it was
// pushed.
//
//	heat ──field──▶ field_stats ──▶ numbers
//	          └───▶ colormap ──image──▶ image_writer
package heat

import "github.com/pentode-dev/pentode/run/flow"

// FieldType is the type of ports that carry a *Field.
const FieldType = "field:double"

// Field is a grid of numbers, row by row.
type Field struct {
	Rows, Cols int
	Values     []float64
}

// Numbers are its values.
func (f *Field) Numbers() []float64 { return f.Values }

// At is the value at a place.
func (f *Field) At(row, col int) float64 { return f.Values[row*f.Cols+col] }

// Types are the process types of this package.
func Types() []*flow.Type { return []*flow.Type{heatType(), statsType(), colormapType()} }
