package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"
	"time"
)

// compilers are the C compilers that build the libraries of capi for a processor; on that
// processor itself, `cc` builds them.
var compilers = map[string]string{"amd64": "x86_64-linux-gnu-gcc", "arm64": "aarch64-linux-gnu-gcc", "ppc64le": "powerpc64le-linux-gnu-gcc"}

// libraries builds the libraries that C, C++ and Python programs link with. Files that depend on
// the user's Fortran and Python are made on the user's machine, by `go run ./capi/install`.
func (w *work) libraries(p platform) error {
	if p.os != "linux" {
		return nil
	}
	cc, err := exec.LookPath(compilers[p.arch])
	if err != nil {
		leftOut("the libraries for "+p.String(), "`"+compilers[p.arch]+"` is not installed")
		return nil
	}
	installer := filepath.Join(w.stage, "install")
	if err := run(exec.Command("go", "build", "-buildvcs=false", "-o", installer, "./capi/install")); err != nil {
		return err
	}
	cmd := exec.Command(installer, "--plain", w.at(p, "capi"), p.arch)
	cmd.Env = append(os.Environ(), "CC="+cc, "GOFLAGS=")
	return run(cmd)
}

// packages makes the .deb and .rpm files.
func (w *work) packages(p platform) error {
	if p.os != "linux" {
		return nil
	}
	_, err := os.Stat(w.at(p, "capi"))
	config := w.at(p, "nfpm.yaml")
	f, err2 := os.Create(config)
	if err2 != nil {
		return err2
	}
	modules, err2 := pythonModules("/usr/lib/pentode/python")
	if err2 != nil {
		return err2
	}
	err2 = description.Execute(f, map[string]any{
		"Arch": p.arch, "Notices": w.noticesFile(p), "Version": w.version, "Program": w.at(p, p.program()), "Stage": w.stage,
		"Libraries": err == nil, "Capi": w.at(p, "capi"), "Time": w.commit.Format(time.RFC3339),
		"Python": modules,
	})
	if err2 != nil {
		return err2
	}
	if err := f.Close(); err != nil {
		return err
	}
	for _, kind := range []string{"deb", "rpm"} {
		cmd := exec.Command("go", "run", "-trimpath", "-modfile=packaging/nfpm.mod", "github.com/goreleaser/nfpm/v2/cmd/nfpm", "package", "--config", config, "--packager", kind, "--target", w.dist+string(filepath.Separator))
		cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", w.commit.Unix()))
		if err := run(cmd); err != nil {
			return err
		}
	}
	return nil
}

// description is the configuration of nfpm. The libraries are in a separate
// folder, since the original libpdi may be installed too; share/pdi/env.sh
// selects one of them.
var description = template.Must(template.New("nfpm").Parse(strings.TrimLeft(`
name: pentode
arch: {{.Arch}}
platform: linux
version: {{.Version}}
mtime: {{.Time}}
section: science
maintainer: The Pentode authors <pentode@localhost>
description: |
  Workbench for the configuration of a scientific run.
  Checks, formats, explains and runs the five languages that describe a
  scientific run: COIL, Paradyn, sprokit, PDI and PInsight.
license: Apache-2.0
scripts:
  preremove: packaging/before_removal.sh
contents:
  - {src: "{{.Program}}", dst: /usr/bin/pentode, file_info: {mode: 0755}}
  - {src: /usr/bin/pentode, dst: /usr/bin/coil-config-validate, type: symlink}
  - {src: "{{.Stage}}/man/*.1", dst: /usr/share/man/man1/, file_info: {mode: 0644}}
  - {src: "{{.Stage}}/completions/pentode.bash", dst: /usr/share/bash-completion/completions/pentode, file_info: {mode: 0644}}
  - {src: "{{.Stage}}/completions/_pentode", dst: /usr/share/zsh/vendor-completions/_pentode, file_info: {mode: 0644}}
  - {src: "{{.Stage}}/completions/pentode.fish", dst: /usr/share/fish/vendor_completions.d/pentode.fish, file_info: {mode: 0644}}
  - {src: LICENSE, dst: /usr/share/doc/pentode/copyright, file_info: {mode: 0644}}
  - {src: "{{.Notices}}", dst: /usr/share/doc/pentode/NOTICES, file_info: {mode: 0644}}
  - {src: CHANGELOG.md, dst: /usr/share/doc/pentode/CHANGELOG.md, file_info: {mode: 0644}}
  - {src: examples, dst: /usr/share/doc/pentode/examples, type: tree}
{{- range .Python}}
  - {src: "{{.From}}", dst: "{{.Name}}", file_info: {mode: 0644}}
{{- end}}
{{- if .Libraries}}
  - {src: "{{.Capi}}", dst: /usr/lib/pentode, type: tree}
{{- end}}
`, "\n")))
