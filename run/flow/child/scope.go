package child

import (
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A scope is the part of a process's configuration that belongs to a program: the whole
// configuration, or the keys below a prefix such as `detector:python:`.
type scope struct {
	*pipe.Env
	ports  *flow.Setup // nil until the process has ports
	prefix string
}

// Value returns the value of a key, or its default.
func (s *scope) Value(key string) string {
	if s.prefix == "" {
		return s.Env.Value(key)
	}
	if set, ok := s.Env.Config()[s.prefix+key]; ok {
		return set.Value
	}
	for _, k := range pythonKeys() {
		if k.Name == key {
			return k.Default
		}
	}
	return ""
}

// Float returns the value of a key as a number.
func (s *scope) Float(key string) float64 {
	f, _ := strconv.ParseFloat(strings.TrimSpace(s.Value(key)), 64)
	return f
}

// Errorf returns an error about a key's value.
func (s *scope) Errorf(key, format string, args ...any) error {
	return s.Env.Errorf(s.prefix+key, format, args...)
}

// settings returns all settings of the scope.
func (s *scope) settings() map[string]string {
	config := map[string]string{}
	for key, set := range s.Env.Config() {
		if rest, ok := strings.CutPrefix(key, s.prefix); ok {
			config[rest] = set.Value
		}
	}
	return config
}

// forClass returns the settings for a class. It leaves out the keys that configure the
// interpreter.
func (s *scope) forClass() map[string]string {
	config := s.settings()
	for _, k := range append(pythonKeys(), pipe.Key{Name: "class"}) {
		delete(config, k.Name)
	}
	for key := range config {
		if strings.HasPrefix(key, "env:") || strings.HasPrefix(key, "_") {
			delete(config, key)
		}
	}
	return config
}
