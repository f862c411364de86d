// Package array has the process types for arrays of any kind and origin: from a solver in this
// program, from numpy, or from a program that prints lists.
//
//	array ──▶ slice ──▶ array of fewer axes ──▶ colormap ──▶ image
//	      └─▶ reduce ─▶ sums, means, extremes along axes
//	      └─▶ field_stats ─▶ numbers
//
// The types report what is known about their results before the run (flow.Facts), so that
// `check` finds mistakes such as a cut along the third axis of an array with two.
package array

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Types lists the process types of this package.
func Types() []*pipe.Type {
	return []*pipe.Type{colormapType(), statsType(), sliceType(), reduceType()}
}

// numbersOf parses a list of whole numbers separated by commas.
func numbersOf(text string) ([]int, error) {
	var list []int
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		n, err := strconv.ParseInt(word, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("`%.40s` is not a whole number", word)
		}
		list = append(list, int(n))
	}
	return list, nil
}

// product returns the number of elements of a shape.
func product(shape []int) int {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return n
}

// known reports whether every extent of a shape is known.
func known(shape []int) bool {
	return shape != nil && !slices.ContainsFunc(shape, func(n int) bool { return n < 0 })
}
