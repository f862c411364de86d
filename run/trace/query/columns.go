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
	span // of time
)

// column is a word that a condition may use.
type column struct {
	name   string
	doc    string
	is     kind
	text   func(*row) string        // of a text; empty: the row has none
	number func(*row) (int64, bool) // of the others
	key    string                   // what it is called in JSON, with its quotes and colon
	fixed  bool                     // all frames of one ID have the same
}

// row is an execution, or an event that is none.
type row struct {
	thread     *recorded.Thread
	kind       *recorded.Kind // of the event that began it
	region     *recorded.Region
	frame      *recorded.Frame // of an execution
	event      *recorded.Event // that is none
	begin      int64
	took, self int64
	ended      bool // took and self are known

	start  int64 // of the trace
	titles map[[2]string]string
	last   string // title
	of     [2]string
}

// columns are all of them, in the order in which they are written.
var columns = []column{
	numberColumn("at", span, "when it began, from the first event of the trace on", func(r *row) (int64, bool) { return r.begin - r.start, true }),
	numberColumn("dur", span, "how long it took", func(r *row) (int64, bool) { return r.took, r.ended }),
	numberColumn("self", span, "how long it took without what lies in it", func(r *row) (int64, bool) { return r.self, r.ended }),
	textColumn("region", "what a row of `report --by region` is called", (*row).title),
	textColumn("function", "of the source, in which it is", func(r *row) string {
		if r.region == nil {
			return ""
		}
		return r.region.Function
	}),
	textColumn("call", "the function of MPI", func(r *row) string {
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
	textColumn("event", "the kind of the event, or of the one that began it", func(r *row) string { return r.kind.Name }),
	textColumn("file", "of the source", func(r *row) string {
		if r.region == nil {
			return ""
		}
		return r.region.File
	}),
	numberColumn("line", number, "of that file", func(r *row) (int64, bool) {
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

// Columns are the names of the columns with what they are.
func Columns() (list [][2]string) {
	for _, c := range columns {
		list = append(list, [2]string{c.name, c.doc})
	}
	return list
}

// Row returns a value of the type that encoding/json writes as Run writes a row: a struct with a field for each column.
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

// title is the name with its place in the source, which is joined once.
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

// place is the name of what it is added up by, and where that is.
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

// names are those of the columns.
func names() (list []string) {
	for _, c := range columns {
		list = append(list, c.name)
	}
	return list
}

// what a value of a type is called, and how one is written.
func (k kind) String() string { return [...]string{"a text", "a number", "a time"}[k] }

func (k kind) example() string {
	return [...]string{"a text stands in quotes, such as \"relax\"", "a number has digits only, such as 3", "a time has a unit, such as 1.5ms, 20us or 2s"}[k]
}
