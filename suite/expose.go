package suite

import (
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// Stores opens the data store of a specification tree by the name in a pipeline. Processes that name the same tree share one store.
type Stores func(name string) (*data.Store, error)

// ExposeType returns the process type that puts the data that arrive at its ports into a data store. Each port has the name of the datum that it
// feeds. If open is nil, pipelines with the type can be checked, but not run.
func ExposeType(open Stores) *pipe.Type {
	turns := &turns{}
	return &pipe.Type{
		Name: exposeName,
		New:  func() pipe.Process { return &expose{open: open, turns: turns} },
		Doc: "Puts the data that arrive at its ports into a PDI data store, where plugins write or use them. " +
			"Every port has the name of the datum or metadata in the tree that it feeds.",
		In: []pipe.Port{{Name: "<any>", Type: pipe.AnyType, Flags: pipe.Required, Least: 1, Doc: "Feeds the datum with this name."}},
		Keys: []pipe.Key{
			{Name: "spec", Kind: pipe.String, Required: true, Doc: "The PDI specification tree."},
			{Name: "event", Kind: pipe.String, Doc: "The event to trigger in every step, while all data of the step are in the store."},
			{Name: "values", Kind: pipe.Any, Doc: "Constant metadata: `values:NAME` is exposed before the first step."},
		},
	}
}

// WithStores returns a plan whose `expose` processes put data into the stores that open opens.
func WithStores(plan *pipe.Plan, open Stores) *pipe.Plan {
	own, exposes := *plan, ExposeType(open)
	own.Nodes = slices.Clone(plan.Nodes)
	for i := range own.Nodes {
		if n := &own.Nodes[i]; n.Type != nil && n.Type.Name == exposeName {
			n.Type = exposes
		}
	}
	return &own
}

// exposeName is the name of the type in pipelines.
const exposeName = "expose"

type expose struct {
	open  Stores
	turns *turns
	store *data.Store
	turn  *sync.Mutex // held while the store is used
	event string
	ports []*flow.In
	taken []flow.Datum
}

// turns allows only one process at a time to use a shared store.
type turns struct {
	mu sync.Mutex
	of map[*data.Store]*sync.Mutex
}

func (t *turns) at(s *data.Store) *sync.Mutex {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[*data.Store]*sync.Mutex{}
	}
	if t.of[s] == nil {
		t.of[s] = &sync.Mutex{}
	}
	return t.of[s]
}

func (p *expose) Setup(s *flow.Setup) error {
	if p.open == nil {
		return s.Errorf("spec", "the tree `%s` cannot be opened: this program runs pipelines without a data store", s.Value("spec"))
	}
	var err error
	if p.store, err = p.open(s.Value("spec")); err != nil {
		return s.Errorf("spec", "%w", err)
	}
	p.turn = p.turns.at(p.store)
	p.event = s.Value("event")
	inOrder(p.store, constantNames(s.Config()), func(name string) {
		if e := p.constant(name, s.Config()[valuesPrefix+name].Value); e != nil && err == nil {
			err = s.Errorf(valuesPrefix+name, "%w", e)
		}
	})
	if err != nil {
		return err
	}
	for _, in := range s.Ins() {
		if _, ok := p.store.Template(in.Name()); !ok {
			return fmt.Errorf("port `%s` feeds nothing: the tree has no data or metadata with this name", in.Name())
		}
		p.ports = append(p.ports, in)
	}
	var names []string
	byName := map[string]*flow.In{}
	for _, in := range p.ports {
		names, byName[in.Name()] = append(names, in.Name()), in
	}
	p.ports = p.ports[:0]
	inOrder(p.store, names, func(name string) { p.ports = append(p.ports, byName[name]) })
	return nil
}

// valuesPrefix is the prefix of the keys of constants.
const valuesPrefix = "values:"

