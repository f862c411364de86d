package schema

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Markdown writes the reference page.
func (s *Schema) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", s.Title, s.Doc)
	for i := range s.Sections {
		sec := &s.Sections[i]
		fmt.Fprintf(&b, "\n## `%s`\n\n%s\n", sec.Name, sec.Doc)
		if sec.Required {
			b.WriteString("\nRequired.\n")
		}
		if len(sec.Keys) == 0 {
			continue
		}
		b.WriteString("\n| key | value | default | meaning |\n|---|---|---|---|\n")
		for j := range sec.Keys {
			k := &sec.Keys[j]
			if k.Resolved {
				continue
			}
			doc := k.Doc
			if k.Required {
				doc += " Required."
			}
			if k.Extension {
				doc += " (extension)"
			}
			if k.Example != "" {
				doc += " Example: `" + k.Example + "`."
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", code(k.Name), cell(k.values()), code(k.Default), cell(doc))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// values returns a phrase for the values that the key takes.
func (k *Key) values() string {
	switch {
	case k.Type == List && len(k.Enum) > 0:
		return "list of " + words(k.Enum)
	case len(k.Enum) > 0:
		return words(k.Enum)
	}
	s := k.Type.String()
	if r := k.Range(); r != "" {
		s += ", " + r
	}
	return s
}

// Range returns a phrase for the bounds, or "".
func (k *Key) Range() string {
	number := func(b Bound) string { return strconv.FormatFloat(b.Value, 'f', -1, 64) }
	switch {
	case k.Min.Set && k.Max.Set:
		return number(k.Min) + " to " + number(k.Max)
	case k.Min.Set:
		return "at least " + number(k.Min)
	case k.Max.Set:
		return "at most " + number(k.Max)
	}
	return ""
}

func words(list []string) string {
	if len(list) > 24 {
		return fmt.Sprintf("`%s` … (%d names)", strings.Join(list[:24], "` `"), len(list))
	}
	return "`" + strings.Join(list, "` `") + "`"
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + cell(s) + "`"
}

func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s)
}

// Describe describes the key in Markdown for a user who wants to set it: the
// values it takes, its default and its documentation.
func (k *Key) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", code(k.Name), k.values())
	if k.Default != "" {
		fmt.Fprintf(&b, ", default %s", code(k.Default))
	}
	if k.Required {
		b.WriteString(", required")
	}
	fmt.Fprintf(&b, "\n\n%s", k.Doc)
	if k.Example != "" {
		fmt.Fprintf(&b, " Example: %s.", code(k.Example))
	}
	return b.String()
}
