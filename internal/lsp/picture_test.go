package lsp_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
)

// TestPicture: the picture in docs/editors.md shows what the server reports about the text in it.
func TestPicture(t *testing.T) {
	c := start(t, t.TempDir(), everything)
	c.open("heat.pipe", "config plate\n  rows = 64\n\nprocess solver\n  :: heat\n  rows = $CONFIG{plate:rows}\n  colls = 128\n\nprocess out\n  :: sink\n\nconnect from solver.field to out.sink\n")
	document := protocol.TextDocument{URI: c.uri("heat.pipe")}
	var hover protocol.Hover
	c.call("textDocument/hover", protocol.PositionParams{DocumentParams: protocol.DocumentParams{TextDocument: document}, Position: protocol.Position{Line: 5, Character: 3}}, &hover)
	var report protocol.DiagnosticReport
	c.call("textDocument/diagnostic", protocol.DocumentParams{TextDocument: document}, &report)
	var hints []protocol.InlayHint
	c.call("textDocument/inlayHint", protocol.RangeParams{DocumentParams: protocol.DocumentParams{TextDocument: document}, Range: protocol.Range{End: protocol.Position{Line: 99}}}, &hints)
	if err := c.stop(); err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`).ReplaceAllString(hover.Contents.Value, "$1") + "\n" + report.Items[0].Message + "\n" + hints[0].Label + "\n"
	shown := 0
	for _, line := range pictured(t, "../../docs/pictures/editor.svg") {
		if !strings.Contains(line, "`") && !strings.HasPrefix(line, "= ") {
			continue // this text belongs to the document itself
		}
		shown++
		if line = strings.TrimLeft(line, "123. "); !strings.Contains(said, line) {
			t.Errorf("the picture shows %q, and the server says\n%s\nwant %q in it", line, said, line)
		}
	}
	if shown < 6 {
		t.Errorf("the picture shows only %d things that the server says", shown)
	}
}

// pictured returns the texts in a picture.
func pictured(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []string
	var text strings.Builder
	depth := 0
	for d := xml.NewDecoder(f); ; {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if tok.Name.Local == "text" {
				depth++
			}
		case xml.CharData:
			if depth > 0 {
				text.Write(tok)
			}
		case xml.EndElement:
			if tok.Name.Local == "text" {
				depth--
				list = append(list, text.String())
				text.Reset()
			}
		}
	}
}
