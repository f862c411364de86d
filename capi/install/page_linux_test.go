package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestInSituPage follows the page: it writes the page's files, runs its commands and compares their output. `…` matches anything.
func TestInSituPage(t *testing.T) {
	need.Program(t, "pkg-config", "--version")
	p := prefix(t)
	noBlanks(t, p)
	page, err := os.ReadFile(filepath.Join(golden.Root(t), "docs", "in-situ.md"))
	if err != nil {
		t.Fatal(err)
	}
	h := newHandoffs(t, p)
	bin := t.TempDir()
	if err := os.Symlink(golden.Pentode(t), filepath.Join(bin, "pentode")); err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, block := range regexp.MustCompile("(?ms)^```(\\w+)( \\S+)?\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		name, text := strings.TrimSpace(block[2]), block[3]
		if name != "" {
			h.write(t, name, text)
		}
		if block[1] != "console" {
			continue
		}
		for _, part := range strings.Split("\n"+text, "\n$ ")[1:] {
			line, want, _ := strings.Cut(part, "\n")
			want = strings.TrimSpace(want)
			commands++
			cmd := exec.Command("/bin/bash", "-c", line)
			cmd.Dir = h.dir
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "PKG_CONFIG_PATH="+filepath.Join(p, "lib/pkgconfig"),
				"LD_LIBRARY_PATH="+filepath.Join(p, "lib"), "XDG_RUNTIME_DIR="+h.state, "XDG_STATE_HOME="+h.state, "PENTODE_PROGRAM=")
			out, err := cmd.CombinedOutput()
			pattern := "(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(want), "…", ".*") + "$"
			if !regexp.MustCompile(pattern).MatchString(strings.TrimSpace(string(out))) || err != nil {
				t.Errorf("$ %s\n%s\nwant %s (%v)", line, out, want, err)
			}
		}
	}
	if commands < 5 {
		t.Errorf("only %d commands were run", commands)
	}
}
