package downsample_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/pentode-dev/pentode/core/downsample"
)

// TestSums: an infinite element or NaN is counted and not drawn, and a cell without elements has no
// number.
func TestSums(t *testing.T) {
	for _, c := range []struct {
		mean bool
		want string
	}{
		{true, `{"shape":[1,3],"cells":[1,3],"mean":[2,7,null],"min":1,"max":7,"read":5,"odd":2}`},
		{false, `{"shape":[1,3],"cells":[1,3],"low":[1,7,null],"high":[3,7,null],"min":1,"max":7,"read":5,"odd":2}`},
	} {
		s := downsample.NewSums(3)
		for _, e := range []struct {
			cell  int
			value float64
		}{{0, 1}, {0, 3}, {1, 7}, {1, math.NaN()}, {2, math.Inf(1)}} {
			s.Add(e.cell, e.value)
		}
		d := downsample.Drawing{Shape: [2]uint64{1, 3}, Cells: [2]int{1, 3}}
		s.Into(&d, c.mean)
		if text, err := json.Marshal(d); err != nil || string(text) != c.want {
			t.Errorf("%s, %v\nwant %s", text, err, c.want)
		}
		var read downsample.Drawing
		if err := json.Unmarshal([]byte(c.want), &read); err != nil {
			t.Errorf("%s cannot be read: %v", c.want, err)
		}
		if text, err := json.Marshal(read); err != nil || string(text) != c.want {
			t.Errorf("read and written again: %s, %v\nwant %s", text, err, c.want)
		}
	}
}
