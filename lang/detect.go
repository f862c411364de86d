package lang

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// SniffBytes is the number of bytes at the beginning of a text that are used
// to detect its language.
const SniffBytes = 64 << 10

// Claims reports whether a file belongs to this language. It calls text only
// if the name does not decide.
func (l *Language) Claims(path string, text func() string) bool {
	name := filepath.Base(path)
	for _, g := range l.Globs {
		if ok, err := filepath.Match(g.Pattern, name); err != nil || !ok {
			continue
		}
		if !g.Sniff || l.Sniffs(text()) {
			return true
		}
	}
	return false
}

// Sniffs reports whether a text looks like this language.
func (l *Language) Sniffs(text string) bool {
	if l.sniff == nil {
		return false
	}
	return l.sniff(text[:min(len(text), SniffBytes)])
}

// Detect finds the language of a file by its name, else by its content. It
// returns nil if neither decides.
func Detect(languages []*Language, f *source.File) *Language {
	for _, l := range languages {
		if l.Claims(f.Path(), f.Text) {
			return l
		}
	}
	var found *Language
	for _, l := range languages {
		if l.Sniffs(f.Text()) {
			if found != nil {
				return nil
			}
			found = l
		}
	}
	return found
}

// Named finds the language of a file that the user named. Unlike Detect, if
// the content does not decide, it accepts a language by the file name alone.
func Named(languages []*Language, f *source.File) *Language {
	if l := Detect(languages, f); l != nil {
		return l
	}
	for _, l := range languages {
		for _, g := range l.Globs {
			if ok, err := filepath.Match(g.Pattern, filepath.Base(f.Path())); err == nil && ok {
				return l
			}
		}
	}
	return nil
}

// ByName returns the language of that name. The error lists the known names.
func ByName(languages []*Language, name string) (*Language, error) {
	var names []string
	for _, l := range languages {
		if l.Name == name {
			return l, nil
		}
		names = append(names, l.Name)
	}
	return nil, fmt.Errorf("`%s` is not a language; %s", name, problem.Advise(name, names, "known are "+strings.Join(names, ", ")))
}
