package syntax

import "strings"

// older reports whether the file is in an earlier format of the same name,
// which it recognises by the first line that is not empty or a comment. Such a
// file gets one finding instead of one for every line.
func (p *parser) older() bool {
	text := strings.TrimPrefix(p.text, bom)
	start := len(p.text) - len(text)
	for line := range strings.Lines(text) {
		end := start + len(line)
		content := strings.TrimSpace(line)
		if content == "" || content[0] == '#' || content[0] == ';' || strings.HasPrefix(content, "//") {
			start = end
			continue
		}
		what := olderLine(content)
		if what == "" {
			return false
		}
		from := start + strings.Index(line, content)
		p.tree.Report(OlderFormat, p.tree.File().Span(from, from+min(len(content), 60)), "this looks like the older COIL %s, which is another language", what).
			Helped("a configuration has sections such as `[Target]` with lines `PU = CPU`; `pentode target list presets` has examples to begin with")
		return true
	}
	return false
}

// olderLine returns the name of the older format that a line belongs to, or "".
// It ignores blanks, so formatting a file does not change the result.
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
