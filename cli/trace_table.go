package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/trace"
)

// maxCells bounds a table.
const maxCells = 10_000

// axis is the ids of one `--unit`.
type axis struct {
	unit string
	ids  []uint32
}

// axes reads every `--unit DOMAIN.KIND=SET`.
func (q *traceQuestion) axes() ([]axis, error) {
	var list []axis
	cells := 1
	for _, u := range q.units {
		unit, text, _ := strings.Cut(u, "=")
		set, wrong := trace.ParseSet(text, maxCells)
		if wrong != nil {
			return nil, fmt.Errorf("--unit takes DOMAIN.KIND=SET, for instance MPI.rank=0-3, not `%s`: %s", u, wrong.Message)
		}
		x := axis{unit: unit}
		for _, s := range set.Spans() {
			for id := s.Lo; id <= s.Hi; id++ {
				x.ids = append(x.ids, id)
			}
		}
		if cells *= len(x.ids); cells == 0 || cells > maxCells {
			return nil, fmt.Errorf("the units are %d rows; a table has 1 to %d", cells, maxCells)
		}
		list = append(list, x)
	}
	return list, nil
}

// decided is one cell of the table.
type decided struct {
	Units  []string `json:"units"` // `MPI.rank=0`
	Event  string   `json:"event"`
	Traced []uint32 `json:"traced"`
}

// decideTable prints for each unit and event how many executions are traced.
func (a *app) decideTable(q *traceQuestion, paths []string, format string) error {
	axes, err := q.axes()
	if err != nil {
		return err
	}
	events := strings.Split(q.event, ",")
	single := *q
	single.units, single.event = nil, events[0]
	c, err := a.traceCase(&single, paths)
	if err != nil {
		return err
	}
	head := []string{}
	for _, x := range axes {
		head = append(head, x.unit)
	}
	rows := [][]string{append(head, events...)}
	cells := []decided{}
	for units := range unitRows(axes) {
		row := []string{}
		for _, u := range units {
			_, id, _ := strings.Cut(u, "=")
			row = append(row, id)
		}
		for _, e := range events {
			one := *q
			one.units, one.event = units, e
			if err := c.ask(a, &one); err != nil {
				return err
			}
			traced := c.executions(q.count, int(q.count))
			row = append(row, strconv.Itoa(len(traced)))
			cells = append(cells, decided{units, e, traced})
		}
		rows = append(rows, row)
	}
	if format == "json" {
		return a.json(struct {
			Version int       `json:"version"`
			Count   uint32    `json:"count"`
			Cells   []decided `json:"cells"`
		}{1, q.count, cells})
	}
	a.columns(rows)
	fmt.Fprintf(a.err, "traced of the first %d executions\n", q.count)
	return nil
}

// unitRows yields every combination of ids, the last axis fastest.
func unitRows(axes []axis) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		at := make([]int, len(axes))
		for {
			row := make([]string, len(axes))
			for i, x := range axes {
				row[i] = fmt.Sprintf("%s=%d", x.unit, x.ids[at[i]])
			}
			if !yield(row) {
				return
			}
			i := len(axes) - 1
			for ; i >= 0; i-- {
				if at[i]++; at[i] < len(axes[i].ids) {
					break
				}
				at[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
}
