package coil

import (
	"fmt"
	"io"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
	"github.com/pentode-dev/pentode/lang/coil/syntax"
	"github.com/pentode-dev/pentode/run/target"
)

// toJSON writes the resolved settings as an object of sections, each value in its own type,
// as `pentode schema coil` describes. A value that does not have the type of its key is
// written as a text, so that the schema rejects it too.
func toJSON(_ *syntax.Tree, m *Model, w io.Writer) diag.List {
	var b strings.Builder
	b.WriteString("{")
	for i, sec := range m.Sections {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  " + jsontext.Line(sec.Name) + ": {")
		for j, s := range sec.settings {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString("\n    " + jsontext.Line(s.Key) + ": " + s.json())
		}
		if len(sec.settings) > 0 {
			b.WriteString("\n  ")
		}
		b.WriteString("}")
	}
	if len(m.Sections) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString("}\n")
	_, _ = io.WriteString(w, b.String()) // writing errors are reported by the caller's writer
	return nil
}

// json returns the value as JSON. It does not use encoding/json, except to quote texts,
// because that would not keep the order of sections and keys.
func (s *Setting) json() string {
	v := &s.Value
	switch v.Type {
	case schema.Int:
		if n, fits, ok := parseInt(v.Text); ok && fits && !v.quoted {
			return fmt.Sprint(n)
		}
	case schema.Bool:
		if b, ok := parseBool(v.Text); ok && !v.quoted {
			return fmt.Sprint(b)
		}
	case schema.List:
		if v.Items != nil {
			words := make([]string, len(v.Items))
			for i, it := range v.Items {
				words[i] = jsontext.Line(it.Text)
			}
			return "[" + strings.Join(words, ", ") + "]"
		}
	}
	return jsontext.Line(v.Text)
}

// conversion writes a configuration in another format.
type conversion = func(*syntax.Tree, *Model, io.Writer) diag.List

// conversions returns the formats: llvm is for the newest known version of LLVM, llvm-16 for
// version 16.
func conversions() map[string]conversion {
	all := map[string]conversion{"json": toJSON, "llvm": toLLVM(0)}
	for version := target.OldestLLVM; version <= target.NewestLLVM; version++ {
		all[fmt.Sprintf("llvm-%d", version)] = toLLVM(version)
	}
	return all
}

// toLLVM writes the target as the beginning of a module for a version of LLVM: triple, data
// layout, and the attributes of the functions for this target. Settings that LLVM cannot
// express become comments.
func toLLVM(version int) conversion {
	return func(_ *syntax.Tree, m *Model, w io.Writer) diag.List {
		view, notes := target.Machines{Tables: m.tables}.LLVM(m.Target(), version)
		_, _ = io.WriteString(w, moduleHead(view, notes)) // writing errors are reported by the caller's writer
		return nil
	}
}

func moduleHead(view target.LLVMView, notes problem.List) string {
	var b strings.Builder
	for _, n := range notes {
		fmt.Fprintf(&b, "; %s\n", n.Message)
	}
	if view.DataLayout != "" {
		fmt.Fprintf(&b, "target datalayout = %q\n", view.DataLayout)
	}
	if view.Triple != "" {
		fmt.Fprintf(&b, "target triple = %q\n", view.Triple)
	}
	var attributes []string
	if view.CPU != "" {
		attributes = append(attributes, fmt.Sprintf("\"target-cpu\"=%q", view.CPU))
	}
	if view.Features != "" {
		attributes = append(attributes, fmt.Sprintf("\"target-features\"=%q", view.Features))
	}
	if attributes != nil {
		fmt.Fprintf(&b, "attributes #0 = { %s }\n", strings.Join(attributes, " "))
	}
	return b.String()
}

// flatten writes the settings of a file and all its includes as one file. A comment after
// each setting says where it comes from.
func flatten(_ *syntax.Tree, m *Model, w io.Writer) diag.List {
	var b strings.Builder
	for i, sec := range m.Sections {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[%s]\n", sec.Name)
		for _, s := range sec.settings {
			fmt.Fprintf(&b, "%s = %s  # %s\n", s.Key, s.Text.Text(), s.Name)
		}
	}
	_, _ = io.WriteString(w, syntax.Print(syntax.Parse(newFile(b.String())), isListKey)) // writing errors are reported by the caller's writer
	return nil
}
