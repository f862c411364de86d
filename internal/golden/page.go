package golden

import (
	"regexp"
	"strings"
)

// Fence matches a fenced block of a page: its language, an optional file name, and its text.
var Fence = regexp.MustCompile("(?ms)^```(\\w+)(?: (\\S+))?\n(.*?)^```$")

// Matches reports whether printed text is the text shown on a page. On the page, … stands
// for any text, and a … alone on a line for any number of lines.
func Matches(shown, printed string) bool {
	pattern := regexp.QuoteMeta(shown)
	pattern = regexp.MustCompile(`(?m)^…$`).ReplaceAllString(pattern, "\x00")
	pattern = strings.ReplaceAll(pattern, "…", `[^\n]*`)
	pattern = strings.ReplaceAll(pattern, "\x00", `(?:[^\n]*(?:\n[^\n]*)*)`)
	return regexp.MustCompile(`^` + pattern + `$`).MatchString(printed)
}
