// Package image has the process types that read, change, measure and write images and the objects
// found in them.
//
// An image is an array of height, width and 1 to 4 channels. Of converts a Go image to such an
// array, and From returns an array as a Go image. Images are never changed in place: a process
// that changes pixels makes a new image. Thus several processes can read the same image.
//
// Reading order:
//
//	values.go                         other values passed between processes
//	raster.go, change.go, file.go,    images: their pixels, sizes, files
//	tiff.go
//	read.go, write.go, archive.go,    processes with images
//	split.go, sheet.go, stats.go
//	detection.go, detection_*.go      detections in images, and their file formats
//	track_*.go, downsample.go         tracks through many images
//	draw.go, draw_*.go, view.go       drawing of both
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
