package coil

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// complete returns the completions at an offset.
func (m *Model) complete(f *source.File, offset int) []lang.Completion {
	line := lang.LineBefore(f, offset)
	text := strings.TrimLeft(line, " \t")
	c := completer{Model: m, file: f, offset: offset}
	c.context()
	key, value, assigned := strings.Cut(text, "=")
	switch {
	case strings.HasPrefix(text, "#") || strings.HasPrefix(text, ";"):
		return nil
	case strings.HasPrefix(text, "@include"):
		_, path, quoted := strings.Cut(text, `"`)
		if !quoted {
			return nil
		}
		dirs := append([]string{filepath.Dir(f.Path())}, m.env.Include...)
		return lang.CompleteFiles(f, offset, path, dirs, func(name string) bool { return filepath.Ext(name) == ".coilcfg" })
	case strings.HasPrefix(text, "["):
		return c.sections(text[1:])
	case assigned:
		return c.values(strings.TrimSpace(key), strings.TrimLeft(value[strings.LastIndexByte(value, ',')+1:], " \t"), value)
	}
	return c.keys(text)
}

type completer struct {
	*Model
	file    *source.File
	offset  int
	section string
	written map[string]bool // keys that this file already sets in the section
	opened  map[string]bool // sections that this file already has
}

// context finds the section of the cursor.
func (c *completer) context() {
	c.written, c.opened = map[string]bool{}, map[string]bool{}
	at, below := 0, false // below: the walk is past the section of the cursor
	for line := range strings.Lines(c.file.Text()) {
		here := at <= c.offset && c.offset <= at+len(strings.TrimRight(line, "\r\n"))
		text := strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(text, "["); ok && !here {
			name, _, _ = strings.Cut(name, "]")
			c.opened[name] = true
			if below = at > c.offset; !below {
				c.section, c.written = name, map[string]bool{}
			}
		} else if key, _, ok := strings.Cut(text, "="); ok && !here && !below {
			c.written[strings.TrimSpace(key)] = true
		}
		at += len(line)
	}
}

func (c *completer) item(label string, kind lang.Kind, typed, doc string) lang.Completion {
	return lang.Completion{Label: label, Kind: kind, Doc: doc, Replace: c.file.Span(c.offset-len(typed), c.offset)}
}

func (c *completer) sections(typed string) []lang.Completion {
	var list []lang.Completion
	for i := range c.schema.Sections {
		if s := &c.schema.Sections[i]; s.Pattern == "" && !c.opened[s.Name] {
			list = append(list, c.item(s.Name, lang.Section, typed, s.Doc))
		}
	}
	return list
}

func (c *completer) keys(typed string) []lang.Completion {
	s := c.schema.Section(c.section)
	if s == nil {
		item := c.item("@include", lang.Keyword, typed, "Inherits from another file.")
		item.Insert, item.Snippet = `@include "${1:base.coilcfg}"`, true
		return []lang.Completion{item}
	}
	var list []lang.Completion
	for i := range s.Keys {
		k := &s.Keys[i]
		if c.written[k.Name] || k.Name == "SharedMemory" && c.machine.pu != "" && c.machine.pu != "GPU" {
			continue
		}
		item := c.item(k.Name, lang.Key, typed, k.Describe())
		item.Detail, item.Insert, item.Snippet, item.Later = k.Type.String(), k.Name+" = $0", true, !k.Required
		list = append(list, item)
	}
	return list
}

// values returns the values that a key takes on this machine.
func (c *completer) values(key, typed, written string) []lang.Completion {
	s := c.schema.Section(c.section)
	if s == nil {
		return nil
	}
	k := s.Key(key)
	if k == nil {
		return nil
	}
	names, kind := c.choices(k)
	have := map[string]bool{}
	if k.Type == schema.List {
		for item := range strings.SplitSeq(written, ",") {
			have[strings.TrimSpace(item)] = true
		}
	} else {
		typed = strings.TrimLeft(written, " \t")
	}
	var list []lang.Completion
	for _, name := range names {
		if !have[name] || name == typed {
			item := c.item(name, kind, typed, "")
			if kind == lang.Feature {
				item.Doc = c.describeFeature(name)
			}
			list = append(list, item)
		}
	}
	return list
}

// choices returns the words that a key takes. If the machine is known, they are
// limited to it.
func (c *completer) choices(k *schema.Key) ([]string, lang.Kind) {
	m := &c.machine
	switch k.Name {
	case "Architecture":
		var names []string
		for _, a := range c.tables.Of(m.pu) {
			names = append(names, a.Name)
		}
		return names, lang.Word
	case "Mode":
		if m.arch == nil {
			return nil, lang.Word
		}
		var names []string
		for _, bits := range m.arch.Bits() {
			names = append(names, strconv.Itoa(bits))
		}
		return names, lang.Number
	case "Features", "SIMD", "Crypto":
		return c.features(k.Name), lang.Feature
	case "ParameterRegisters", "ReturnRegisters":
		if m.mode == nil {
			return nil, lang.Register
		}
		return m.mode.RegisterNames(), lang.Register
	case "Name":
		if m.mode == nil {
			return nil, lang.Word
		}
		return c.tables.ABIsOn(m.pu, m.arch.Name, m.mode.Bits), lang.Word
	case "Endianness":
		if m.mode != nil {
			return m.mode.Endianness, lang.Word
		}
	case "Model":
		if m.mode != nil && len(m.mode.Models) > 0 {
			return m.mode.Models, lang.Word
		}
	}
	if k.Type == schema.Bool {
		return []string{"true", "false"}, lang.Word
	}
	return k.Enum, lang.Word
}

// features returns the features that work in this mode. For SIMD and Crypto,
// they are the machine's extensions of that kind.
func (c *completer) features(key string) []string {
	isa := c.machine.isa
	if isa == nil || isa.Open || isa.SIMT && key != "Features" {
		return nil
	}
	names := isa.FeatureNames()
	switch key {
	case "SIMD":
		names = isa.SIMD.Names(isa)
	case "Crypto":
		names = isa.Crypto.Names(isa)
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		f := isa.Feature(name)
		return f.Feature == nil || f.Obsolete || !f.Works(c.machine.mode.Bits)
	})
}
