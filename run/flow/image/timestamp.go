package image

import (
	"fmt"
	"strconv"
)

// A Timestamp is the number of a frame, from 1, and its time in seconds.
type Timestamp struct {
	Frame int64   `json:"frame"`
	Time  float64 `json:"time"`
}

// Noun names it in messages.
func (t Timestamp) Noun() string { return "a timestamp" }

// String writes `frame 3, 0.066667 s`.
func (t Timestamp) String() string {
	return fmt.Sprintf("frame %d, %s s", t.Frame, strconv.FormatFloat(t.Time, 'f', 6, 64))
}
