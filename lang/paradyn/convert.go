package paradyn

import (
	"io"
	"slices"
	"strconv"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
	"github.com/pentode-dev/pentode/run/launch"
)

// convert writes the plan of a configuration in another format, and reports what that format cannot express.
func convert(format string) func(*syntax.Tree, *Model, io.Writer) diag.List {
	return func(t *syntax.Tree, m *Model, w io.Writer) diag.List {
		var lost diag.List
		whole := t.File().Span(0, 0)
		plan, problems, err := m.plan()
		if err != nil {
			lost.Report(lossCode, whole, "%s", err).As(diag.Error)
			return lost
		}
		for _, d := range Diagnose(problems) {
			lost = append(lost, placed(d, whole))
		}
		var at launch.Place
		if m.place != nil {
			at = m.place()
		}
		losses, err := plan.Convert(format, at, w)
		if err != nil {
			lost.Report(lossCode, whole, "%s", err).As(diag.Error)
		}
		for _, l := range losses {
			lost = append(lost, placed(diag.Of(lossCode, l), whole))
		}
		return lost
	}
}

// placed sets the span of a diagnostic without one to the whole file.
func placed(d *diag.Diagnostic, whole source.Span) *diag.Diagnostic {
	if d.Span.IsZero() {
		d.Span = whole
	}
	return d
}

// jsonPlan is the JSON form of a configuration, with all its files. Tunable constants are numbers, all other
// values are texts.
type jsonPlan struct {
	Tunables  map[string]float64  `json:"tunable_constant"`
	Lists     map[string][]string `json:"list"`
	Daemons   []map[string]any    `json:"daemon"`
	Processes []map[string]any    `json:"process"`
	Visis     []map[string]any    `json:"visi"`
}

func toJSON(_ *syntax.Tree, m *Model, w io.Writer) diag.List {
	p := jsonPlan{map[string]float64{}, map[string][]string{}, m.jsonBlocks(m.Daemons), m.jsonBlocks(m.Processes), m.jsonBlocks(m.Visis)}
	for _, t := range m.Tunables {
		n, err := strconv.ParseFloat(t.Value, 64)
		if err != nil {
			continue // skip the value: the checker reports it
		}
		p.Tunables[t.Name] = n
	}
	for i := range m.Lists {
		if l := &m.Lists[i]; !l.Replaced {
			p.Lists[l.Name] = texts(l.Items)
		}
	}
	_ = jsontext.Write(w, p) // writing errors are reported by the caller's writer
	return nil
}

// jsonBlocks returns the blocks that no later block replaces, each with its fields.
func (m *Model) jsonBlocks(blocks []*Block) []map[string]any {
	list := []map[string]any{}
	for _, b := range blocks {
		if b.Replaced {
			continue
		}
		fields := map[string]any{}
		for i := range b.Fields {
			f := &b.Fields[i]
			switch f.Name {
			case "args":
				fields[f.Name] = texts(f.last().Items)
			case "host":
				fields[f.Name] = m.host(b)
			default:
				fields[f.Name] = f.last().Text
			}
		}
		list = append(list, fields)
	}
	return list
}

func texts(items []Item) []string {
	list := make([]string, len(items))
	for i, it := range items {
		list[i] = it.Text
	}
	return list
}

// jsonSchema is the JSON Schema of jsonPlan. It has no ranges of tunable constants, since these are only
// advice.
func jsonSchema() schema.JSON {
	constants := tunables
	constants.Keys = slices.Clone(tunables.Keys)
	for i := range constants.Keys {
		constants.Keys[i].Min, constants.Keys[i].Max = schema.Bound{}, schema.Bound{}
	}
	properties := schema.JSON{"tunable_constant": constants.JSONSchema(), "list": schema.JSON{
		"type": "object", "description": lists.Doc, "additionalProperties": schema.JSON{"type": "array", "items": schema.JSON{"type": "string"}},
	}}
	for _, kind := range []string{daemon, process, visi} {
		s := *section(kind)
		s.Keys = slices.Clone(s.Keys)
		for i := range s.Keys {
			if k := &s.Keys[i]; k.Type == schema.Int || k.Type == schema.Bool {
				k.Type, k.Default = schema.String, ""
			}
		}
		properties[kind] = schema.JSON{"type": "array", "items": s.JSONSchema()}
	}
	return schema.JSON{"type": "object", "properties": properties, "required": []string{"tunable_constant", "list", daemon, process, visi}, "additionalProperties": false}
}
