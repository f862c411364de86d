package seal

import "io"

// The seal of a video is its comment, which is written by the program that makes the video. Its place
// depends on the format. Our seals are near the beginning or the end of the file, uncompressed.

// isVideo recognises MP4 and QuickTime, Matroska and WebM, and AVI.
func isVideo(head []byte) bool {
	return len(head) >= 12 && (string(head[4:8]) == "ftyp" || string(head[:4]) == "\x1aE\xdf\xa3" || string(head[:4]) == "RIFF" && string(head[8:12]) == "AVI ")
}

func findVideo(r io.ReaderAt, size int64) (found, error) {
	text := textOf(part(r, 0, min(size, maxTail)))
	if text == nil {
		text = textOf(part(r, size-maxTail, min(size, maxTail)))
	}
	return found{text: text}, nil
}
