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

// LineBefore is the line of an offset up to it.
func LineBefore(f *source.File, offset int) string {
	text := f.Text()[:min(max(offset, 0), f.Len())]
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// LineAfter is the line of an offset from the end of the word that it is in.
func LineAfter(f *source.File, offset int) string {
	text := f.Text()[min(max(offset, 0), f.Len()):]
	text, _, _ = strings.Cut(text, "\n")
	return strings.TrimLeftFunc(text, func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// CompleteFiles lists the files and folders below dirs that may stand where
// typed is written, for the file of an include.
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

// Begins reports whether what is typed already can become it: the letters
// stand in its label in their order.
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

// fields are the places of a snippet that are to be filled in.
var fields = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{\d+:([^}]*)\}|\$\d+|\\(\$)`) })

// Plain is what is written where the places of a snippet are not known.
func (c *Completion) Plain() string {
	switch {
	case c.Insert == "":
		return c.Label
	case c.Snippet:
		return fields().ReplaceAllString(c.Insert, "$1$2")
	}
	return c.Insert
}
