package debuginfo

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// What a walk over much debug information has found is kept in a file, by the build id
// of the program. A file that is damaged, or of another form of the same build, such as
// a stripped one, is as good as none.

const (
	minKept  = 4 << 20   // bytes of debug information that are kept what was found in
	maxCache = 256 << 20 // bytes of all files; those that were not used for longest go
	cacheEnd = ".names"
)

// cache is where the index of a program is kept; empty where it is not.
func (f *File) cache(o Options) string {
	dir, id := o.Cache, f.BuildID()
	if id == "" || f.from == nil {
		return ""
	}
	if dir == "" {
		user, err := os.UserCacheDir()
		if s := f.from.Section(".debug_info"); err != nil || s.Size < minKept {
			return ""
		}
		dir = filepath.Join(user, "pentode", "names")
	}
	return filepath.Join(dir, fmt.Sprintf("%.40s-%x%s", id, f.form()[:4], cacheEnd))
}

// form tells the files of one build apart: with and without symbols, with and without
// debug information, here or elsewhere.
func (f *File) form() []byte {
	sum := sha256.New()
	for _, e := range []*elf.File{f.elf, f.from} {
		fmt.Fprintf(sum, "%d %x\n", indexForm, buildID(e))
		for _, s := range e.Sections {
			fmt.Fprintf(sum, "%q %d %d %d\n", s.Name, s.Type, s.Addr, s.Size)
		}
	}
	return sum.Sum(nil)
}

// recall returns the index that is kept, or nil.
func (f *File) recall() *index {
	if f.kept == "" || !private(filepath.Dir(f.kept)) || regular(f.kept) != nil {
		return nil
	}
	data, err := os.ReadFile(f.kept)
	if err != nil {
		return nil
	}
	text, ok := unsealed(data, f.form())
	if !ok {
		return nil
	}
	x, ok := decodeIndex(text)
	if !ok {
		return nil
	}
	x.file = f
	now := time.Now()
	_ = os.Chtimes(f.kept, now, now) // else it is only the sooner forgotten
	return x
}

// keep writes the index down. Where that fails, the next one will look again.
func (f *File) keep(x *index) {
	dir := filepath.Dir(f.kept)
	if f.kept == "" || os.MkdirAll(dir, 0o700) != nil || !private(dir) {
		return
	}
	whole, err := os.CreateTemp(dir, "new-*") // of the user alone
	if err != nil {
		return
	}
	_, err = whole.Write(sealed(encodeIndex(x), f.form()))
	if err = cmp.Or(err, whole.Close()); err == nil {
		err = os.Rename(whole.Name(), f.kept)
	}
	if err != nil {
		os.Remove(whole.Name())
		return
	}
	forget(dir)
}

// private reports whether others cannot change what is in a folder.
func private(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.Mode().Perm()&0o022 == 0
}

// forget removes the files that were not used for longest, and what a killed process left.
func forget(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var list []os.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if filepath.Ext(e.Name()) == cacheEnd || time.Since(info.ModTime()) > time.Hour {
			list = append(list, info)
		}
	}
	slices.SortFunc(list, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	size := int64(0)
	for _, info := range list {
		if size += info.Size(); size > maxCache || filepath.Ext(info.Name()) != cacheEnd {
			os.Remove(filepath.Join(dir, info.Name()))
		}
	}
}

// sealed is a text with the form that it belongs to and a checksum.
func sealed(text, form []byte) []byte {
	all := slices.Concat(form, text)
	return append(all, checksum32(all)...)
}

func unsealed(data, form []byte) ([]byte, bool) {
	end := len(data) - crc32.Size
	if end < len(form) || !bytes.HasPrefix(data, form) || !bytes.Equal(checksum32(data[:end]), data[end:]) {
		return nil, false
	}
	return data[len(form):end], true
}

func checksum32(data []byte) []byte {
	return binary.LittleEndian.AppendUint32(nil, crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
}
