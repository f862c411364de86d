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
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestHelp: the help of every verb except `run` has at most 40 lines of at most 100 columns, and ends with two examples that use only flags shown in
// the help.
func TestHelp(t *testing.T) {
	visitHelp(t, cli.Command(), func(verb *cobra.Command, help string, examples []string) {
		name := verb.CommandPath()
		if n := strings.Count(help, "\n"); n > 40 && verb.HasParent() && name != "pentode run" {
			t.Errorf("%s: the help has %d lines, want at most 40", name, n)
		}
		for line := range strings.Lines(help) {
			if width := utf8.RuneCountInString(line) - 1; width > 100 && !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: a line of the help is %d columns wide, want at most 100: %s", name, width, line)
			}
		}
		if len(examples) != 2 {
			t.Errorf("%s: the help ends with %d examples, not with two", name, len(examples))
		}
		for _, line := range examples {
			if !strings.Contains(line, name+" ") && !strings.HasSuffix(line, name) {
				t.Errorf("%s: `%s` is no example of it", name, line)
			}
			_, own, _ := strings.Cut(line, name)
			for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(own, -1) {
				if !verb.HasSubCommands() && verb.Flags().Lookup(flag[2:]) == nil {
					t.Errorf("%s: the example's %s is not a flag", name, flag)
				}
			}
		}
	})
}

// TestVocabulary limits the number of verbs and flags, and checks that each thing has only one name. Before adding one, remove
// another, or add a key to pentode.toml instead.
func TestVocabulary(t *testing.T) {
	top, leaves, ofRun := 0, 0, 0
	verbs := map[string][]string{} // the verbs that have a flag
	visitHelp(t, cli.Command(), func(verb *cobra.Command, _ string, _ []string) {
		if parent := verb.Parent(); parent != nil && !parent.HasParent() {
			top++
		}
		if verb.HasSubCommands() {
			return
		}
		leaves++
		verb.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" {
				return
			}
			verbs[f.Name] = append(verbs[f.Name], verb.CommandPath())
			if verb.Name() == "run" {
				ofRun++
			}
		})
	})
	for _, c := range []struct {
		what      string
		have, max int
	}{{"verbs at the top", top, 35}, {"leaves", leaves, 62}, {"different flags", len(verbs), 95}, {"flags of run", ofRun, 36}} {
		if c.have > c.max {
			t.Errorf("%d %s, want at most %d", c.have, c.what, c.max)
		}
	}
	// Words that must not be used, with the word to use instead.
	for wrong, ours := range map[string]string{
		"preview": "dry-run", "print": "dry-run", "out": "output", "out-dir": "output", "to-file": "output", "lexgion": "region", "duration": "for",
		"verbose": "all", "colour": "color", "no-color": "color", "silent": "quiet", "limit": "max-size", "config-file": "policy", "yes-to-all": "yes",
	} {
		if list := verbs[wrong]; len(list) > 0 {
			t.Errorf("--%s of %s is called --%s everywhere else", wrong, strings.Join(list, ", "), ours)
		}
	}
}

// TestHelpExamples runs the examples of every help text in the root folder of the repository: none is misuse.
func TestHelpExamples(t *testing.T) {
	need.Slow(t)
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("runs a shell for every example")
	}
	need.Program(t, "grep") // one example pipes into grep
	// These examples need things that a clone does not have: a live run, a program that is traced or built twice, or installed
	// sources. Servers and live views do not end by themselves.
	absent := regexp.MustCompile(`pentode (logs|attach|wait|exec|stop|restart|signal|control|serve|top|lsp|collect|origin|runs (show|diff|tag|rm|rerun))|` +
		`trace (record|merge|export|report|query|why)|--record|--calibrate|--elf|retarget|types import`)
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join(golden.Root(t), "examples"))); err != nil {
		t.Fatal(err)
	}
	var tried []string
	visitHelp(t, cli.Command(), func(_ *cobra.Command, _ string, examples []string) {
		for _, line := range examples {
			if absent.MatchString(line) || strings.Contains(line, "pentode run ") || slices.Contains(tried, line) {
				continue
			}
			tried = append(tried, line)
			sh := exec.Command("sh", "-c", line)
			sh.Dir = dir
			sh.Env = append(os.Environ(), noRaceNap, "XDG_STATE_HOME="+filepath.Join(dir, "state"))
			out, err := sh.CombinedOutput()
			var exit *exec.ExitError
			if errors.As(err, &exit) && exit.ExitCode() == 1 || err == nil {
				continue // exit code 1 is a valid answer, such as a difference or findings
			}
			t.Errorf("%s\n%v: %s", line, err, out)
		}
	})
	if len(tried) < 50 {
		t.Errorf("only %d examples were tried, want 50", len(tried))
	}
}

// visitHelp calls see for a verb and all its subcommands, with the help text and its examples.
func visitHelp(t *testing.T, verb *cobra.Command, see func(verb *cobra.Command, help string, examples []string)) {
	help := helpOf(t, strings.Fields(verb.CommandPath())[1:])
	_, examples, _ := strings.Cut(help, "\nExamples:\n")
	var lines []string
	for line := range strings.Lines(examples) {
		lines = append(lines, strings.TrimSpace(line))
	}
	see(verb, help, lines)
	for _, sub := range verb.Commands() {
		if sub.IsAvailableCommand() {
			visitHelp(t, sub, see)
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
