package pipe

import "github.com/pentode-dev/pentode/run/handoff/tensor"

// Facts are what is known about the data of an output before the run, from settings and from what
// is known about inputs. Unknown members are zero.
type Facts struct {
	Kind      tensor.Kind // type of an array's elements; 0: not known
	Shape     []int       // shape of an array; nil: not known; an extent below 0 is unknown
	Low, High float64     // the smallest and largest number, if Ranged is set
	Ranged    bool
}
