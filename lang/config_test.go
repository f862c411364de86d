package lang_test

import (
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
	"github.com/pentode-dev/pentode/lang"
)

// poor is a language that can only parse and resolve.
func poor() lang.Spec[*tree, *notes] {
	return lang.Spec[*tree, *notes]{Name: "poor", Title: "poor note", Parse: parse, Resolve: resolve}
}

// TestNothingGiven checks that for a feature that a language does not have, the
// functions return nothing, or an error that names the language.
func TestNothingGiven(t *testing.T) {
	l := lang.Define(poor())
	c := config(l, "colour red # pentode: ignore x/one\n", "size 1 # pentode: ignore x/one\n")
	if l.Schema() != nil || len(l.Formats()) > 0 || l.IsStyle("flow") || l.Knows("colour") {
		t.Error("the language has a feature that its Spec does not have")
	}
	if files, found := l.Search(&load.Env{}, ""); files != nil || found != nil {
		t.Errorf("the search finds %v, %v; want files nil and found nil", files, found)
	}
	if text, ok := c.Document.Format(); ok || text != c.Document.File.Text() {
		t.Errorf("it is formatted to %q, want it refused and the text unchanged", text)
	}
	if c.Document.Silences() != nil || len(slices.Collect(c.Document.Words())) > 0 || len(slices.Collect(c.Values())) > 0 || len(c.Diagnostics()) > 0 || c.Partial() {
		t.Error("the configuration has a feature that its Spec does not have")
	}
	if e, ok := c.Value("colour"); ok {
		t.Errorf("the value is %v, want none", e)
	}
	if got := paths(c.Files()); got != "a.note b.note" {
		t.Errorf("it is made of %s; want %q", got, "a.note b.note")
	}
	_, noEdit := c.Edit(lang.Assignment{Key: "colour", Value: "blue"})
	_, noGraph := c.Graph()
	_, noFormat := c.Convert("json", io.Discard)
	_, noFlatten := c.Flatten(io.Discard)
	for want, err := range map[string]error{
		"poor note files cannot be edited by key":               noEdit,
		"poor note files have no picture":                       noGraph,
		"poor note files cannot be converted":                   noFormat,
		"poor note files have no includes or macros to flatten": noFlatten,
	} {
		if err == nil || err.Error() != want {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

// TestEverythingGiven checks that each function of a Config calls the language's
// own function, with the tree and the model of the document.
func TestEverythingGiven(t *testing.T) {
	s := poor()
	first := func(n *notes) string { return n.keys[0].Text() }
	s.Schema = func() *schema.Schema {
		return &schema.Schema{Sections: []schema.Section{{Name: "paper", Keys: []schema.Key{{Name: "colour", Enum: []string{"red", "blue"}}}}}}
	}
	s.Names = func() []string { return []string{"size"} }
	s.Words = map[token.Kind]lang.Kind{comment: lang.Key}
	s.Search = func(_ *load.Env, dir string) ([]*source.File, diag.List) {
		return []*source.File{source.NewFile(dir+"/found.note", "")}, diag.List{diag.New(loud, source.Span{}, "loud")}
	}
	s.Outline = func(t *tree) []lang.Symbol { return []lang.Symbol{{Name: t.File().Path()}} }
	s.Files = func(*notes) []*source.File {
		return []*source.File{source.NewFile("./a.note", ""), source.NewFile("more.note", ""), source.NewFile("sub/../more.note", "")}
	}
	s.Partial = func(n *notes) bool { return first(n) == "missing" }
	s.Value = func(n *notes, key string) (origin.Entry, bool) {
		at, ok := n.value(key)
		return origin.Entry{Key: key, Value: "fast " + at.Text()}, ok
	}
	s.Graph = func(n *notes) *graph.Graph {
		return &graph.Graph{Title: "own", Nodes: []*graph.Node{{ID: first(n)}}}
	}
	write := func(what string) func(*tree, *notes, io.Writer) diag.List {
		return func(t *tree, n *notes, w io.Writer) diag.List {
			_, _ = io.WriteString(w, what+" "+t.File().Path()+" "+first(n))
			return diag.List{diag.New(loud, n.keys[0], "lost")}
		}
	}
	s.Convert = map[string]func(*tree, *notes, io.Writer) diag.List{"xml": write("xml"), "json": write("json"), "flow": write("flow")}
	s.Styles = []string{"flow"}
	s.Flatten = write("flat")
	l := lang.Define(s)
	c := config(l, "colour red # one\n", "size 1 # two\n")

	for word, want := range map[string]bool{"paper": true, "colour": true, "blue": true, "size": true, "form": false, "": false} {
		if l.Knows(word) != want {
			t.Errorf("the language knows %q: %v", word, !want)
		}
	}
	if first := l.Schema(); first != l.Schema() || first.Sections[0].Name != "paper" {
		t.Error("the schema is made twice")
	}
	if diff := cmp.Diff([]string{"flow", "json", "xml"}, l.Formats()); diff != "" || l.IsStyle("json") || !l.IsStyle("flow") {
		t.Errorf("formats (-want +got):\n%s", diff)
	}
	if files, found := l.Search(&load.Env{}, "dir"); paths(files) != "dir/found.note" || len(found) != 1 {
		t.Errorf("the search finds %s, %v; want %s, and one finding", paths(files), found, "dir/found.note")
	}
	if got := c.Document.Outline(); len(got) != 1 || got[0].Name != "b.note" {
		t.Errorf("the outline is %v, want %q alone", got, "b.note")
	}
	if got := paths(c.Files()); got != "a.note b.note more.note" {
		t.Errorf("it is made of %s, want every file once", got)
	}
	if e, ok := c.Value("size"); !ok || e.Value != "fast 1" {
		t.Errorf("the value is %v, %v, want %q", e, ok, "fast 1")
	}
	if g, err := c.Graph(); err != nil || g.Title != "b.note" || g.Nodes[0].ID != "colour" {
		t.Errorf("the picture is %v, %v", g, err)
	}
	if n, ok := lang.Model[*notes](c); !ok || len(n.keys) != 2 {
		t.Errorf("the model is %v, want 2 keys", n)
	}
	if _, ok := lang.Model[*tree](c); ok {
		t.Error("got a model of another type")
	}
	for _, format := range l.Formats() {
		var w strings.Builder
		if lost, err := c.Convert(format, &w); err != nil || len(lost) != 1 || w.String() != format+" b.note colour" {
			t.Errorf("%s is %q, %v, %v", format, w.String(), lost, err)
		}
	}
	var w strings.Builder
	if lost, err := c.Flatten(&w); err != nil || len(lost) != 1 || w.String() != "flat b.note colour" {
		t.Errorf("flattened it is %q, %v, %v", w.String(), lost, err)
	}
	if _, err := c.Convert("toml", &w); err == nil || err.Error() != "poor note files cannot be converted to `toml`; possible are flow, json, xml" {
		t.Errorf("the error is %v", err)
	}
}

func paths(files []*source.File) string {
	var list []string
	for _, f := range files {
		list = append(list, filepath.ToSlash(f.Path()))
	}
	return strings.Join(list, " ")
}

// TestWords checks the tokens that are coloured by their kind. The caller may stop
// early, and a binary file has none.
func TestWords(t *testing.T) {
	s := poor()
	s.Words = map[token.Kind]lang.Kind{word: lang.Key, comment: lang.Comment}
	l := lang.Define(s)
	parsed := l.Parse(source.NewFile("a.note", "size 1 # one\n"))
	var got []string
	for o := range parsed.Words() {
		got = append(got, string(o.Kind)+" "+o.Span.Text())
	}
	if diff := cmp.Diff([]string{string(lang.Key) + " size", string(lang.Key) + " 1", string(lang.Comment) + " # one"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	n := 0
	for range parsed.Words() {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d words were given to a caller who wanted 2", n)
	}
	for o := range l.Parse(source.NewFile("a.note", "size \x00")).Words() {
		t.Errorf("a file that is not text has the word %q", o.Span.Text())
	}
}

// TestPartial checks that Partial is true if a text has errors or if the language
// says that something is missing.
func TestPartial(t *testing.T) {
	s := poor()
	s.Partial = func(n *notes) bool { return len(n.keys) > 0 && n.keys[0].Text() == "missing" }
	l := lang.Define(s)
	for text, want := range map[string]bool{"colour red\n": false, "missing red\n": true, "colour \x00": true} {
		if got := config(l, text).Partial(); got != want {
			t.Errorf("%q: partial is %v, want %v", text, got, want)
		}
	}
}

// TestValueOfKey checks that a setting is found by searching all settings if the
// language has no faster function.
func TestValueOfKey(t *testing.T) {
	c := config(lang.Define(spec()), "colour red\nsize 1\n", "size 2\n")
	for key, want := range map[string]string{"colour": "red", "size": "2", "form": ""} {
		if e, ok := c.Value(key); e.Value != want || ok != (want != "") {
			t.Errorf("%s is %q, %v; want e.Value = %v and ok = %v", key, e.Value, ok, want, (want != ""))
		}
	}
}

// TestJudge checks that a dialect changes severities for this configuration only,
// and that the project may change them again.
func TestJudge(t *testing.T) {
	s := spec()
	kept := diag.New(loud, source.NewFile("a.note", "x").Span(0, 1), "kept")
	s.Check = func(*notes) diag.List { return diag.List{kept, diag.New(diag.TooMany, kept.Span, "and more")} }
	s.Judge = func(d load.Dialect, code *diag.Code, sev diag.Severity) diag.Severity {
		if d == load.Upstream && sev != diag.Error {
			return diag.Error
		}
		return sev
	}
	d := lang.Define(s).Parse(source.NewFile("a.note", "colour red\n"))
	for dialect, want := range map[load.Dialect]diag.Severity{load.Documented: diag.Warning, load.Upstream: diag.Error} {
		found := d.Resolve(&load.Env{Opener: source.Map{}, Dialect: dialect}).Diagnostics()
		if len(found) != 2 || found[0].Severity != want || found[1].Severity != diag.TooMany.Severity {
			t.Errorf("%s: %+v, want len(found) = 2, found[0].Severity = %v and found[1].Severity = %v", dialect, found, want, diag.TooMany.Severity)
		}
	}
	if kept.Severity != diag.Warning {
		t.Error("the language's own finding was changed")
	}
	c := d.Resolve(&load.Env{Opener: source.Map{}, Review: func(diag.List) diag.List { return nil }})
	if len(c.Found()) != 2 || len(c.Diagnostics()) != 0 {
		t.Errorf("found are %v, of which the project wants %v", c.Found(), c.Diagnostics())
	}
}

// TestEditJudgedByProject: an edit is not refused because of an error that the
// project ignores.
func TestEditJudgedByProject(t *testing.T) {
	d := lang.Define(spec()).Parse(source.NewFile("a.note", "colour red\n"))
	c := d.Resolve(&load.Env{Opener: source.Map{}, Review: func(list diag.List) diag.List {
		return slices.DeleteFunc(list, func(d *diag.Diagnostic) bool { return d.Code == notKnown })
	}})
	edited, err := c.Edit(lang.Assignment{Key: "colour", Value: "unknown"})
	if err != nil || edited.Changes[0].Text != "colour unknown\n" {
		t.Errorf("%+v, %v", edited, err)
	}
}

// TestDecided: an edit returns where it wrote each assignment, in order. An
// assignment that changes nothing has no place.
func TestDecided(t *testing.T) {
	c := config(lang.Define(spec()), "colour red\nsize 1\n", "form a\n")
	edited, err := c.Edit(lang.Assignment{Key: "form", Value: "b"}, lang.Assignment{Key: "colour", Value: "red"}, lang.Assignment{Key: "size", Value: "2"})
	if err != nil {
		t.Fatal(err)
	}
	var at, texts []string
	for _, span := range edited.Decided {
		if span.File == nil {
			at = append(at, "nowhere")
		} else {
			at = append(at, span.String())
		}
	}
	for _, change := range edited.Changes {
		texts = append(texts, change.File.Path()+": "+change.Text)
	}
	if diff := cmp.Diff([]string{"b.note:1:6", "nowhere", "a.note:2:6"}, at); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"b.note: form b\n", "a.note: colour red\nsize 2\n"}, texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	if e, _ := edited.Config.Value("size"); e.Value != "2" || len(edited.Config.Lower) != 1 {
		t.Errorf("afterwards size is %q, want e.Value = %q and len(edited.Config.Lower) = 1", e.Value, "2")
	}
}

// TestEditsThatOverlap: if the edits of a language overlap, the whole edit is
// refused.
func TestEditsThatOverlap(t *testing.T) {
	s := spec()
	s.Edit = func(_ *tree, n *notes, _, value string) ([]source.Edit, error) {
		return []source.Edit{{Span: n.keys[0], Text: value}, {Span: n.keys[0], Text: value + value}}, nil
	}
	if edited, err := config(lang.Define(s), "colour red\n").Edit(lang.Assignment{Key: "colour", Value: "x"}); err == nil || edited != nil {
		t.Errorf("%+v, %v", edited, err)
	}
}

// TestAddedOften checks that one old finding hides only one equal new finding.
func TestAddedOften(t *testing.T) {
	s := spec()
	s.Check = func(n *notes) (list diag.List) {
		for _, at := range n.values {
			for range strings.Count(at.Text(), "!") {
				list.Report(loud, at, "loud")
			}
		}
		return list
	}
	c := config(lang.Define(s), "colour red!\nsize 1\n")
	for value, want := range map[string]int{"2": 0, "2!": 1, "2!!!": 3} {
		edited, err := c.Edit(lang.Assignment{Key: "size", Value: value})
		if err != nil || len(edited.Added) != want {
			t.Errorf("size=%s adds %v, %v", value, edited.Added, err)
		}
	}
}

// TestEditInInclude: an edit may change a file that the document includes, and the
// new meaning is read from that file's new text.
func TestEditInInclude(t *testing.T) {
	s := spec()
	open := func(env *load.Env) *tree {
		f, err := env.Opener.Open("inc.note")
		if err != nil {
			t.Fatal(err)
		}
		return parse(f)
	}
	s.Resolve = func(env *load.Env, layers []*tree) *notes { return resolve(env, append([]*tree{open(env)}, layers...)) }
	d := lang.Define(s).Parse(source.NewFile("a.note", "size 1\n"))
	c := d.Resolve(&load.Env{Opener: source.Map{"inc.note": "colour red\n"}})
	edited, err := c.Edit(lang.Assignment{Key: "colour", Value: "blue"})
	if err != nil || len(edited.Changes) != 1 || edited.Changes[0].Text != "colour blue\n" {
		t.Fatalf("%+v, %v", edited, err)
	}
	if e, _ := edited.Config.Value("colour"); e.Value != "blue" {
		t.Errorf("afterwards colour is %q, want %q", e.Value, "blue")
	}
}

// TestFoundInOrder checks that findings are in the order of the text, not of the
// rules.
func TestFoundInOrder(t *testing.T) {
	s := spec()
	s.Check = func(n *notes) (list diag.List) {
		for _, k := range slices.Backward(n.keys) {
			list.Report(loud, k, "%s", k.Text())
		}
		return list
	}
	var got []string
	for _, d := range config(lang.Define(s), "one 1\ntwo 2\nthree 3\n").Found() {
		got = append(got, d.Message)
	}
	if strings.Join(got, " ") != "one two three" {
		t.Errorf("the order is %v, want %q", got, "one two three")
	}
}

// TestNULByte: a NUL byte is reported at its place, as the only finding.
func TestNULByte(t *testing.T) {
	found := config(lang.Define(spec()), "size \x00\x00 1\n").Diagnostics()
	if len(found) != 1 || found[0].Code != lang.NULByte || found[0].Span.Start != 5 || found[0].Span.End != 6 || !strings.Contains(found[0].Message, "offset 5") {
		t.Errorf("%+v, want only the NUL byte at 5 to 6, with its offset in the message", found)
	}
}

// TestByName finds a language by its name; the error for an unknown name lists the
// known ones.
func TestByName(t *testing.T) {
	memo := spec()
	memo.Name = "memo"
	languages := []*lang.Language{lang.Define(spec()), lang.Define(memo)}
	for name, want := range map[string]string{"note": "note", "memo": "memo"} {
		if l, err := lang.ByName(languages, name); err != nil || l.Name != want {
			t.Errorf("%s: %v, %v", name, l, err)
		}
	}
	for name, want := range map[string]string{
		"nota": "`nota` is not a language; did you mean `note`?",
		"xyz":  "`xyz` is not a language; known are note, memo",
	} {
		if l, err := lang.ByName(languages, name); l != nil || err == nil || err.Error() != want {
			t.Errorf("%s: %v, %v", name, l, err)
		}
	}
}

// TestSniffBegin: only the first SniffBytes of a text decide which language it is.
func TestSniffBegin(t *testing.T) {
	s := spec()
	var seen string
	s.Sniff = func(text string) bool {
		seen = text
		return strings.HasSuffix(text, "last")
	}
	l := lang.Define(s)
	long := strings.Repeat("x", lang.SniffBytes-4) + "last"
	if !l.Sniffs("last") || seen != "last" || !l.Sniffs(long) || !l.Sniffs(long+" more") || seen != long {
		t.Errorf("the language was shown %d bytes, want the first %d at most", len(seen), lang.SniffBytes)
	}
}

// TestHidden: a value that is run is reported if it contains a character that
// controls a terminal.
func TestHidden(t *testing.T) {
	at := source.NewFile("a.note", "run x").Span(4, 5)
	if d := lang.Hidden("plain text", at); d != nil {
		t.Errorf("%+v, want none", d)
	}
	d := lang.Hidden("a\x1b[2K", at)
	if d == nil || d.Code != lang.HiddenCharacter || d.Span != at || !strings.Contains(d.Message, "`\\u001b`") || len(d.Help) != 1 {
		t.Errorf("%+v, want a hidden character at %s, called `\\u001b`, with help", d, at)
	}
}

// TestSharedCodes: every code that belongs to no language is documented.
func TestSharedCodes(t *testing.T) {
	ids := map[string]bool{}
	for _, c := range lang.SharedCodes() {
		if c.Title == "" || c.Doc == "" || !strings.Contains(c.ID, "/") || ids[c.ID] {
			t.Errorf("%q has no text, or occurs twice", c.ID)
		}
		ids[c.ID] = true
	}
	for _, c := range []*diag.Code{lang.NULByte, lang.ByteOrderMark, lang.TooLarge, lang.Unreadable, diag.TooMany, lang.UnusedIgnore, lang.UnknownIgnore, lang.HiddenCharacter} {
		if !ids[c.ID] {
			t.Errorf("%s is not listed", c.ID)
		}
	}
}

// TestValuesOfLanguage: the settings come in the language's own order.
func TestValuesOfLanguage(t *testing.T) {
	s := poor()
	s.Values = func(n *notes) iter.Seq[origin.Entry] {
		return slices.Values([]origin.Entry{{Key: "b"}, {Key: "a"}})
	}
	var got []string
	for e := range config(lang.Define(s), "colour red\n").Values() {
		got = append(got, e.Key)
	}
	if strings.Join(got, " ") != "b a" {
		t.Errorf("the settings are %v, want %q", got, "b a")
	}
}
