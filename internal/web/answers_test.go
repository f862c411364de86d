package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
)

// TestGoldenAnswers sends the requests in the archives of testdata to the page. An archive has the
// files of a folder, then requests with the expected answers: a status and JSON. In it, DIR stands
// for the folder, and a picture is reduced to its words. A section `now FILE` has the content of a
// file after the requests.
func TestGoldenAnswers(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no archives in testdata")
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			for _, f := range archive.Files {
				if !strings.Contains(f.Name, " ") {
					files[f.Name] = string(f.Data)
				}
			}
			s, dir := newPage(t, files, nil)
			for i, f := range archive.Files {
				verb, rest, ok := strings.Cut(f.Name, " ")
				if !ok {
					continue
				}
				var have string
				if verb == "now" {
					text, err := os.ReadFile(filepath.Join(dir, rest))
					if err != nil {
						t.Fatal(err)
					}
					have = string(text)
				} else {
					path, text, _ := strings.Cut(rest, " ")
					w := ask(s, verb, strings.ReplaceAll(path, "DIR", url.QueryEscape(dir)), strings.ReplaceAll(text, "DIR", dir), nil)
					have = fmt.Sprintf("%d\n%s", w.Code, plain(t, bytes.ReplaceAll(w.Body.Bytes(), []byte(dir), []byte("DIR"))))
				}
				if golden.Updating() {
					archive.Files[i].Data = []byte(have)
				} else if have != string(f.Data) {
					t.Errorf("%s\n--- got\n%s--- want\n%s", f.Name, have, f.Data)
				}
			}
			if golden.Updating() {
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

var words = regexp.MustCompile(`<text[^>]*>([^<]*)`)

// plain returns JSON in a readable layout, with each picture replaced by its words.
func plain(t *testing.T, text []byte) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if svg, ok := v["svg"].(string); ok {
				var all []string
				for _, m := range words.FindAllStringSubmatch(svg, -1) {
					all = append(all, m[1])
				}
				v["svg"] = strings.Join(all, " | ")
			}
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(value)
	var b strings.Builder
	write(t, &b, value, "")
	return b.String() + "\n"
}

// write writes a value on one line if it fits.
func write(t *testing.T, b *strings.Builder, value any, indent string) {
	t.Helper()
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		t.Fatal(err)
	}
	list, isList := value.([]any)
	object, isObject := value.(map[string]any)
	if !isList && !isObject || line.Len() < 120 {
		b.Write(bytes.TrimSpace(line.Bytes()))
		return
	}
	between := "\n" + indent + " "
	if isList {
		b.WriteString("[")
		for i, v := range list {
			b.WriteString(strings.Repeat(",", min(i, 1)) + between)
			write(t, b, v, indent+" ")
		}
		b.WriteString("\n" + indent + "]")
		return
	}
	b.WriteString("{")
	for i, key := range slices.Sorted(maps.Keys(object)) {
		b.WriteString(strings.Repeat(",", min(i, 1)) + between + key + ": ")
		write(t, b, object[key], indent+" ")
	}
	b.WriteString("\n" + indent + "}")
}

// TestBelongs: a node has the settings below its key; the node of a file has the settings that the
// file decides, and the whole has all explicit settings.
func TestBelongs(t *testing.T) {
	a, b := source.NewFile("a.coilcfg", "x"), source.NewFile("b.coilcfg", "x")
	set := func(f *source.File) *origin.Entry {
		return &origin.Entry{Key: "ARM.x", Steps: []origin.Step{{What: origin.Set, Span: b.Span(0, 1)}, {What: origin.Set, Span: f.Span(0, 1)}}}
	}
	unset := &origin.Entry{Key: "ARM.x", Implicit: true, Steps: []origin.Step{{What: origin.Default, Span: a.Span(0, 1)}}}
	below, beside := &graph.Node{Settings: "ARM."}, &graph.Node{Settings: "X86."}
	file, whole := &graph.Node{At: a.Span(0, 1)}, &graph.Node{}
	for _, c := range []struct {
		e    *origin.Entry
		n    *graph.Node
		want bool
	}{
		{set(a), below, true}, {set(a), beside, false}, {unset, below, true},
		{set(a), file, true}, {set(b), file, false}, {unset, file, false},
		{set(b), whole, true}, {unset, whole, false},
	} {
		if belongs(c.e, c.n) != c.want {
			t.Errorf("%+v of %+v: want %v", c.e, c.n, c.want)
		}
	}
}
