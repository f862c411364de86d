// Package image has the process types that read, change, measure and write images and the objects
// found in them.
//
// An image is an array of height, width and 1 to 4 channels, whoever made it: Of
// makes one of Go's images, From looks at one as such. It is never changed in place:
// a process that changes pixels makes a new image, so an image may go to many readers.
//
// In which order to read it:
//
//	values.go                         what goes from process to process, beside images
//	raster.go, change.go, file.go,    images: their pixels, sizes, files
//	tiff.go
//	read.go, write.go, archive.go,    processes with images
//	split.go, sheet.go, stats.go
//	detection.go, detection_*.go      what is found in images, and the forms of its files
//	track_*.go, downsample.go         what is found in many images
//	draw.go, draw_*.go, view.go       pictures of both
package image

import "github.com/pentode-dev/pentode/run/flow/pipe"

// Types lists the process types.
func Types() []*pipe.Type {
	return []*pipe.Type{
		frameListType(), fileReaderType(), writerType(), splitType(), mergeType(),
		downsampleType(), detectionInputType(), detectionOutputType(),
		resizeType(), greyType(), sheetType(), statsType(), viewerType(),
		drawDetectionsType(), drawTracksType(), drawObjectTracksType(), shiftSetsType(), readTracksType(), writeTracksType(), archiveType(),
	}
}
