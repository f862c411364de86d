package lang

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/core/source"
)

// LineBefore returns the part of the line before the offset.
func LineBefore(f *source.File, offset int) string {
	text := f.Text()[:min(max(offset, 0), f.Len())]
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// LineAfter returns the part of the line after the offset, without the
// remainder of the word that contains the offset.
func LineAfter(f *source.File, offset int) string {
	text := f.Text()[min(max(offset, 0), f.Len()):]
	text, _, _ = strings.Cut(text, "\n")
	return strings.TrimLeftFunc(text, func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// CompleteFiles lists the files and folders below dirs that can complete typed,
// the path of an include.
func CompleteFiles(f *source.File, offset int, typed string, dirs []string, fits func(name string) bool) []Completion {
	folder, part := path.Split(typed)
	var list []Completion
	seen := map[string]bool{}
	for _, dir := range dirs {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil {
			continue
		}
		for _, e := range entries {
			name := e.Name()
			own := filepath.Join(dir, folder, name) == filepath.Clean(f.Path())
			if strings.HasPrefix(name, ".") || seen[name] || own || !e.IsDir() && !fits(name) {
				continue
			}
			seen[name] = true
			c := Completion{Label: name, Kind: Path, Replace: f.Span(offset-len(part), offset), Later: e.IsDir()}
			if e.IsDir() {
				c.Label += "/"
			}
			list = append(list, c)
		}
	}
	return list
}

// Begins reports whether the text typed so far can become the completion: its
// letters occur in the label in the same order.
func (c *Completion) Begins() bool {
	rest := strings.ToLower(c.Label)
	for _, r := range strings.ToLower(c.Replace.Text()) {
		i := strings.IndexRune(rest, r)
		if i < 0 {
			return false
		}
		rest = rest[i+utf8.RuneLen(r):]
	}
	return true
}

// fields matches the placeholders of a snippet, such as `$1`.
var fields = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{\d+:([^}]*)\}|\$\d+|\\(\$)`) })

// Plain returns the text to insert for an editor that does not know snippets.
func (c *Completion) Plain() string {
	switch {
	case c.Insert == "":
		return c.Label
	case c.Snippet:
		return fields().ReplaceAllString(c.Insert, "$1$2")
	}
	return c.Insert
}
