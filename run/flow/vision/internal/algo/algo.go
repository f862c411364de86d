// Package algo declares and selects the algorithms of KWIVER and VIAME. A process has a key such as
// `filter`; `filter:type = vxl_threshold` names the algorithm, and `filter:vxl_threshold:threshold`
// is one of its keys. An algorithm may itself have a key that selects another algorithm.
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
	// New makes the algorithm. Its error names the wrong key.
	New func(Settings) (W, error)
}

// A List has the algorithms for one kind of work.
type List[W any] []Algorithm[W]

// Find returns the algorithm with a name, or nil.
func (l List[W]) Find(name string) *Algorithm[W] {
	for i := range l {
		if l[i].Name == strings.TrimSpace(name) {
			return &l[i]
		}
	}
	return nil
}

// Names returns the names of the algorithms.
func (l List[W]) Names() string {
	names := make([]string, len(l))
	for i := range l {
		names[i] = l[i].Name
	}
	return strings.Join(names, ", ")
}

// Known returns the algorithms in the form for the checks of a pipeline.
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
		return w, &Missing{s.Errorf(slot+":type", "`%s` is not an algorithm of this program: expected %s", name, l.Names())}
	}
	inner := a.settings(s, slot)
	for _, k := range a.Keys {
		if _, ok := truth(inner.Value(k.Name)); k.Kind == pipe.Bool && !ok {
			return w, inner.Errorf(k.Name, "`%s` is neither true nor false", inner.Value(k.Name))
		}
	}
	return a.New(inner)
}

// Missing is the error of settings that are valid but name an algorithm which this program lacks.
type Missing struct{ error }

// Unwrap returns the error about the key.
func (m *Missing) Unwrap() error { return m.error }

// settings returns the settings of the algorithm in a slot.
func (a *Algorithm[W]) settings(s Settings, slot string) Settings {
	return Settings{Values: s.Values, prefix: s.prefix + slot + ":" + a.Name + ":", keys: a.Keys}
}

// Declare returns the keys of the algorithm with their full names.
func (a *Algorithm[W]) Declare(slot string) []pipe.Key {
	keys := a.keys(slot + ":" + a.Name + ":")
	for i := range keys {
		keys[i].Known = nil // the slot has this list
	}
	return keys
}

// keys returns the keys of the algorithm with a prefix.
func (a *Algorithm[W]) keys(prefix string) []pipe.Key {
	keys := make([]pipe.Key, len(a.Keys))
	for i, k := range a.Keys {
		k.Name = prefix + k.Name
		if k.Kind == pipe.Bool { // upstream accepts numbers for booleans too; Make checks them
			k.Kind = pipe.String
		}
		keys[i] = k
	}
	return keys
}

// Settings are the values of the keys of one algorithm, including its defaults.
type Settings struct {
	Values pipe.Values
	prefix string
	keys   []pipe.Key
}

// Of returns the settings of a process, from which algorithms are made.
func Of(v pipe.Values) Settings { return Settings{Values: v} }

// Value returns the text of a key, or its default.
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

// Float returns the value of a key as a number.
func (s Settings) Float(key string) float64 {
	text := s.Value(key)
	f, _ := strconv.ParseFloat(cmp.Or(pipe.LeadingNumber(text, true), text), 64) // the engine has checked it; `inf` has no digits
	return f
}

// Int returns the value of a key as a whole number.
func (s Settings) Int(key string) int {
	i, _ := strconv.Atoi(pipe.LeadingNumber(s.Value(key), false)) // the engine has checked it
	return i
}

// Bool returns the value of a key as a boolean.
func (s Settings) Bool(key string) bool {
	is, _ := truth(s.Value(key))
	return is
}

// truth parses a boolean: a word, or a number, of which 0 is false.
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

// Errorf returns an error about a key's value.
func (s Settings) Errorf(key, format string, args ...any) error {
	return s.Values.Errorf(s.prefix+key, "key `%s`: %w", s.prefix+key, fmt.Errorf(format, args...))
}
