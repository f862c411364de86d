package image

import "fmt"

// A Track is one object through many frames.
type Track struct {
	ID     int64
	States []TrackState // by frame
}

// A TrackState is where the object of a track was in one frame.
type TrackState struct {
	Frame     int64
	Time      float64 // seconds
	Detection Detection
}

// Tracks are all tracks known at one frame.
type Tracks []Track

// Noun names them in messages.
func (t Tracks) Noun() string { return "tracks" }

// String counts them.
func (t Tracks) String() string { return fmt.Sprintf("%d tracks", len(t)) }

// A Homography maps the plane of one frame to that of another.
type Homography struct {
	Matrix   [9]float64 // row by row
	From, To int64      // frames
}

// Noun names it in messages.
func (h Homography) Noun() string { return "a homography" }
