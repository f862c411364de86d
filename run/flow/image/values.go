package image

import (
	"fmt"
	"strconv"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// kwiver is the version that upstream's types follow; viame has additional ports and keys.
const (
	kwiver = "KWIVER 1.8"
	viame  = "VIAME"
)

// The port types of the family.
const (
	imageType     = pipe.ImageType
	timestampType = "kwiver:timestamp"
	fileNameType  = "kwiver:file_name"
	detectionType = "kwiver:detected_object_set"
	trackType     = "kwiver:object_track_set"
	rateType      = "kwiver:frame_rate"
	flagType      = "kwiver:bool"
)

// A Timestamp is the number of a frame, from 1, and its time in seconds.
type Timestamp struct {
	Frame int64   `json:"frame"`
	Time  float64 `json:"time"`
}

// Noun describes it in messages.
func (t Timestamp) Noun() string { return "a timestamp" }

// String returns `frame 3, 0.066667 s`.
func (t Timestamp) String() string {
	return fmt.Sprintf("frame %d, %s s", t.Frame, strconv.FormatFloat(t.Time, 'f', 6, 64))
}

// A Track is one object through many frames.
type Track struct {
	ID     int64
	States []TrackState // by frame
}

// A TrackState is the position of a track's object in one frame.
type TrackState struct {
	Frame     int64
	Time      float64 // seconds
	Detection Detection
}

// Tracks are all tracks known at one frame.
type Tracks []Track

// Noun describes them in messages.
func (t Tracks) Noun() string { return "tracks" }

// String returns the number of tracks.
func (t Tracks) String() string { return fmt.Sprintf("%d tracks", len(t)) }

// A Homography maps the plane of one frame to the plane of another.
type Homography struct {
	Matrix   [9]float64 // row by row
	From, To int64      // frames
}

// Noun describes it in messages.
func (h Homography) Noun() string { return "a homography" }
