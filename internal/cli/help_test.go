package cli_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/cli"
)

// TestHelp: the help of every verb ends with two examples, which name no flag
// that the help does not.
func TestHelp(t *testing.T) {
	var visit func(path []string)
	visit = func(path []string) {
		name := strings.Join(append([]string{"pentode"}, path...), " ")
		help := helpOf(t, path)
		_, examples, ok := strings.Cut(help, "\nExamples:\n")
		lines := strings.Split(strings.TrimRight(examples, "\n"), "\n")
		if !ok || len(lines) != 2 {
			t.Errorf("%s: the help ends with %d examples, not with two", name, len(lines))
			return
		}
		for _, line := range lines {
			if !strings.Contains(line, "pentode ") {
				t.Errorf("%s: `%s` cannot be run", name, strings.TrimSpace(line))
			}
			for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(line, -1) {
				if !strings.Contains(help, flag) {
					t.Errorf("%s: the example's %s is not a flag", name, flag)
				}
			}
		}
		_, verbs, _ := strings.Cut(help, "\nVerbs:\n")
		verbs, _, _ = strings.Cut(verbs, "\n\n")
		for line := range strings.Lines(verbs) {
			if words := strings.Fields(line); len(words) > 0 && strings.HasPrefix(line, "  ") {
				visit(append(path[:len(path):len(path)], words[0]))
			}
		}
	}
	visit(nil)
}

func helpOf(t *testing.T, path []string) string {
	var out, errs bytes.Buffer
	if code := cli.Run(append(path[:len(path):len(path)], "--help"), strings.NewReader(""), &out, &errs); code != 0 || errs.Len() > 0 {
		t.Fatalf("pentode %s --help: exit %d, %s", strings.Join(path, " "), code, &errs)
	}
	return out.String()
}
