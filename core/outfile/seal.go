package outfile

import (
	"errors"
	"os"

	"github.com/pentode-dev/pentode/core/seal"
)

// Seal adds a seal, a record of what produced the file, when the file is complete. A device or a pipe gets none.
func (f *File) Seal(m *seal.Maker) {
	if f.path != "" && m != nil {
		f.seal, f.sum = m, seal.NewSum()
	}
}

// sealInside puts the seal into a complete file, if its format has a place for one. It returns an error if the disk
// fails.
func (f *File) sealInside() (bool, error) {
	if f.seal == nil || f.failed || f.written == 0 {
		return false, nil
	}
	info, err := f.file.Stat()
	if err != nil {
		return false, err
	}
	return f.seal.Add(f.file, info.Size())
}

// sealBeside writes the seal to a separate file next to a complete file.
func (f *File) sealBeside() {
	if f.seal == nil {
		return
	}
	of := seal.Data{Size: f.written}
	if !f.patched {
		of.Sum = seal.SumText(f.sum)
	}
	writeBeside(f.path, of, f.seal)
}

// SealFile adds a seal to a complete file that another program wrote or that existed before. A failure is only
// reported to the maker, since it must not stop the run.
func SealFile(path string, m *seal.Maker) {
	if m == nil {
		return
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		m.Lose(err)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	if s, err := seal.Inside(f, info.Size()); err == nil && s.Run == m.Seal().Run {
		return // the error was reported to the maker
	}
	if inside, err := m.Add(f, info.Size()); err != nil {
		m.Lose(err)
	} else if !inside {
		writeBeside(path, seal.Data{Size: info.Size()}, m)
	}
}

// errOthers is the reason why no seal is written: another file already has the seal's name.
var errOthers = errors.New("there is a file of that name that is not a seal")

// writeBeside writes a seal to a separate file next to a file.
func writeBeside(path string, of seal.Data, m *seal.Maker) {
	s := m.Seal()
	s.Of = &of
	path += seal.Ending
	if old, err := os.ReadFile(path); err == nil {
		if _, err := seal.Parse(old); err != nil {
			m.Lose(&os.PathError{Op: "seal", Path: path, Err: errOthers})
			return
		}
	}
	f, err := Replace(path)
	if err != nil {
		m.Lose(err)
		return
	}
	if _, err = f.Write(append(s.Text(), '\n')); err != nil {
		err = errors.Join(err, f.Discard())
	} else {
		err = f.Close()
	}
	if err != nil {
		m.Lose(err)
	}
}
