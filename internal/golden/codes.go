package golden

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// Codes checks the error codes of a language. Each must be documented in the project's style. Its
// bad example, or a case in testdata, must trigger it, unless only a run can; its good example
// must not. name is the file name that the examples get.
func Codes(t *testing.T, l *lang.Language, dir, name string) {
	seen := map[string]bool{}
	for _, c := range Cases(t, dir) {
		config := c.Config(l)
		for _, d := range append(config.Diagnostics(), c.losses(config)...) {
			seen[d.Code.ID] = true
			if !style(d.Message) {
				t.Errorf("%s: %q is not in our style: lower case, no full stop, a sentence that says more than \"invalid\"", d.Code.ID, d.Message)
			}
		}
	}
	ids := map[string]bool{}
	for _, code := range l.Codes {
		if ids[code.ID] {
			t.Errorf("%s is there twice", code.ID)
		}
		ids[code.ID] = true
		if !strings.HasPrefix(code.ID, l.Name+"/") || code.Title == "" || code.Doc == "" || code.Bad == "" || code.Good == "" {
			t.Errorf("%s is not documented: a code has an id, a title, a text, a bad and a good example", code.ID)
		}
		if !code.AtRun && !seen[code.ID] && !triggers(l, name, code.Bad, code.ID) {
			t.Errorf("%s: neither its bad example nor a case in %s triggers it", code.ID, dir)
		}
		if triggers(l, name, code.Good, code.ID) {
			t.Errorf("%s: its good example triggers it; want no finding of it there", code.ID)
		}
	}
	for id := range seen {
		if !ids[id] && !strings.HasPrefix(id, "file/") {
			t.Errorf("%s is reported but not in the language's list of codes", id)
		}
	}
}

// losses returns the findings about information that is lost in the conversions that the case
// lists.
func (c *Case) losses(config *lang.Config) diag.List {
	var all diag.List
	for _, f := range c.archive.Files {
		verb, arg, _ := strings.Cut(f.Name, " ")
		switch verb {
		case "convert":
			list, _ := config.Convert(arg, io.Discard)
			all = append(all, list...)
		case "flatten":
			list, _ := config.Flatten(io.Discard)
			all = append(all, list...)
		}
	}
	return all
}

func triggers(l *lang.Language, name, text, id string) bool {
	for _, dialect := range []load.Dialect{load.Documented, load.Upstream} {
		f := source.NewFile(name, text)
		env := &load.Env{Opener: source.Map{name: text}, Dir: ".", Dialect: dialect}
		env.Folder = func(path string) ([]string, bool) { return []string{name}, path == "." }
		for _, d := range l.Parse(f).Resolve(env).Diagnostics() {
			if d.Code.ID == id {
				return true
			}
		}
	}
	return false
}

var (
	lazy    = regexp.MustCompile(`^(invalid|illegal|syntax error|error)\b[^,:]*$`)
	capital = regexp.MustCompile(`^[A-Z][a-z]+[ ,]`)
)

// style checks the rules of the wording guide that a program can check.
func style(message string) bool {
	return message != "" && !strings.HasSuffix(message, ".") && !lazy.MatchString(message) && !capital.MatchString(message)
}
