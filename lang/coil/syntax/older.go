package syntax

import (
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
)

// older recognises the earlier formats that shared this one's name, by the
// first line that means something. Each mistake in such a file would be said
// about every line; it is said once instead.
func older(f *source.File) *diag.Diagnostic {
	at := 0
	for line := range strings.Lines(strings.TrimPrefix(f.Text(), bom)) {
		start := at
		if at == 0 && strings.HasPrefix(f.Text(), bom) {
			start = len(bom)
		}
		at = start + len(line)
		text := strings.TrimSpace(line)
		if text == "" || text[0] == '#' || text[0] == ';' || strings.HasPrefix(text, "//") {
			continue
		}
		what := olderLine(text)
		if what == "" {
			return nil
		}
		from := start + strings.Index(line, text)
		return diag.New(OlderFormat, f.Span(from, from+min(len(text), 60)), "this looks like the older COIL %s, which is another language", what).
			Helped("a configuration has sections such as `[Target]` with lines `PU = CPU`; `pentode target list presets` has examples to begin with")
	}
	return nil
}

// olderLine names the format that a line belongs to, or nothing. Blanks make no
// difference: a formatted line is what it was before.
func olderLine(text string) string {
	word := strings.Fields(text)[0]
	head := strings.Join(strings.Fields(text), "")
	switch {
	case word == "DEVICE" || word == "FEATSET":
		if !strings.Contains(text, "=") {
			return "device description (`DEVICE … ENDDEV`)"
		}
	case strings.HasSuffix(text, "{") && !strings.Contains(text, "=") && text[0] != '[' && text[0] != '@':
		return "syntax with braces (`target { … }`)"
	case strings.HasPrefix(head, "[device]") || strings.HasPrefix(head, "[device."):
		return "device file (`[device]`)"
	case strings.HasPrefix(head, "[processor]") || strings.HasPrefix(head, "[processor:"):
		return "processor file (`[processor]`)"
	}
	return ""
}