// constantNames returns the names of the constants in a configuration, sorted.
func constantNames(c pipe.Config) []string {
	var names []string
	for key := range c {
		if name, ok := strings.CutPrefix(key, valuesPrefix); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// needs returns the names on which the type of a datum depends.
func needs(s *data.Store, name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		t, ok := s.Template(name)
		if !ok {
			return
		}
		for value := range t.Values() {
			for ref := range value.Program.Refs() {
				if !yield(ref.Name) {
					return
				}
			}
		}
	}
}

// inOrder visits names so that each comes after the names on which its type depends.
func inOrder(s *data.Store, names []string, visit func(name string)) {
	waiting, visited := map[string]bool{}, map[string]bool{}
	for _, name := range names {
		waiting[name] = true
	}
	var walk func(name string)
	walk = func(name string) {
		if visited[name] {
			return // done, or a cycle, which the tree reports
		}
		visited[name] = true
		for other := range needs(s, name) {
			walk(other)
		}
		if waiting[name] {
			visit(name)
		}
	}
	for _, name := range names {
		walk(name)
	}
}

// constant exposes a value from the configuration.
func (p *expose) constant(name, text string) error {
	t, ok := p.store.Template(name)
	if !ok {
		return fmt.Errorf("the tree has no metadata `%s`", name)
	}
	typ, err := t.Evaluate()
	if err != nil {
		return err
	}
	memory, err := memoryFor(typ, constant(text))
	if err != nil {
		return err
	}
	return p.store.Expose(name, memory, data.Out)
}

// constant converts a value of the configuration: to a number if it looks like one.
func constant(text string) flow.Datum {
	text = strings.TrimSpace(text)
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return flow.OfInt(i)
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return flow.OfFloat(f)
	}
	return flow.OfText(text)
}

