package query

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// kind is the type of a column.
type kind int

const (
	text kind = iota
	number
	span // a duration
)

// column is a column that a condition may use.
type column struct {
	name   string
	doc    string
	is     kind
	text   func(*row) string        // of a text; empty: the row has none
	number func(*row) (int64, bool) // of the other types
	key    string                   // its name in JSON, with quotes and colon
	fixed  bool                     // whether it is the same in all frames with one ID
}

// row is an execution, or an event outside of executions.
type row struct {
	thread     *recorded.Thread
	kind       *recorded.Kind // of the event that began it
	region     *recorded.Region
	frame      *recorded.Frame // of an execution
	event      *recorded.Event // of an event outside of executions
	begin      int64
	took, self int64
	ended      bool // whether took and self are known

	start  int64 // the start of the trace
	titles map[[2]string]string
	last   string // the title returned last, for the names in of
	of     [2]string
}

// columns are all columns, in output order.
var columns = []column{
	numberColumn("at", span, "when it began, counted from the first event of the trace", func(r *row) (int64, bool) { return r.begin - r.start, true }),
	numberColumn("dur", span, "how long it took", func(r *row) (int64, bool) { return r.took, r.ended }),
	numberColumn("self", span, "how long it took without the executions within it", func(r *row) (int64, bool) { return r.self, r.ended }),
	textColumn("region", "its name in `report --by region`", (*row).title),
	textColumn("function", "the function in the source that it is in", func(r *row) string {
		if r.region == nil {
			return ""
		}
		return r.region.Function
	}),
	textColumn("call", "the MPI function", func(r *row) string {
		if !r.kind.MPI() || r.frame == nil {
			return ""
		}
		return r.frame.Name
	}),
	textColumn("kernel", "the kernel that a device ran", func(r *row) string {
		if !r.kind.Kernel() || r.frame == nil {
			return ""
		}
		return r.frame.Name
	}),
	textColumn("event", "the kind of the event, or of the event that began it", func(r *row) string { return r.kind.Name }),
	textColumn("file", "its file in the source", func(r *row) string {
		if r.region == nil {
			return ""
		}
		return r.region.File
	}),
	numberColumn("line", number, "its line in that file", func(r *row) (int64, bool) {
		if r.region == nil {
			return 0, false
		}
		return int64(r.region.Line), r.region.Line > 0
	}),
	numberColumn("rank", number, "the rank in MPI_COMM_WORLD", func(r *row) (int64, bool) { return int64(r.thread.Rank), r.thread.Rank >= 0 }),
	numberColumn("thread", number, "the number of the thread in its process", func(r *row) (int64, bool) { return int64(r.thread.Number), r.thread.Number >= 0 }),
	numberColumn("pid", number, "the process", func(r *row) (int64, bool) { return int64(r.thread.PID), r.thread.PID > 0 }),
	{name: "host", doc: "the machine", text: func(r *row) string { return r.thread.Host }, key: `"host":`},
}

func textColumn(name, doc string, get func(*row) string) column {
	return column{name: name, doc: doc, text: get, key: `"` + name + `":`, fixed: true}
}

func numberColumn(name string, is kind, doc string, get func(*row) (int64, bool)) column {
	key := name
	if is == span {
		key += "_ns"
	}
	return column{name: name, doc: doc, is: is, number: get, key: `"` + key + `":`}
}

// Columns returns the names of the columns and their descriptions.
func Columns() (list [][2]string) {
	for _, c := range columns {
		list = append(list, [2]string{c.name, c.doc})
	}
	return list
}

// Row returns a value that encoding/json writes as Run writes a row: a struct with a field for each column.
func Row() any {
	fields := make([]reflect.StructField, len(columns))
	for i, c := range columns {
		fields[i] = reflect.StructField{Name: strings.ToUpper(c.name), Type: reflect.TypeFor[int64](), Tag: reflect.StructTag(`json:` + strconv.Quote(strings.Trim(c.key, `":`)+",omitempty"))}
		if c.is == text {
			fields[i].Type = reflect.TypeFor[string]()
		}
	}
	return reflect.Zero(reflect.StructOf(fields)).Interface()
}

// title returns the name with its place in the source. The two are joined once.
func (r *row) title() string {
	of := r.place()
	if of[1] == "" {
		return of[0]
	}
	if of == r.of {
		return r.last
	}
	s, ok := r.titles[of]
	if !ok {
		s = strings.Join(of[:], " ")
		if len(r.titles) < maxKept {
			r.titles[of] = s
		}
	}
	r.of, r.last = of, s
	return s
}

// place returns the name under which the row is summed up, and the place.
func (r *row) place() [2]string {
	if r.frame == nil {
		return [2]string{r.event.Title(), r.region.Where()}
	}
	name, where := r.frame.Place()
	return [2]string{name, where}
}

// find returns a column by its name, or nil.
func find(name string) *column {
	for i := range columns {
		if columns[i].name == name {
			return &columns[i]
		}
	}
	return nil
}

// names returns the names of the columns.
func names() (list []string) {
	for _, c := range columns {
		list = append(list, c.name)
	}
	return list
}

// String and example describe the values of a type.
func (k kind) String() string { return [...]string{"a text", "a number", "a time"}[k] }

func (k kind) example() string {
	return [...]string{"write a text in quotes, such as \"relax\"", "a number has digits only, such as 3", "a time has a unit, such as 1.5ms, 20us or 2s"}[k]
}
