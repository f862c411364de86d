package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func unzip(out io.Writer, packed []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	_, err = io.Copy(out, z)
	return err
}

// component is a module in the bill of materials.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
}

// sbom writes a bill of materials in CycloneDX format: Go, and the modules in
// the built program.
func (w *work) sbom() error {
	info, err := buildinfo.ReadFile(w.program)
	if err != nil {
		return err
	}
	of := func(name, version string) component {
		return component{"library", name, version, "pkg:golang/" + name + "@" + version}
	}
	list := []component{of("std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		list = append(list, of(m.Path, m.Version))
	}
	text, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata": map[string]any{
			"timestamp": w.commit.Format(time.RFC3339),
			"component": component{"application", "pentode", w.version, "pkg:golang/" + info.Main.Path + "@v" + w.version},
		},
		"components": list,
	}, "", "  ")
	if err != nil {
		return err
	}
	return w.create("sbom.json", func(out io.Writer) error { _, err := out.Write(append(text, '\n')); return err })
}

// checksums writes the checksum of every file, in the format of `sha256sum -c`.
func (w *work) checksums() error {
	files, err := os.ReadDir(w.dist)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, f := range files {
		if f.Name() == "SHA256SUMS" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(w.dist, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(text), f.Name())
	}
	return w.create("SHA256SUMS", func(out io.Writer) error { _, err := io.WriteString(out, b.String()); return err })
}
