package lang

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

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
