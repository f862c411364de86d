package workspace

import (
	"errors"
	"fmt"
	"os"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// UnknownLanguage is the error for a file whose name and content match no single
// language.
type UnknownLanguage struct{ Path string }

func (e *UnknownLanguage) Error() string {
	return fmt.Sprintf("cannot tell which language `%s` is; give it with --lang", e.Path)
}

// Refused returns a finding if the error means that an existing file is not
// allowed to be read, otherwise nil.
func Refused(path string, err error) *diag.Diagnostic {
	var large *source.TooLarge
	if !errors.As(err, &large) {
		return nil
	}
	return diag.New(lang.TooLarge, source.NewFile(large.Path, "").Span(0, 0), "%s and was not read", source.Explain(path, err)).
		Helped("a larger limit is given with --max-size")
}

// Unreadable returns a finding for a file that was found in a folder and could
// not be read, or nil if the file has no known language.
func Unreadable(path string, err error) *diag.Diagnostic {
	if found := Refused(path, err); found != nil {
		return found
	}
	var unknown *UnknownLanguage
	if errors.As(err, &unknown) {
		return nil
	}
	found := diag.New(lang.Unreadable, source.NewFile(path, "").Span(0, 0), "%s", source.Explain(path, err)).
		Helped("make it readable, or give the files to look at by name")
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		found.As(diag.Warning) // only a warning, because the folder may be empty
	}
	return found
}

// Explain returns why a document could not be opened, as a sentence.
func Explain(path string, err error) string {
	var unknown *UnknownLanguage
	if errors.As(err, &unknown) {
		return err.Error()
	}
	return source.Explain(path, err)
}
