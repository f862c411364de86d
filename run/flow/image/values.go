package image

import (
	"fmt"
	"strconv"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// kwiver is the version of KWIVER that these types follow. Ports and keys marked with
// viame exist only in VIAME.
const (
	kwiver = "KWIVER 1.8"
	viame  = "VIAME"
)

// Port types that the types of this package use.
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

// Noun describes the value in messages.
func (t Timestamp) Noun() string { return "a timestamp" }

// String returns a text such as `frame 3, 0.066667 s`.
func (t Timestamp) String() string {
	return fmt.Sprintf("frame %d, %s s", t.Frame, strconv.FormatFloat(t.Time, 'f', 6, 64))
}

// A Track is an object that is followed through many frames.
type Track struct {
	ID     int64
	States []TrackState // sorted by frame
}

// A TrackState is the position of a tracked object in one frame.
type TrackState struct {
	Frame     int64
	Time      float64 // in seconds
	Detection Detection
}

// Tracks are all tracks that are known at a frame.
type Tracks []Track

// Noun describes the value in messages.
func (t Tracks) Noun() string { return "tracks" }

// String returns the number of tracks.
func (t Tracks) String() string { return fmt.Sprintf("%d tracks", len(t)) }

// A Homography maps points of the plane in one frame to the plane in another frame.
type Homography struct {
	Matrix   [9]float64 // the 3 × 3 matrix, row by row
	From, To int64      // numbers of the two frames
}

// Noun describes the value in messages.
func (h Homography) Noun() string { return "a homography" }
