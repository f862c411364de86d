package pipe

import "github.com/pentode-dev/pentode/run/handoff/tensor"

// Facts are what is known about the data of an output before the run. They follow from the
// settings of the process and from the facts about its inputs. Unknown members are zero.
type Facts struct {
	Kind      tensor.Kind // type of the array's elements; 0: not known
	Shape     []int       // shape of the array; nil: not known; an extent below 0: this extent is not known
	Low, High float64     // limits of all numbers, valid if Ranged is set
	Ranged    bool
}
