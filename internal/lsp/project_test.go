package lsp_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
)

// TestProjectFile: the server completes settings, program names and values in a project file, and describes
// settings.
func TestProjectFile(t *testing.T) {
	dir := folder(t)
	c := start(t, dir, pushed)
	c.open("a.psdl", "process { name \"solver\"; command \"true\"; host \"localhost\"; daemon \"d\"; }\n")
	at := func(text, mark string) protocol.PositionParams {
		c.change("pentode.toml", nil, text)
		i := strings.Index(text, mark) + len(mark)
		line := strings.Count(text[:i], "\n")
		var p protocol.PositionParams
		p.TextDocument.URI = c.uri("pentode.toml")
		p.Position = protocol.Position{Line: line, Character: i - 1 - strings.LastIndexByte(text[:i], '\n')}
		return p
	}
	c.open("pentode.toml", "")
	for _, x := range []struct{ text, mark, want string }{
		{"excl", "excl", "exclude"},
		{"[launch.so", "so", "solver"},
		{"as = \"ups\"", "ups", "upstream"},
	} {
		var list protocol.CompletionList
		c.call("textDocument/completion", at(x.text, x.mark), &list)
		if len(list.Items) != 1 || list.Items[0].Label != x.want {
			t.Errorf("%s: %+v, want len(list.Items) = 1 and list.Items[0].Label = %v", x.text, list.Items, x.want)
		}
	}
	var hover protocol.Hover
	c.call("textDocument/hover", at("[sprokit]\ntypes = []\n", "typ"), &hover)
	if !strings.Contains(hover.Contents.Value, "catalogues of process types") {
		t.Errorf("%+v, want %q in it", hover, "catalogues of process types")
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}
