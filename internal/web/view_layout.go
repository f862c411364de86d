package web

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/suite"
)

// layoutAnswer is the layout of a type on some machines, as `data layout` shows it.
type layoutAnswer struct {
	Names    []string        `json:"names"` // the types and data of the tree
	Known    []string        `json:"known"` // named machines
	Name     string          `json:"name"`
	Type     string          `json:"type"`
	Machines []machineLayout `json:"machines"`
	Lines    []layoutLine    `json:"lines"`
	More     int             `json:"more"`  // lines left out
	Why      string          `json:"why"`   // why there is no layout; empty: there is a layout
	Needs    []string        `json:"needs"` // data that the layout depends on
}

type machineLayout struct {
	Name   string `json:"name"`
	Words  string `json:"words"`
	Size   int64  `json:"size"`
	Align  int64  `json:"align"`
	Saves  int64  `json:"saves"`  // bytes saved by another order of the members
	Advice string `json:"advice"` // that order
}

type layoutLine struct {
	Depth int         `json:"depth"`
	Name  string      `json:"name"` // empty: a hole
	Type  string      `json:"type"`
	Cells []*[2]int64 `json:"cells"` // offset and size by machine; null if the machine lacks it
}

// Limits of a layout.
const (
	maxTargets     = 8
	maxLayoutLines = 2000
)

// laidOut is the type of a request, on the machines of the request.
type laidOut struct {
	model    *pdi.Model
	machines []*data.Machine
	layout   pdi.Layout
}

// laidOut evaluates the type of a request.
func (s *Server) laidOut(r *http.Request) (*laidOut, error) {
	q := r.URL.Query()
	o := s.open()
	c, err := o.config(q.Get("path"))
	if err != nil {
		return nil, err
	}
	out := &laidOut{}
	var ok bool
	if out.model, ok = lang.Model[*pdi.Model](c); !ok {
		return nil, fmt.Errorf("`%s` is a %s file; types are declared by a PDI specification tree", q.Get("path"), c.Document.Language.Title)
	}
	if errs := c.Document.Problems(); errs.HasErrors() {
		return nil, brokenFile(q.Get("path"), errs)
	}
	names := q["target"]
	if len(names) == 0 {
		names = []string{data.X86_64().Name}
	}
	if len(names) > maxTargets {
		return nil, guard.BadRequest(fmt.Sprintf("at most %d targets can be shown side by side", maxTargets))
	}
	for _, name := range names {
		m, found, err := o.targets().Machine(name)
		if err != nil {
			return nil, err
		}
		if found.HasErrors() {
			return nil, brokenFile(name, found)
		}
		out.machines = append(out.machines, m)
	}
	var set []pdi.Assignment
	for _, text := range q["set"] {
		name, value, _ := strings.Cut(text, "=")
		if name == "" || strings.ContainsAny(name, ".[") {
			return nil, guard.BadRequest("`set` takes NAME=VALUE, with the name of a datum")
		}
		set = append(set, pdi.Assignment{Name: name, Value: value})
	}
	declared := out.model.Names()
	if len(declared) == 0 {
		return nil, fmt.Errorf("`%s` declares no type and no datum", q.Get("path"))
	}
	list, err := out.model.Layouts(out.machines, set, []string{cmp.Or(q.Get("name"), declared[0])})
	if err != nil {
		return nil, err
	}
	out.layout = list[0]
	return out, nil
}

// layoutView returns the layout of a type.
func (s *Server) layoutView(r *http.Request) (any, error) {
	l, err := s.laidOut(r)
	if err != nil {
		return nil, err
	}
	out := layoutAnswer{Names: l.model.Names(), Known: suite.MachineNames(), Name: l.layout.Name, Lines: []layoutLine{}, Needs: []string{}}
	for i, m := range l.machines {
		e := machineLayout{Name: m.Name, Words: m.String()}
		if l.layout.Err == nil {
			t := l.layout.Types[i]
			e.Size, e.Align = t.Size(), t.Align()
			if record, ok := t.(*data.Record); ok {
				if a, ok := data.Advise(record); ok {
					e.Saves, e.Advice = a.Saves, a.String()
				}
			}
		}
		out.Machines = append(out.Machines, e)
	}
	if l.layout.Err != nil {
		out.Why, out.Needs = l.layout.Why(), append(out.Needs, pdi.Needs(l.layout.Err)...)
		return out, nil
	}
	out.Type = data.HeadWord(l.layout.Types[0])
	lines := data.Beside(l.layout.Types)
	shown := lines[:min(len(lines), maxLayoutLines)]
	out.More = len(lines) - len(shown)
	for _, line := range shown {
		e := layoutLine{Depth: line.Depth, Name: line.Name, Type: line.Word(), Cells: make([]*[2]int64, len(line.Rows))}
		for i, row := range line.Rows {
			if row != nil {
				e.Cells[i] = &[2]int64{row.Offset, row.Size}
			}
		}
		out.Lines = append(out.Lines, e)
	}
	return out, nil
}
