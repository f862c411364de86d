// Package video has the process types that read and write videos, with the system's `ffmpeg` and
// `ffprobe`.
//
//	file ─ ffprobe ─▶ size, rate, number of frames
//	file ─ ffmpeg ─▶ raw frames over a pipe ─▶ film ─▶ video_input
//	list of images ─▶ list ─▶ video_input
//	video_output ─▶ raw frames over a pipe ─ ffmpeg ─▶ file
package video

import "github.com/pentode-dev/pentode/run/flow/pipe"

// Types lists the process types.
func Types() []*pipe.Type { return []*pipe.Type{inputType(), outputType()} }

// The port types of the family.
const (
	imageType     = "kwiver:image"
	timestampType = "kwiver:timestamp"
	rateType      = "kwiver:frame_rate"
	metadataType  = "kwiver:metadata"
	fileNameType  = "kwiver:file_name"
)
