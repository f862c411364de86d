package replay

import (
	"encoding/binary"
	"os"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/data"
)

// Player makes calls on a store, as a program would. It keeps the memory that it has shared.
type Player struct {
	store  *data.Store
	make   func() (*data.Store, error)
	shared map[string][][]byte
}

// NewPlayer makes a store and a player for it. The call `init` in a script makes a new store.
func NewPlayer(makeStore func() (*data.Store, error)) (*Player, error) {
	p := &Player{make: makeStore, shared: map[string][][]byte{}}
	return p, p.init(Call{}, nil)
}

// Play makes one call.
func (p *Player) Play(c Call) Result {
	r := Result{Call: c}
	op, err := c.operation()
	if err == nil {
		err = op.play(p, c, &r)
	}
	r.Err = err
	return r
}

func (p *Player) init(Call, *Result) (err error) {
	p.store, err = p.make()
	return err
}

func (p *Player) finalize(Call, *Result) error    { return p.store.Close() }
func (p *Player) reclaim(c Call, _ *Result) error { return p.store.Reclaim(c.Args[0].Text) }
func (p *Player) release(c Call, _ *Result) error { return p.store.Release(c.Args[0].Text) }
func (p *Player) event(c Call, _ *Result) error   { return p.store.Event(c.Args[0].Text) }
func (p *Player) begin(c Call, _ *Result) error   { return p.store.Begin(c.Args[0].Text) }
func (p *Player) end(Call, *Result) error         { return p.store.End() }

func (p *Player) share(c Call, _ *Result) error {
	item, err := p.item(c.Args)
	if err != nil {
		return err
	}
	return p.store.Share(item.Name, item.Value, item.Access)
}

func (p *Player) expose(c Call, _ *Result) error {
	item, err := p.item(c.Args)
	if err != nil {
		return err
	}
	return p.store.Expose(item.Name, item.Value, item.Access)
}

func (p *Player) shareNull(c Call, _ *Result) error {
	access, err := accessOf(c.Args[1])
	if err != nil {
		return err
	}
	name := c.Args[0].Text
	p.shared[name] = append(p.shared[name], nil)
	return p.store.Share(name, nil, access)
}

func (p *Player) multi(c Call, _ *Result) error {
	var items []data.Item
	for _, n := range c.Args[1:] {
		if n.Kind != data.SequenceNode || len(n.Items) != 3 || n.Items[0].Kind != data.ScalarNode {
			return data.Errorf(data.StatusSpecTree, n, "expected `[NAME, ACCESS, VALUE]`, found %s", flow(n))
		}
		item, err := p.item(n.Items)
		if err != nil {
			return err
		}
		items = append(items, item)
	}
	return p.store.MultiExpose(c.Args[0].Text, items...)
}

func (p *Player) multi2(c Call, _ *Result) error {
	var items []data.Item
	for _, n := range c.Args[1:] {
		item, err := p.item([]*data.Node{n, data.Text("OUT"), nil})
		if err != nil {
			return err
		}
		items = append(items, item)
	}
	return p.store.MultiExpose(c.Args[0].Text, items...)
}

// item makes the datum of a call with the words `NAME ACCESS VALUE`. Without a value, its memory is zeroed.
func (p *Player) item(args []*data.Node) (data.Item, error) {
	name := args[0].Text
	access, err := accessOf(args[1])
	if err != nil {
		return data.Item{}, err
	}
	memory, err := p.memory(name, args[2])
	if err != nil {
		return data.Item{}, err
	}
	p.shared[name] = append(p.shared[name], memory)
	return data.Item{Name: name, Value: memory, Access: access}, nil
}

// undeclaredSize is the number of bytes that are shared under a name without a declared type.
const undeclaredSize = 64

// memory allocates memory of the declared type of a name and writes a value to it. If the value is an integer
// but the type is not a number, the integer is written to the first bytes. In upstream's dialect this happens
// for every type, as in a C program that shares the address of an int.
func (p *Player) memory(name string, value *data.Node) ([]byte, error) {
	template, ok := p.store.Template(name)
	if !ok {
		if value == nil {
			return make([]byte, undeclaredSize), nil
		}
		return first(make([]byte, undeclaredSize), value), nil
	}
	t, err := template.Evaluate()
	if err != nil {
		return make([]byte, undeclaredSize), nil // the size does not matter: sharing the memory will fail
	}
	memory, err := data.Allocate(t)
	if err != nil || value == nil {
		return memory, err
	}
	if file, ok := strings.CutPrefix(value.Text, "@"); ok && value.Kind == data.ScalarNode {
		return memory, p.load(name, memory, file)
	}
	return memory, p.fill(t, memory, value)
}

