package table

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// Normal is the form in which names are compared: lower case, with only letters, digits and '+' (as in c64x+).
func Normal(name string) string {
	clean := true
	for i := 0; i < len(name); i++ {
		if !plain(name[i]) {
			clean = false
			break
		}
	}
	if clean {
		return name
	}
	b := make([]byte, 0, len(name))
	for i := 0; i < len(name); i++ {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		// Bytes of other scripts stay, so that they cannot make two names equal.
		if plain(c) || c >= 0x80 {
			b = append(b, c)
		}
	}
	return string(b)
}

// alike reports whether a name has this normal form, without building the normal form of the name.
func alike(name, normal string) bool {
	j := 0
	for i := 0; i < len(name); i++ {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if !plain(c) && c < 0x80 {
			continue
		}
		if j == len(normal) || normal[j] != c {
			return false
		}
		j++
	}
	return j == len(normal)
}

func plain(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' }

// How is the way in which a name was recognised.
type How uint8

const (
	Unknown   How = iota
	Canonical     // the spelling that COIL uses
	Respelt       // the same name in another spelling
	Aliased       // another word for the same feature
	Doubtful      // a word that only roughly means the feature
	Prefixed      // a known feature after `+`, `-` or `no`, which COIL does not have
	Composed      // a RISC-V ISA string
)

// Match is the meaning of a name; Feature is nil if the name is unknown. For a Composed
// match, Feature is a temporary group without an ID.
type Match struct {
	*Feature
	ID  ID
	How How
}

// Feature looks up a feature name. It tests for a prefix first, because the comparison ignores signs.
func (s *ISA) Feature(name string) Match {
	if name != "" && (name[0] == '+' || name[0] == '-') {
		if m := s.Feature(name[1:]); m.Feature != nil {
			return Match{m.Feature, m.ID, Prefixed}
		}
		return Match{}
	}
	if n, ok := s.find(Normal(name)); ok {
		f := &s.Features[n.Feature]
		switch {
		case n.Doubtful:
			return Match{f, n.Feature, Doubtful}
		case name == f.Name:
			return Match{f, n.Feature, Canonical}
		case alike(f.Name, n.Text):
			return Match{f, n.Feature, Respelt}
		}
		return Match{f, n.Feature, Aliased}
	}
	if rest, ok := strings.CutPrefix(strings.ToLower(name), "no"); ok {
		if n, ok := s.find(Normal(rest)); ok {
			return Match{&s.Features[n.Feature], n.Feature, Prefixed}
		}
	}
	if f := s.isaString(name); f != nil {
		return Match{f, 0, Composed}
	}
	return Match{}
}

func (s *ISA) find(text string) (Name, bool) {
	i, ok := slices.BinarySearchFunc(s.Names, text, func(n Name, t string) int { return cmp.Compare(n.Text, t) })
	if !ok {
		return Name{}, false
	}
	return s.Names[i], true
}

// id finds a feature by its exact key, without copying the large structs during the search.
func (s *ISA) id(key string) (ID, bool) {
	i := sort.Search(len(s.Features), func(i int) bool { return s.Features[i].Key >= key })
	return ID(i), i < len(s.Features) && s.Features[i].Key == key
}

// FeatureNames lists the canonical names, sorted.
func (s *ISA) FeatureNames() []string {
	out := make([]string, len(s.Features))
	for i := range s.Features {
		out[i] = s.Features[i].Name
	}
	slices.Sort(out)
	return out
}

// Names lists the canonical names of some features.
func (fs Features) Names(s *ISA) []string {
	out := make([]string, len(fs))
	for i, id := range fs {
		out[i] = s.Features[id].Name
	}
	return out
}

// Owners lists the architectures ("ARM 32") that have a feature, for the message about a
// feature of another architecture.
func (t *Tables) Owners(feature string) []string {
	var out []string
	for _, a := range t.Archs {
		for i := range a.ISAs {
			s := &a.ISAs[i]
			if n, ok := s.find(Normal(feature)); !ok || n.Doubtful {
				continue
			}
			name := a.PU + " " + a.Name
			if len(a.ISAs) > 1 {
				name += " " + bitsText(s.Modes)
			}
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
