package pipe

import (
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// Types of ports that carry arrays. `array` takes any array; `array:float64` fixes the type of its
// elements, `array:2` the number of its axes, `array:float64:2` both. An image is an array of
// height, width and channels, or of height and width.
//
// Two such types fit together if an array can be of both types: a port of type `array:2` can take
// data from a port of type `array:float64:2`, but a port of type `array:float32:2` cannot.
const (
	ArrayType = "array"
	ImageType = "kwiver:image"
)

// IsArray reports whether ports of a type carry arrays.
func IsArray(typ string) bool { _, ok := asArray(typ); return ok }

// arrayType is the parsed form of an array type.
type arrayType struct {
	kind  tensor.Kind // 0: any
	axes  int         // -1: any
	image bool
}

// asArray parses the type of a port that carries arrays.
func asArray(typ string) (a arrayType, ok bool) {
	a.axes = -1
	if typ == ImageType {
		a.image = true
		return a, true
	}
	head, rest, more := strings.Cut(typ, ":")
	if head != ArrayType {
		return a, false
	}
	if !more {
		return a, true
	}
	word, axes, both := strings.Cut(rest, ":")
	if a.kind = tensor.KindOf(word); a.kind == 0 {
		if both {
			return a, false
		}
		axes, both = word, true
	}
	if !both {
		return a, true
	}
	n, err := strconv.Atoi(axes)
	if err != nil || n < 0 || n > tensor.MaxAxes || strconv.Itoa(n) != axes {
		return a, false
	}
	a.axes = n
	return a, true
}

func (a arrayType) String() string {
	if a.image {
		return ImageType
	}
	text := ArrayType
	if a.kind != 0 {
		text += ":" + a.kind.String()
	}
	if a.axes >= 0 {
		text += ":" + strconv.Itoa(a.axes)
	}
	return text
}

// meet returns the type of the arrays that are of both types; ok is false if there are none. If
// one of the types is an image, so is the result.
func (a arrayType) meet(b arrayType) (arrayType, bool) {
	if a.kind != 0 && b.kind != 0 && a.kind != b.kind || a.axes >= 0 && b.axes >= 0 && a.axes != b.axes {
		return a, false
	}
	both := arrayType{kind: max(a.kind, b.kind), axes: max(a.axes, b.axes), image: a.image || b.image}
	return both, !both.image || both.axes < 0 || both.axes == 2 || both.axes == 3
}

// meet returns the type of the data that can be both of type a and of type b. The types must be
// equal, or be array types that fit together.
func meet(a, b string) (string, bool) {
	if a == b {
		return a, true
	}
	x, ok := asArray(a)
	y, also := asArray(b)
	if !ok || !also {
		return "", false
	}
	both, ok := x.meet(y)
	return both.String(), ok
}
