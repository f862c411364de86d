package sprokit

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// under returns a model that is part of another one. If the outer model has symbols, the inner one gets them too.
func (m *Model) under(outer *Model) *Model {
	if outer.symbols == nil {
		return m
	}
	inside := *m
	inside.symbols = &symbols{model: m, outer: outer.symbols, known: map[*Setting]symbolicValue{}}
	return &inside
}

// of returns the pieces of a value if it depends on the machine or the process, otherwise nil.
func (s *symbols) of(set *Setting) []pipe.Piece {
	if s == nil || set.count == 0 && set.path == 0 && set.from == nil {
		return nil
	}
	v := s.value(set)
	if v.text != set.Value || !slices.ContainsFunc(v.pieces, func(p pipe.Piece) bool { return p.Symbol != "" }) {
		return nil
	}
	return v.pieces
}

// maxPieces limits the pieces of one value, because macros that contain macros can multiply them.
const maxPieces = 1 << 12

// value splits a value into pieces. A value with too many pieces becomes a single text.
func (s *symbols) value(set *Setting) symbolicValue {
	if v, ok := s.known[set]; ok {
		return v
	}
	v := s.expand(set)
	if len(v.pieces) > maxPieces {
		v = symbolicValue{text: set.Value}
		v.add("", set.Value)
	}
	s.known[set] = v
	return v
}

func (s *symbols) expand(set *Setting) symbolicValue {
	if set.from != nil && s.outer != nil {
		return s.outer.value(set.from)
	}
	var v symbolicValue
	if set.path > 0 {
		v.add("folder", s.relative(set.Value[:set.path]))
		v.text = set.Value[:set.path]
	}
	var made symbolicValue
	end := 0
	for i := range s.model.reads[set.first : set.first+set.count] {
		r := &s.model.reads[int(set.first)+i]
		made.add("", set.Raw[end:r.at])
		end = int(r.at + r.len)
		switch {
		case r.given != nil && s.outer != nil:
			made.join(s.outer.value(r.given))
		case r.override || r.missing:
			made.add("", r.value)
		case r.of >= 0:
			made.join(s.readValue(&s.model.settings[r.of]))
		case r.provider == fromSysenv || r.provider == fromEnv && ofLauncher(r.name):
			made.add(string(r.provider)+"{"+r.name+"}", "")
			made.text += r.value
		default:
			made.add("", r.value)
		}
		if len(made.pieces) > maxPieces {
			return made
		}
	}
	made.add("", set.Raw[end:])
	if s.model.dialect != 0 && set.count > 0 {
		made.trim()
	}
	v.join(made)
	return v
}

// readValue returns the value that a macro gets from a setting. In the dialect upstream, it is without the folder that
// relativepath adds, because the original program adds that last.
func (s *symbols) readValue(of *Setting) symbolicValue {
	v := s.value(of)
	if of.path > 0 && s.model.dialect != 0 && len(v.pieces) > 0 && v.pieces[0].Symbol == "folder" {
		return symbolicValue{v.pieces[1:], v.text[min(int(of.path), len(v.text)):]}
	}
	return v
}

// relative returns the path to a folder from the folder of the pipeline.
func (s *symbols) relative(folder string) string {
	for s.outer != nil {
		s = s.outer
	}
	if way, err := filepath.Rel(s.model.units[0].folder(s.model.env), folder); err == nil {
		return filepath.ToSlash(way)
	}
	return folder
}

// add appends a piece; adjacent texts become one.
func (v *symbolicValue) add(symbol, text string) {
	if symbol == "" {
		v.text += text
		if n := len(v.pieces); n > 0 && v.pieces[n-1].Symbol == "" {
			v.pieces[n-1].Text += text
			return
		} else if text == "" {
			return
		}
	}
	v.pieces = append(v.pieces, pipe.Piece{Symbol: symbol, Text: text})
}

func (v *symbolicValue) join(w symbolicValue) {
	text := v.text
	for _, p := range w.pieces {
		v.add(p.Symbol, p.Text)
	}
	v.text = text + w.text
}

// trim removes the blanks at both ends of the value.
func (v *symbolicValue) trim() {
	const blanks = " \t\n\r\v\f"
	v.text = trim(v.text)
	if n := len(v.pieces); n > 0 && v.pieces[0].Symbol == "" {
		v.pieces[0].Text = strings.TrimLeft(v.pieces[0].Text, blanks)
	}
	if n := len(v.pieces); n > 0 && v.pieces[n-1].Symbol == "" {
		v.pieces[n-1].Text = strings.TrimRight(v.pieces[n-1].Text, blanks)
	}
	v.pieces = slices.DeleteFunc(v.pieces, func(p pipe.Piece) bool { return p == pipe.Piece{} })
}

// ofLauncher reports whether Pentode, an MPI implementation or a batch system sets a variable for each process that
// it starts.
func ofLauncher(name string) bool {
	return name == "CUDA_VISIBLE_DEVICES" || slices.ContainsFunc(launchers, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

var launchers = []string{"PENTODE_", "PARADYN_", "OMPI_", "PMIX_", "PMI_", "SLURM_"}
