// Package track has the process types of VIAME that make, join and filter tracks, and that select
// frames by what was detected in them.
package track

import (
	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Types lists the process types.
func Types() []*pipe.Type {
	return []*pipe.Type{
		accumulateType(), resampleType(), shotsType(), filterType(), mergeType(), toDetectionsType(), unwrapType(),
		filterFramesType(), frameIndexType(), imageSizeType(), homographyType(), homographyListType(),
	}
}

// The port types of the family.
const (
	imageType      = pipe.ImageType
	timestampType  = "kwiver:timestamp"
	detectionType  = "kwiver:detected_object_set"
	trackType      = "kwiver:object_track_set"
	fileNameType   = "kwiver:file_name"
	homographyPort = "kwiver:s2r_homography"
)

// The ports that several types have.
func stampIn(flags pipe.Flags) pipe.Port {
	return pipe.Port{Name: "timestamp", Type: timestampType, Flags: flags, Doc: "Time and number of the frame."}
}

func stampOut() pipe.Port {
	return pipe.Port{Name: "timestamp", Type: timestampType, Doc: "Time and number of the frame."}
}

func tracksIn() pipe.Port {
	return pipe.Port{Name: "object_track_set", Type: trackType, Flags: pipe.Required, Doc: "Tracks up to the frame."}
}

func tracksOut(doc string) pipe.Port {
	return pipe.Port{Name: "object_track_set", Type: trackType, Doc: doc}
}

// stampOf returns the timestamp of a datum, or a timestamp of frame 0.
func stampOf(d flow.Datum) pic.Timestamp {
	t, _ := d.Value().(pic.Timestamp)
	return t
}

// state returns the state of a track for a detection in a frame.
func state(stamp pic.Timestamp, d pic.Detection) pic.TrackState {
	d.Frame = stamp.Frame
	return pic.TrackState{Frame: stamp.Frame, Time: stamp.Time, Detection: d}
}
