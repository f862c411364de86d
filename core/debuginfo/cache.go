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

// The results of a walk over much debug information are kept in a file named after the
// build id of the program. A damaged file counts as missing, and so does a file for
// another form of the same build, such as a stripped program.

const (
	minKept  = 4 << 20   // the smallest debug information whose results are kept, in bytes
	maxCache = 256 << 20 // bytes of all files; the least recently used files are removed
	cacheEnd = ".names"
)

// cache returns the path where the index of a program is kept, or "" if it is not kept.
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

// form identifies one variant of a build: stripped or not, and with its debug
// information inside, in another file, or missing.
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

// recall returns the kept index, or nil.
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
	_ = os.Chtimes(f.kept, now, now) // record the use; if this fails, the file may be removed sooner
	return x
}

// keep writes the index to a file. If that fails, a later run walks again.
func (f *File) keep(x *index) {
	dir := filepath.Dir(f.kept)
	if f.kept == "" || os.MkdirAll(dir, 0o700) != nil || !private(dir) {
		return
	}
	whole, err := os.CreateTemp(dir, "new-*") // only this user can read it
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

// private reports whether no other user can change the files in a folder.
func private(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.Mode().Perm()&0o022 == 0
}

// forget removes the least recently used files, and the temporary files of killed
// processes.
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

// sealed returns a text together with the form of its program and a checksum.
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

// indexForm is the version of the index file. It changes with the file format, and with
// the contents of an index.
const indexForm = 2

// indexWriter writes an index compactly: each address as the distance from the previous
// one, each text as its number in a list.
type indexWriter struct {
	data  []byte
	texts []string
	known map[string]int
}

func (w *indexWriter) number(n uint64) { w.data = binary.AppendUvarint(w.data, n) }

func (w *indexWriter) text(s string) {
	i, ok := w.known[s]
	if !ok {
		i = len(w.texts)
		w.known[s] = i
		w.texts = append(w.texts, s)
	}
	w.number(uint64(i))
}

func encodeIndex(x *index) []byte {
	w := &indexWriter{known: map[string]int{}}
	w.number(uint64(len(x.names)))
	for _, n := range x.names {
		w.text(n.name)
		w.text(n.linkage)
	}
	w.number(uint64(len(x.segments)))
	last := uint64(0)
	for _, s := range x.segments {
		w.number(s.low - last)
		w.number(uint64(s.fn - none))
		last = s.low
	}
	w.number(uint64(len(x.funcs)))
	last = 0
	for _, f := range x.funcs {
		w.text(f.Name)
		w.text(f.alias)
		w.text(f.Unit)
		w.number(f.Low - last)
		w.number(f.High - f.Low)
		w.number(uint64(f.entry))
		last = f.Low
	}
	numbers := make(map[*unit]uint64, len(x.units))
	w.number(uint64(len(x.units)))
	for i, u := range x.units {
		numbers[u] = uint64(i)
		w.text(u.name)
		w.text(u.folder)
		w.number(uint64(u.table + 1))
	}
	w.number(uint64(len(x.spans)))
	last = 0
	for _, s := range x.spans {
		w.number(s.Low - last)
		w.number(s.High - s.Low)
		w.number(numbers[s.unit])
		last = s.Low
	}
	texts := &indexWriter{}
	texts.number(uint64(len(w.texts)))
	for _, s := range w.texts {
		texts.number(uint64(len(s)))
		texts.data = append(texts.data, s...)
	}
	return append(texts.data, w.data...)
}

// indexReader reads the output of an indexWriter.
type indexReader struct {
	cursor
	texts []string
}

// count reads the number of items that follow, each of which has at least size bytes.
func (r *indexReader) count(size int) int {
	n := r.uleb()
	if n > uint64(len(r.data)-r.at)/uint64(size) {
		r.fail()
		return 0
	}
	return int(n)
}

// among reads an index, which must be less than n.
func (r *indexReader) among(n int) int {
	i := r.uleb()
	if i >= uint64(n) {
		r.fail()
		return 0
	}
	return int(i)
}

func (r *indexReader) text() string {
	if i := r.among(len(r.texts)); i < len(r.texts) {
		return r.texts[i]
	}
	return ""
}

func decodeIndex(data []byte) (*index, bool) {
	r := &indexReader{cursor: cursor{data: data}}
	all := string(data)
	r.texts = make([]string, r.count(1))
	for i := range r.texts {
		n := r.count(1)
		r.texts[i] = all[r.at : r.at+n]
		r.at += n
	}
	x := &index{names: make([]named, r.count(2))}
	for i := range x.names {
		x.names[i] = named{r.text(), r.text()}
	}
	x.segments = make([]segment, r.count(2))
	last := uint64(0)
	for i := range x.segments {
		last += r.uleb()
		x.segments[i] = segment{last, int32(r.among(len(x.names)+1)) + none}
	}
	x.funcs = make([]Function, r.count(6))
	last = 0
	for i := range x.funcs {
		f := Function{Name: r.text(), alias: r.text(), Unit: r.text(), piece: none}
		last += r.uleb()
		f.Low, f.High, f.entry = last, last+r.uleb(), uint32(r.uleb())
		x.funcs[i] = f
	}
	x.units = make([]*unit, r.count(3))
	for i := range x.units {
		x.units[i] = &unit{name: r.text(), folder: r.text(), table: int64(r.uleb()) - 1}
	}
	x.spans = make([]span, r.count(3))
	last = 0
	for i := range x.spans {
		last += r.uleb()
		x.spans[i].Range = Range{last, last + r.uleb()}
		if u := r.among(len(x.units)); u < len(x.units) {
			x.spans[i].unit = x.units[u]
		}
	}
	return x, !r.failed && r.at == len(r.data)
}
