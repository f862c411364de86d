package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// notices writes the licences of all third-party code in the built program.
// Most of them must accompany each copy.
func (w *work) notices(p platform) error {
	info, err := buildinfo.ReadFile(w.program)
	if err != nil {
		return err
	}
	folders, err := moduleFolders()
	if err != nil {
		return err
	}
	parts := []part{{"The Go standard library, " + info.GoVersion, folders["std"]}}
	for _, m := range info.Deps {
		parts = append(parts, part{m.Path + " " + m.Version, folders[m.Path]})
	}
	var b strings.Builder
	b.WriteString("The program pentode contains the modules below, each under the terms that follow its name.\n")
	for _, part := range parts {
		if err := part.write(&b); err != nil {
			return err
		}
	}
	return os.WriteFile(w.noticesFile(p), []byte(b.String()), 0o644)
}

func (w *work) noticesFile(p platform) string { return w.at(p, "NOTICES") }

// part is a third-party part of the program.
type part struct{ name, folder string }

// terms matches the names of licence files.
var terms = regexp.MustCompile(`(?i)^(licen[cs]e|notice|copying|patents)([.-].*)?$`)

// write appends the terms of the part. A module without terms must not be distributed.
func (p part) write(b *strings.Builder) error {
	files, err := os.ReadDir(p.folder)
	if err != nil {
		return fmt.Errorf("the terms of %s cannot be read: %w", p.name, err)
	}
	files = slices.DeleteFunc(files, func(f os.DirEntry) bool { return f.IsDir() || !terms.MatchString(f.Name()) })
	if len(files) == 0 {
		return fmt.Errorf("%s has no file with its terms in %s", p.name, p.folder)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(p.folder, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 78), p.name, f.Name(), strings.TrimSpace(string(text)))
	}
	return nil
}

// moduleFolders finds the source folders of all modules, and Go's own under "std".
func moduleFolders() (map[string]string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, errors.New("`go env GOROOT` failed: the terms of Go are not known")
	}
	folders := map[string]string{"std": strings.TrimSpace(string(root))}
	list, err := exec.Command("go", "list", "-m", "-f", "{{.Path}}\t{{.Dir}}", "all").Output()
	if err != nil {
		return nil, errors.New("`go list -m all` failed: the terms of the modules are not known")
	}
	for line := range strings.Lines(string(list)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		folders[path] = dir
	}
	return folders, nil
}
