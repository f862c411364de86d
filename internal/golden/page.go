package golden

import (
	"regexp"
	"strings"
)

// Fence matches a fenced block of a page: its language, an optional file name, and its text.
var Fence = regexp.MustCompile("(?ms)^```(\\w+)(?: (\\S+))?\n(.*?)^```$")

// Matches compares the text of a page with the printed text. In the page, … matches any
// text, and alone on a line any lines.
func Matches(shown, printed string) bool {
	pattern := regexp.QuoteMeta(shown)
	pattern = regexp.MustCompile(`(?m)^…$`).ReplaceAllString(pattern, "\x00")
	pattern = strings.ReplaceAll(pattern, "…", `[^\n]*`)
	pattern = strings.ReplaceAll(pattern, "\x00", `(?:[^\n]*(?:\n[^\n]*)*)`)
	return regexp.MustCompile(`^` + pattern + `$`).MatchString(printed)
}
