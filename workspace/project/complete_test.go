package project

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
)

// pointed returns a file and the offset of the `^` in its text, which is removed.
func pointed(text string) (*source.File, int) {
	offset := strings.IndexByte(text, '^')
	return source.NewFile("p/pentode.toml", strings.Replace(text, "^", "", 1)), offset
}

// TestComplete: every place offers what can be written there, and a completion replaces what is written
// already.
func TestComplete(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ex^", "exclude = "},
		{"exclude^ = []", "exclude"},
		{"^\n[sprokit]\n", "as = "},
		{"se^", "select = , severity."},
		{"[se^", "severity"},
		{"[spr^]\n", "sprokit"},
		{"[la^", "launch."},
		{"[sprokit]\nty^", "types = "},
		{"sprokit.ty^", "types = "},
		{"[ sprokit ] # a comment\n\n  fr^", "fragments = "},
		{"[run]\nno^", "nodes = "},
		{"[run]\nma^", "map."},
		{"[run.ma^", "map"},
		{"[launch.no^", ""},
		{"[launch.so^", "solver"},
		{"[launch.\"a^", "\"a b\""},
		{"[launch.solver]\ncop^", "copies = "},
		{"[launch.solver]\nen^", "env."},
		{"[launch.solver.en^", "env"},
		{"launch.solver.cop^", "copies = "},
		{"as = ^", "\"documented\", \"upstream\""},
		{"as = \"up^\"", "upstream"},
		{"as = 'up^'", "upstream"},
		{"ignore = [\n  \"pinsight/up^\", # the first\n]", "pinsight/upstream-range"},
		{"ignore = [\"a\", ^]", "\"sprokit/unknown-port\", \"sprokit/unknown-type\", \"pinsight/upstream-range\""},
		{"[severity]\n\"sprokit/unknown-p^", "\"sprokit/unknown-port\" = "},
		{"[severity]\n\"sprokit/*\" = \"i^\"", "info"},
		{"[files]\n\"*.yml\" = \"pd^\"", "pdi"},
		{"[launch.solver]\nready = \"^\"", "none, tcp:"},
		{"# ex^", ""},
		{"as = \"x\" # ex^", ""},
		{"[sprokit] ex^", ""},
		{"[env]\nPA^", ""},
		{"a = 1\n[b]\nc = \"[\"\n[sprokit]\nty^", "types = "},
	} {
		f, offset := pointed(c.text)
		var got []string
		for _, item := range Complete(f, offset, names, []string{"a b", "solver"}) {
			typed := f.Text()[item.Replace.Start:offset]
			if strings.HasPrefix(item.Insert, typed) || typed == "" {
				got = append(got, item.Insert)
			}
		}
		if c.text[0] == '^' { // everything is offered
			got = got[:1]
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, s, c.want)
		}
	}
}

// TestDescribe: a setting is described at its key and at its value.
func TestDescribe(t *testing.T) {
	for _, c := range []struct{ text, at, want string }{
		{"excl^ude = []", "exclude", "`exclude`\n\nfiles and folders that"},
		{"[spro^kit]\ntypes = []", "sprokit", "`[sprokit]`\n\nthe settings for files"},
		{"[sprokit]\nty^pes = []", "types", "`sprokit.types`\n\ncatalogues"},
		{"[sprokit]\ntypes = [\"a^b\"]", "ab", "`sprokit.types`\n\ncatalogues"},
		{"[launch.solver]\ncopies^ = 3", "copies", "`launch.solver.copies`\n\nhow often it is started\n\nIt takes a number."},
		{"[run]\nno^des = 3", "nodes", "`run.nodes`\n\nthe machines of the job\n\nIt takes a number."},
		{"[lau^nch.solver]", "launch", "`launch`\n\n`[launch.NAME]`: settings of one program"},
		{"[env]\nA^ = \"1\"", "A", "`env.A`\n\nvariables for"},
		{"unkn^own = 1", "", ""},
		{"# excl^ude", "", ""},
	} {
		f, offset := pointed(c.text)
		text, at, ok := Describe(f, offset, names)
		if ok != (c.want != "") || ok && (!strings.HasPrefix(text, c.want) || at.Text() != c.at) {
			t.Errorf("%s: %q at %q, want %q before, at %q", c.text, text, at.Text(), c.want, c.at)
		}
	}
}
