package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// entry is a file of an archive.
type entry struct {
	Name string // in the archive
	From string // on the disk
	Mode fs.FileMode
}

// entries returns the files of an archive, sorted by source.
func (w *work) entries(p platform) ([]entry, error) {
	list := []entry{{p.program(), w.at(p, p.program()), 0o755}, {"README.md", "README.md", 0o644}, {"LICENSE", "LICENSE", 0o644}, {"NOTICES", w.noticesFile(p), 0o644}, {"CHANGELOG.md", "CHANGELOG.md", 0o644}}
	for _, folder := range []string{"man", "completions"} {
		files, err := os.ReadDir(filepath.Join(w.stage, folder))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			list = append(list, entry{path.Join(folder, f.Name()), filepath.Join(w.stage, folder, f.Name()), 0o644})
		}
	}
	modules, err := pythonModules("python")
	return append(list, modules...), err
}

// pythonModules returns the files of the Python package, which the program finds beside itself, without the caches
// that Python creates; folder is their destination.
func pythonModules(folder string) (list []entry, err error) {
	err = filepath.WalkDir(filepath.Join("python", "pentode"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (filepath.Ext(name) == ".py" || d.Name() == "py.typed") {
			list = append(list, entry{path.Join(folder, strings.TrimPrefix(filepath.ToSlash(name), "python/")), name, 0o644})
		}
		return err
	})
	return list, err
}

// archive packs the program with its manual: a .zip for Windows, else a .tar.gz.
func (w *work) archive(p platform) error {
	list, err := w.entries(p)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("pentode-%s-%s-%s", w.version, p.os, p.arch)
	if p.os == "windows" {
		return w.create(name+".zip", func(out io.Writer) error { return writeZip(out, name, list, w.commit) })
	}
	return w.create(name+".tar.gz", func(out io.Writer) error { return writeTar(out, name, list, w.commit) })
}

// create creates a file of the release.
func (w *work) create(name string, write func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(w.dist, name))
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// writeTar packs files; owner and time are the same everywhere.
func writeTar(out io.Writer, root string, list []entry, when time.Time) error {
	z, err := gzip.NewWriterLevel(out, gzip.DefaultCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, e := range list {
		text, err := os.ReadFile(e.From)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: path.Join(root, e.Name), Mode: int64(e.Mode), Size: int64(len(text)), ModTime: when, Format: tar.FormatPAX}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(text); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func writeZip(out io.Writer, root string, list []entry, when time.Time) error {
	z := zip.NewWriter(out)
	for _, e := range list {
		text, err := os.ReadFile(e.From)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: path.Join(root, e.Name), Method: zip.Deflate, Modified: when}
		h.SetMode(e.Mode)
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(text); err != nil {
			return err
		}
	}
	return z.Close()
}
