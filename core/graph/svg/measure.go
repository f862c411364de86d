package svg

import (
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// Sizes of type in the SVG, in pixels.
const (
	titleSize = 16.0
	labelSize = 13.0
	smallSize = 11.0
)

// advance is the width of the printable ASCII characters of a common sans-serif font, in thousandths of the font
// size, beginning with the space.
var advance = [...]uint16{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, // space to /
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // 0 to ?
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // @ to O
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // P to _
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // ` to o
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // p to ~
}

// textWidth returns the width of a line of text, slightly enlarged for fonts with wider characters.
func textWidth(s string, size float64) float64 {
	cells := runewidth.Condition{} // a zero Condition gives the same result on every machine, whatever its locale
	sum := 0.0
	for _, r := range s {
		if r >= ' ' && int(r-' ') < len(advance) {
			sum += float64(advance[r-' '])
		} else {
			sum += 560 * float64(cells.RuneWidth(r))
		}
	}
	return sum * size * 1.12 / 1000
}

// maxLine is how many characters of a line are drawn.
const maxLine = 56

// shorten cuts out the middle of a long line, so that both ends of a path stay readable.
func shorten(s string) string {
	if len(s) <= maxLine {
		return s
	}
	r := []rune(s)
	if len(r) <= maxLine {
		return s
	}
	half := maxLine / 2
	return string(r[:half]) + "…" + string(r[len(r)-half+1:])
}

// maxSmall is the largest number of characters in one line of a node's details, since wide nodes make wide
// pictures. A single longer word is not broken.
const maxSmall = 34

// breakLine breaks a line between words.
func breakLine(s string) []string {
	var lines []string
	line, length := "", 0
	for _, word := range strings.Fields(s) {
		n := utf8.RuneCountInString(word)
		switch {
		case length == 0:
			line, length = word, n
		case length+1+n <= maxSmall:
			line, length = line+" "+word, length+1+n
		default:
			lines = append(lines, line)
			line, length = word, n
		}
	}
	return append(lines, line)
}
