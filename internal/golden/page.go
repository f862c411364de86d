package golden

import (
	"regexp"
	"strings"
)

// Fence is a block of a page: what it is, the name of a file or nothing, and its text.
var Fence = regexp.MustCompile("(?ms)^```(\\w+)(?: (\\S+))?\n(.*?)^```$")

// Matches compares what a page shows with what was printed. In the page … stands for any
// text, and alone on a line for any lines.
func Matches(shown, printed string) bool {
	pattern := regexp.QuoteMeta(shown)
	pattern = regexp.MustCompile(`(?m)^…$`).ReplaceAllString(pattern, "\x00")
	pattern = strings.ReplaceAll(pattern, "…", `[^\n]*`)
	pattern = strings.ReplaceAll(pattern, "\x00", `(?:[^\n]*(?:\n[^\n]*)*)`)
	return regexp.MustCompile(`^` + pattern + `$`).MatchString(printed)
}
