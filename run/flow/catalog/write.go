package catalog

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Write writes declarations in the form that AddTypes reads. Each port and each key has its own
// line, so that a diff of two versions is easy to read.
func (all Declarations) Write(w io.Writer) error {
	list := make([]declaration, 0, len(all.Types)+len(all.Algorithms)+len(all.Placeholders)+len(all.Unread))
	for _, t := range all.Types {
		list = append(list, declare(t))
	}
	for _, a := range all.Algorithms {
		list = append(list, declareAlgorithm(a))
	}
	for _, name := range slices.Sorted(maps.Keys(all.Placeholders)) {
		list = append(list, declaration{Placeholder: name, Origin: all.Placeholders[name]})
	}
	for _, u := range all.Unread {
		list = append(list, declaration{Unread: u.Class, Role: u.Role, Origin: u.Origin})
	}
	var b bytes.Buffer
	b.WriteString("[")
	for i, d := range list {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n{")
		first := true
		for _, f := range []struct{ name, value string }{
			{"type", d.Type}, {"algorithm", d.Algorithm}, {"unread", d.Unread}, {"role", d.Role}, {"placeholder", d.Placeholder}, {"version", d.Version}, {"origin", d.Origin}, {"doc", d.Doc}, {"keys", d.Keys},
			{"check", d.Check}, {"properties", d.Properties}, {"needs", d.Needs},
		} {
			if f.value == "" {
				continue
			}
			if !first {
				b.WriteString(",\n ")
			}
			first = false
			b.WriteString(jsontext.Line(f.name) + ": " + jsontext.Line(f.value))
		}
		for _, list := range []struct {
			name string
			rows []row
		}{{"in", d.In}, {"out", d.Out}, {"config", d.Config}} {
			for j, r := range list.rows {
				b.WriteString(",\n  ")
				if j == 0 {
					b.WriteString(jsontext.Line(list.name) + ": [")
				}
				b.WriteString(jsontext.Line(r))
			}
			if len(list.rows) > 0 {
				b.WriteString("]")
			}
		}
		b.WriteString("}")
	}
	b.WriteString("\n]\n")
	_, err := w.Write(b.Bytes())
	return err
}

// declare converts a type to the form of the file.
func declare(t *pipe.Type) declaration {
	d := declaration{Type: t.Name, Version: t.Version, Origin: t.Origin, Doc: t.Doc, Properties: strings.Join(t.Properties, ","), Needs: t.Needs}
	if t.OpenKeys {
		d.Keys = openKeys
	}
	if t.Level != pipe.CheckValid {
		d.Check = t.Level.String()
	}
	for _, p := range t.In {
		d.In = append(d.In, row{p.Name, p.Type, p.Flags.String(), p.Doc})
	}
	for _, p := range t.Out {
		d.Out = append(d.Out, row{p.Name, p.Type, p.Flags.String(), p.Doc})
	}
	d.Config = rows(t.Keys)
	return d
}

// declareAlgorithm converts an algorithm to the form of the file.
func declareAlgorithm(a *pipe.Algorithm) declaration {
	d := declaration{Algorithm: a.Name, Role: a.Role, Version: a.Version, Origin: a.Origin, Doc: a.Doc, Config: rows(a.Keys)}
	if a.Open {
		d.Keys = openKeys
	}
	return d
}

// rows converts keys to the form of the file.
func rows(keys []pipe.Key) []row {
	var list []row
	for _, k := range keys {
		kind := string(k.Kind)
		if k.Role != "" {
			kind += "/" + k.Role
		}
		r := row{k.Name, kind, k.Default, k.Doc}
		if k.Tunable {
			r = append(r, true)
		}
		list = append(list, r)
	}
	return list
}
