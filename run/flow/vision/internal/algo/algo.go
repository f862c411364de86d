// Package algo is how the algorithms of KWIVER and VIAME are declared and chosen: a
// process has a key such as `filter`, `filter:type = vxl_threshold` names the algorithm, and
// `filter:vxl_threshold:threshold` is one of its keys. An algorithm may have such a
// key itself.
package algo

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// An Algorithm is one way to do the work W, such as filtering an image.
type Algorithm[W any] struct {
	Name string
	Doc  string
	Keys []pipe.Key // by their short names
	// New makes it. Its error names the key that is wrong.
	New func(Settings) (W, error)
}

// A List is the algorithms for one kind of work.
type List[W any] []Algorithm[W]

// Find gives the algorithm of a name, nil where there is none.
func (l List[W]) Find(name string) *Algorithm[W] {
	for i := range l {
		if l[i].Name == strings.TrimSpace(name) {
			return &l[i]
		}
	}
	return nil
}

// Names are the names of the algorithms.
func (l List[W]) Names() string {
	names := make([]string, len(l))
	for i := range l {
		names[i] = l[i].Name
	}
	return strings.Join(names, ", ")
}

// Known gives the algorithms as the checks of a pipeline need them.
func (l List[W]) Known() []pipe.Algorithm {
	known := make([]pipe.Algorithm, len(l))
	for i := range l {
		known[i] = pipe.Algorithm{Name: l[i].Name, Doc: l[i].Doc, Keys: l[i].keys("")}
	}
	return known
}

// Make makes the algorithm that `slot:type` names.
func (l List[W]) Make(s Settings, slot string) (w W, err error) {
	name := strings.TrimSpace(s.Values.Value(s.prefix + slot + ":type"))
	a := l.Find(name)
	if a == nil {
		return w, &Missing{s.Errorf(slot+":type", "`%s` is no algorithm of this program: expected %s", name, l.Names())}
	}
	inner := a.settings(s, slot)
	for _, k := range a.Keys {
		if _, ok := truth(inner.Value(k.Name)); k.Kind == pipe.Bool && !ok {
			return w, inner.Errorf(k.Name, "`%s` is neither true nor false", inner.Value(k.Name))
		}
	}
	return a.New(inner)
}

// Missing is the error of settings that are right and name an algorithm that is not here.
type Missing struct{ error }

// Unwrap gives the error about the key.
func (m *Missing) Unwrap() error { return m.error }

// settings are those of the algorithm in a slot.
func (a *Algorithm[W]) settings(s Settings, slot string) Settings {
	return Settings{Values: s.Values, prefix: s.prefix + slot + ":" + a.Name + ":", keys: a.Keys}
}

// Declare gives the keys of the algorithm their full names.
func (a *Algorithm[W]) Declare(slot string) []pipe.Key {
	keys := a.keys(slot + ":" + a.Name + ":")
	for i := range keys {
		keys[i].Known = nil // the slot knows it
	}
	return keys
}

// keys are those of the algorithm behind a prefix.
func (a *Algorithm[W]) keys(prefix string) []pipe.Key {
	keys := make([]pipe.Key, len(a.Keys))
	for i, k := range a.Keys {
		k.Name = prefix + k.Name
		if k.Kind == pipe.Bool { // the original takes numbers for switches too, which Make checks
			k.Kind = pipe.String
		}
		keys[i] = k
	}
	return keys
}

// Settings are the values of the keys of one algorithm, with its defaults.
type Settings struct {
	Values pipe.Values
	prefix string
	keys   []pipe.Key
}

// Of are the settings of a process, of which algorithms are made.
func Of(v pipe.Values) Settings { return Settings{Values: v} }

// Value is the text of a key, or its default.
func (s Settings) Value(key string) string {
	if s.Values.Set(s.prefix + key) {
		return strings.TrimSpace(s.Values.Value(s.prefix + key))
	}
	for i := range s.keys {
		if s.keys[i].Name == key {
			return s.keys[i].Default
		}
	}
	return ""
}

// Float is the number of a key.
func (s Settings) Float(key string) float64 {
	text := s.Value(key)
	f, _ := strconv.ParseFloat(cmp.Or(pipe.LeadingNumber(text, true), text), 64) // the engine has checked it; `inf` has no digits
	return f
}

// Int is the whole number of a key.
func (s Settings) Int(key string) int {
	i, _ := strconv.Atoi(pipe.LeadingNumber(s.Value(key), false)) // the engine has checked it
	return i
}

// Bool is the switch of a key.
func (s Settings) Bool(key string) bool {
	is, _ := truth(s.Value(key))
	return is
}

// truth reads a switch: a word, or a number that is 0 or not.
func truth(text string) (is, ok bool) {
	switch strings.ToLower(text) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off", "":
		return false, true
	}
	f, err := strconv.ParseFloat(text, 64)
	return f != 0, err == nil
}

// Errorf makes an error about a key's value.
func (s Settings) Errorf(key, format string, args ...any) error {
	return s.Values.Errorf(s.prefix+key, "key `%s`: %w", s.prefix+key, fmt.Errorf(format, args...))
}
