package cli_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestHelp: the help of every verb ends with two examples of it, which name no
// flag that the help does not.
func TestHelp(t *testing.T) {
	visitHelp(t, nil, func(name, help string, examples []string) {
		if len(examples) != 2 {
			t.Errorf("%s: the help ends with %d examples, not with two", name, len(examples))
		}
		for _, line := range examples {
			if !strings.Contains(line, name+" ") && !strings.HasSuffix(line, name) {
				t.Errorf("%s: `%s` is no example of it", name, line)
			}
			for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(line, -1) {
				if strings.Contains(help, "\nFlags:\n") && !strings.Contains(help, "\nVerbs:\n") && !strings.Contains(help, flag) {
					t.Errorf("%s: the example's %s is not a flag", name, flag)
				}
			}
		}
	})
}

// TestHelpExamples runs the examples of all helps as they stand, from the
// folder that a clone begins in: none of them is misuse.
func TestHelpExamples(t *testing.T) {
	need.Slow(t)
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("runs a shell for every example")
	}
	need.Program(t, "grep") // an example pipes into it
	// A run that goes on, a program that is traced or built twice, or sources of an installation are not in a clone;
	// servers and live views go on until they are ended.
	absent := regexp.MustCompile(`launch (status|logs|attach|wait|exec|stop|restart|signal|collect)|trace (run|status|reload|merge|export|report|query|why|simulate|budget|calibrate)|--record|--elf|retarget|flow (import|control)|pentode (serve|top|lsp)`)
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join(golden.Root(t), "examples"))); err != nil {
		t.Fatal(err)
	}
	var tried []string
	visitHelp(t, nil, func(_, _ string, examples []string) {
		for _, line := range examples {
			if absent.MatchString(line) || strings.Contains(line, "pentode run ") || slices.Contains(tried, line) {
				continue
			}
			tried = append(tried, line)
			sh := exec.Command("sh", "-c", line)
			sh.Dir = dir
			sh.Env = append(os.Environ(), noRaceNap)
			out, err := sh.CombinedOutput()
			var exit *exec.ExitError
			if errors.As(err, &exit) && exit.ExitCode() == 1 || err == nil {
				continue // a difference, or errors that were found, are answers too
			}
			t.Errorf("%s\n%v: %s", line, err, out)
		}
	})
	if len(tried) < 30 {
		t.Errorf("only %d examples were tried", len(tried))
	}
}

// visitHelp shows the help of all verbs, from the whole program on.
func visitHelp(t *testing.T, path []string, see func(name, help string, examples []string)) {
	help := helpOf(t, path)
	_, examples, _ := strings.Cut(help, "\nExamples:\n")
	var lines []string
	for line := range strings.Lines(examples) {
		lines = append(lines, strings.TrimSpace(line))
	}
	see(strings.Join(append([]string{"pentode"}, path...), " "), help, lines)
	_, verbs, _ := strings.Cut(help, "\nVerbs:\n")
	verbs, _, _ = strings.Cut(verbs, "\n\n")
	for line := range strings.Lines(verbs) {
		if words := strings.Fields(line); len(words) > 0 && strings.HasPrefix(line, "  ") {
			visitHelp(t, append(path[:len(path):len(path)], words[0]), see)
		}
	}
}

func helpOf(t *testing.T, path []string) string {
	var out, errs bytes.Buffer
	if code := cli.Run(cli.Options{}, append(path[:len(path):len(path)], "--help"), strings.NewReader(""), &out, &errs); code != 0 || errs.Len() > 0 {
		t.Fatalf("pentode %s --help: exit %d, %s", strings.Join(path, " "), code, &errs)
	}
	return out.String()
}
