package pipe

import "github.com/pentode-dev/pentode/run/handoff/tensor"

// Facts are what is known of the data of an output before the run, from settings
// and from what is known of inputs. What is not known is zero.
type Facts struct {
	Kind      tensor.Kind // of an array's elements; 0: not known
	Shape     []int       // of an array; nil: not known, an extent below 0 is not
	Low, High float64     // the least and largest number, where Ranged is set
	Ranged    bool
}