// Step takes one datum from every port and exposes them together.
func (p *expose) Step(pipe.Step) error {
	// Taking may wait, and no process may wait while it holds the store.
	p.taken = p.taken[:0]
	for _, in := range p.ports {
		p.taken = append(p.taken, in.Take())
	}
	p.turn.Lock()
	defer p.turn.Unlock()
	var first error
	shared := 0
	for i, in := range p.ports {
		if first = p.share(in.Name(), p.taken[i]); first != nil {
			break
		}
		shared++
	}
	if first == nil && p.event != "" {
		first = p.store.Event(p.event)
	}
	for i := shared - 1; i >= 0; i-- {
		if err := p.store.Reclaim(p.ports[i].Name()); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// share puts one datum into the store. The type of the next datum may depend on it.
func (p *expose) share(name string, d flow.Datum) error {
	t, _ := p.store.Template(name)
	typ, err := t.Evaluate()
	if err != nil {
		return fmt.Errorf("`%s`: %w", name, err)
	}
	memory, err := memoryFor(typ, d)
	if err != nil {
		return fmt.Errorf("`%s`: %w", name, err)
	}
	return p.store.Share(name, memory, data.Out)
}

// memoryFor returns a datum as memory of the type that the tree declares.
func memoryFor(t data.Type, d flow.Datum) (any, error) {
	switch v := d.Value().(type) {
	case *tensor.Tensor, []any, []float64:
		return arrayFor(t, v)
	case string:
		if a, ok := t.(*data.Array); !ok || a.Elem.Size() != 1 {
			return nil, fmt.Errorf("the text `%s` arrives, but the tree declares `%s`", v, t)
		}
		memory := make([]byte, t.Size())
		if len(v) > len(memory) {
			return nil, fmt.Errorf("the text has %d bytes, but the tree declares %d", len(v), len(memory))
		}
		copy(memory, v)
		return memory, nil
	case []byte:
		if int64(len(v)) != t.Size() {
			return nil, fmt.Errorf("%d bytes arrive, but the tree declares %d", len(v), t.Size())
		}
		return v, nil
	case int64:
		return number(t, v, float64(v))
	case float64:
		return number(t, int64(v), v)
	}
	return nil, fmt.Errorf("%s cannot be exposed: expected a number, a text or an array", d.Noun())
}

// number returns a number as memory of a scalar type.
func number(t data.Type, i int64, f float64) (any, error) {
	s, ok := t.(*data.Scalar)
	if !ok {
		return nil, fmt.Errorf("a number arrives, but the tree declares `%s`", t)
	}
	if s.Kind == data.Float {
		if s.Size() == 4 {
			v := float32(f)
			return &v, nil
		}
		return &f, nil
	}
	if f != math.Trunc(f) {
		return nil, fmt.Errorf("%v is not a whole number, but the tree declares `%s`", f, t)
	}
	if !holds(s, i) || math.Abs(f) > math.MaxInt64 {
		return nil, fmt.Errorf("%.0f does not fit into `%s`, which is %s and has %d bits", f, t, s.Kind, 8*s.Size())
	}
	switch s.Size() {
	case 1:
		v := int8(i)
		return &v, nil
	case 2:
		v := int16(i)
		return &v, nil
	case 4:
		v := int32(i)
		return &v, nil
	}
	return &i, nil
}

// holds reports whether an integer fits into a scalar; a byte may be signed or unsigned.
func holds(s *data.Scalar, i int64) bool {
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	if bits := 8 * s.Size(); bits < 64 {
		low, high = -1<<(bits-1), 1<<bits-1
		if s.Kind == data.Signed {
			high = 1<<(bits-1) - 1
		}
	}
	if s.Kind == data.Unsigned {
		low = 0
	}
	return low <= i && i <= high
}

// KeepStores returns a Stores that opens every tree once, and a function that closes all of them.
func KeepStores(open Stores) (Stores, func() error) {
	var mu sync.Mutex
	kept := map[string]*data.Store{}
	return func(name string) (*data.Store, error) {
			mu.Lock()
			defer mu.Unlock()
			if s := kept[name]; s != nil {
				return s, nil
			}
			s, err := open(name)
			if err == nil {
				kept[name] = s
			}
			return s, err
		}, func() error {
			mu.Lock()
			defer mu.Unlock()
			var first error
			for _, name := range slices.Sorted(maps.Keys(kept)) {
				if err := kept[name].Close(); err != nil && first == nil {
					first = err
				}
			}
			return first
		}
}

// arrayFor returns an array, or a list of numbers, as memory of the type that the tree declares. If elements and shape agree, it returns the array's
// own memory.
func arrayFor(t data.Type, v any) (any, error) {
	have, err := tensor.Of(v)
	if err != nil {
		return nil, fmt.Errorf("a list that is not an array arrives, but the tree declares `%s`: %w", t, err)
	}
	elem, shape := shapeOf(t)
	kind := elementKind(elem)
	if kind == 0 {
		return nil, fmt.Errorf("%v arrives, but the tree declares `%s`", have, t)
	}
	if !sameShape(have.Shape, shape) {
		return nil, fmt.Errorf("%v arrives, but the tree declares %s", have, declaredShape(have.Shape, shape, t))
	}
	same, err := have.Convert(kind)
	if err != nil {
		return nil, fmt.Errorf("%v arrives, but the tree declares `%s`: %w", have, t, err)
	}
	return native(same), nil
}

// shapeOf returns the element type of an array type and its extents, the slowest first; a type that is not an array has no extents.
func shapeOf(t data.Type) (elem data.Type, shape []int64) {
	shape = []int64{}
	for {
		a, ok := t.(*data.Array)
		if !ok {
			return t, shape
		}
		shape = append(shape, a.Length)
		t = a.Elem
	}
}

// elementKind returns the kind of an array with elements of this type, or 0 if there is none.
func elementKind(t data.Type) tensor.Kind {
	s, ok := t.(*data.Scalar)
	if !ok {
		return 0
	}
	return s.Element()
}

// sameShape compares shapes. An extent below 0 is unknown and matches every extent.
func sameShape(have []int, want []int64) bool {
	if len(have) != len(want) {
		return false
	}
	for i, n := range have {
		if n >= 0 && want[i] >= 0 && int64(n) != want[i] {
			return false
		}
	}
	return true
}

// declaredShape describes the shape in the tree if another shape arrives.
func declaredShape(have []int, want []int64, t data.Type) string {
	if len(want) == 0 {
		return fmt.Sprintf("one `%s`", t)
	}
	text := tensor.Extents(want)
	if turned := slices.Clone(have); len(have) == len(want) && len(have) > 1 {
		slices.Reverse(turned)
		if sameShape(turned, want) {
			text += ": its axes are in reverse order"
		}
	}
	return text
}

// native returns the elements of an array in the byte order of this machine.
func native(t *tensor.Tensor) []byte {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return t.Data
	}
	out := slices.Clone(t.Data)
	for i := 0; i < len(out); i += t.Kind.Size() {
		slices.Reverse(out[i : i+t.Kind.Size()])
	}
	return out
}