// load fills memory from a file.
func (p *Player) load(name string, memory []byte, file string) error {
	f, err := p.store.Host().Open(file, os.O_RDONLY, 0)
	if err != nil {
		return data.Errorf(data.StatusSystem, nil, "cannot read `@%s`: %s", file, source.Explain(file, err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.Size() != int64(len(memory)) {
		return data.Errorf(data.StatusValue, nil, "`@%s` has %d bytes, `%s` takes %d", file, info.Size(), name, len(memory))
	}
	if err == nil {
		_, err = f.ReadAt(memory, 0)
	}
	if err != nil {
		return data.Errorf(data.StatusSystem, nil, "cannot read `@%s`: %s", file, source.Explain(file, err))
	}
	return nil
}

func (p *Player) fill(t data.Type, memory []byte, value *data.Node) error {
	_, number := t.(*data.Scalar)
	if integer(value) && (!number || p.store.Env().Dialect == data.Upstream) {
		first(memory, value)
		return nil
	}
	v, err := p.store.Env().ParseValue(value)
	if err != nil {
		return err
	}
	// AssignTo converts numbers in both dialects: the script stands for the program, and what a program
	// writes to its own memory does not depend on the dialect.
	return v.AssignTo(t, p.store.Env().Machine, memory)
}

func integer(n *data.Node) bool {
	_, err := strconv.ParseInt(n.Text, 10, 32)
	return n.Kind == data.ScalarNode && err == nil
}

func first(memory []byte, value *data.Node) []byte {
	if n, err := strconv.ParseInt(value.Text, 10, 32); err == nil {
		copy(memory, binary.NativeEndian.AppendUint32(nil, uint32(n)))
	}
	return memory
}

func accessOf(n *data.Node) (data.Access, error) {
	for a := data.None; a <= data.InOut; a++ {
		if n.Kind == data.ScalarNode && n.Text == a.String() {
			return a, nil
		}
	}
	return 0, data.Errorf(data.StatusSpecTree, n, "expected `NONE`, `IN`, `OUT` or `INOUT`, found %s", flow(n))
}

func (p *Player) last(name string) []byte {
	list := p.shared[name]
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

func (p *Player) poke(c Call, _ *Result) error {
	name := c.Args[0].Text
	memory := p.last(name)
	if memory == nil {
		return data.Errorf(data.StatusState, c.Node, "`%s` was never shared by this script", name)
	}
	ref, err := p.store.Ref(name)
	if err != nil || ref.Type() == nil {
		first(memory, c.Args[1])
		return nil
	}
	return p.fill(ref.Type(), memory, c.Args[1])
}

func (p *Player) access(c Call, r *Result) error {
	access, err := accessOf(c.Args[1])
	if err != nil {
		return err
	}
	memory, err := p.store.Access(c.Args[0].Text, access)
	if err != nil {
		return err
	}
	last := p.last(c.Args[0].Text)
	r.Memory = memory != nil
	r.Same = memory == nil && last == nil || len(memory) > 0 && len(last) > 0 && &memory[0] == &last[0]
	if len(memory) > 0 {
		var b [4]byte
		copy(b[:], memory)
		n := int32(binary.NativeEndian.Uint32(b[:]))
		r.First = &n
	}
	return nil
}

func (p *Player) long(c Call, r *Result) error {
	return p.evaluate(c, r, func(v *data.Value) (any, error) { return v.Long() })
}

func (p *Player) double(c Call, r *Result) error {
	return p.evaluate(c, r, func(v *data.Value) (any, error) { return v.Double() })
}

func (p *Player) text(c Call, r *Result) error {
	return p.evaluate(c, r, func(v *data.Value) (any, error) { return v.Text() })
}

// evaluate computes the value of an expression with read, and stores it in the result, or the reason why
// there is none.
func (p *Player) evaluate(c Call, r *Result, read func(*data.Value) (any, error)) error {
	v, err := p.store.Env().ParseValue(c.Args[0])
	if err == nil {
		r.Value, err = read(v)
	}
	if err != nil {
		r.Value, r.Failed = nil, err
	}
	return nil
}
