// Package image holds the process types that read, change, measure and write
// pictures, and what is found in them.
//
// An image is an array of height, width and 1 to 4 channels, whoever made it: Of
// makes one of Go's images, From looks at one as such. It is never changed in place:
// a process that changes pixels makes a new image, so an image may go to many readers.
package image

import "github.com/pentode-dev/pentode/run/flow/pipe"

// Types lists them.
func Types() []*pipe.Type {
	return []*pipe.Type{
		frameListType(), fileReaderType(), writerType(), splitType(), mergeType(),
		downsampleType(), detectionInputType(), detectionOutputType(),
		resizeType(), greyType(), sheetType(), statsType(), viewerType(),
		drawDetectionsType(), drawTracksType(), drawObjectTracksType(), shiftSetsType(), readTracksType(), writeTracksType(), archiveType(),
	}
}

// kwiver is the version that the types of the original follow; viame has ports and keys
// of its own.
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
