package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra/doc"

	"github.com/pentode-dev/pentode/cli"
)

// platform is an operating system and a processor, by Go's names.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

func parsePlatform(name string) (platform, error) {
	if !slices.Contains(allPlatforms, name) {
		return platform{}, fmt.Errorf("there are no packages for `%s`; there are for %s", name, strings.Join(allPlatforms, ", "))
	}
	system, arch, _ := strings.Cut(name, "/")
	return platform{system, arch}, nil
}

// program returns the file name of the program.
func (p platform) program() string {
	if p.os == "windows" {
		return "pentode.exe"
	}
	return "pentode"
}

func (w *work) at(p platform, parts ...string) string {
	return filepath.Join(append([]string{w.stage, p.os + "-" + p.arch}, parts...)...)
}

// build builds the program without symbols and without the names of build
// folders.
func (w *work) build(p platform) error {
	w.program = w.at(p, p.program())
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -buildid=", "-o", w.program, "./cmd/pentode")
	cmd.Env = append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0", "GOFLAGS=")
	return run(cmd)
}

// manual writes the manual pages and the completions of four shells.
func (w *work) manual() error {
	root := cli.Command()
	man := filepath.Join(w.stage, "man")
	if err := os.MkdirAll(man, 0o755); err != nil {
		return err
	}
	header := &doc.GenManHeader{Title: "PENTODE", Section: "1", Date: &w.commit, Source: "pentode " + w.version, Manual: "Pentode"}
	if err := doc.GenManTree(root, header, man); err != nil {
		return err
	}
	completions := filepath.Join(w.stage, "completions")
	if err := os.MkdirAll(completions, 0o755); err != nil {
		return err
	}
	for file, write := range map[string]func(string) error{
		"pentode.bash": func(path string) error { return root.GenBashCompletionFileV2(path, true) },
		"_pentode":     root.GenZshCompletionFile,
		"pentode.fish": func(path string) error { return root.GenFishCompletionFile(path, true) },
		"pentode.ps1":  root.GenPowerShellCompletionFileWithDesc,
	} {
		if err := write(filepath.Join(completions, file)); err != nil {
			return err
		}
	}
	return nil
}

// run runs a command. If it fails, the error contains its output.
func run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("`%s` failed: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}
