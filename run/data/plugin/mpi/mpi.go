// Package mpi is the plugin `mpi`: it provides the communicators of the program and their types to trees.
package mpi

import (
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/into"
	"github.com/pentode-dev/pentode/run/data/ranks"
)

// Communicators describes the communicators of a program's MPI library. The zero value is a program
// of one process without MPI.
type Communicators struct {
	World, Self, Null []byte // the C handles of the predefined communicators, as bytes
	Rank              int32

	// ToFortran and FromFortran convert between a communicator and its number in Fortran.
	ToFortran   func(comm []byte) int32
	FromFortran func(number int32) []byte

	Find ranks.Finder
}

func (c *Communicators) fill(m *data.Machine) {
	if c.World == nil {
		c.World, c.Self, c.Null = make([]byte, m.Pointer), make([]byte, m.Pointer), make([]byte, m.Pointer)
	}
	if c.ToFortran == nil {
		c.ToFortran = func([]byte) int32 { return 0 }
		c.FromFortran = func(int32) []byte { return c.World }
	}
}

// Plugin returns the plugin.
func Plugin(comms Communicators) data.Plugin {
	return data.Plugin{
		Name:   "mpi",
		Title:  "MPI",
		Doc:    "Provides the types MPI_Comm and MPI_Comm_f and the communicators of the program, and converts between C's and Fortran's. In `data replay` there is one process.",
		Runs:   data.Programs | data.Replays,
		Config: new(mpi).rule(),
		Types:  comms.types,
		Data:   []string{"MPI_COMM_WORLD", "MPI_COMM_SELF", "MPI_COMM_NULL", "MPI_COMM_WORLD_F", "MPI_COMM_SELF_F", "MPI_COMM_NULL_F", data.RankName},
		New:    func(c *data.Context) error { return load(c, comms) },
	}
}

// pairs is the rule for a mapping from the name of a datum to the name for its converted form.
var pairs = config.ByName(config.Reads, config.Only(config.Provides))

// types returns the types of communicators: one for C handles and one for Fortran numbers.
func (c Communicators) types(m *data.Machine) []*data.Scalar {
	c.fill(m)
	return []*data.Scalar{
		data.ScalarOf(m, "MPI_Comm", data.Opaque, int64(len(c.World))),
		data.ScalarOf(m, "MPI_Comm_f", data.Signed, 4),
	}
}

func load(c *data.Context, comms Communicators) error {
	machine := c.Env().Machine
	comms.fill(machine)
	types := comms.types(machine)
	m := &mpi{Context: c, Communicators: comms, comm: types[0], number: types[1]}
	for _, d := range []struct {
		name  string
		typ   *data.Scalar
		value []byte
	}{
		{data.RankName, data.ScalarOf(machine, "int", data.Signed, 4), m.integer(comms.Rank)},
		{"MPI_COMM_WORLD", m.comm, comms.World},
		{"MPI_COMM_SELF", m.comm, comms.Self},
		{"MPI_COMM_NULL", m.comm, comms.Null},
		{"MPI_COMM_WORLD_F", m.number, m.integer(comms.ToFortran(comms.World))},
		{"MPI_COMM_SELF_F", m.number, m.integer(comms.ToFortran(comms.Self))},
		{"MPI_COMM_NULL_F", m.number, m.integer(comms.ToFortran(comms.Null))},
	} {
		if err := c.Predefine(d.name, d.typ, d.value); err != nil {
			return err
		}
	}
	if err := c.AddPatternBlock("MPI %{" + data.RankName + ":06d}"); err != nil {
		return err
	}
	if err := into.Keys(c, c.Config, m.rule()); err != nil {
		return err
	}
	c.Greet()
	return nil
}

// mpi is the plugin in a store.
type mpi struct {
	*data.Context
	Communicators
	comm, number *data.Scalar
}

// rule returns the rule of the configuration. `transtype` always converts from Fortran to C, because the
// types of the data, which would tell the direction, are not known yet.
func (m *mpi) rule() *config.Rule {
	toFortran := conversion{way: "C->F", back: "F->C", typ: m.number, convert: m.toFortran, revert: m.toC}
	toC := conversion{way: "F->C", back: "C->F", typ: m.comm, convert: m.toC, revert: m.toFortran}
	return &config.Rule{Scalar: config.Text, Keys: []config.Key{
		{Name: "Comm_c2f", Rule: pairs, Read: m.pairs(&toFortran), Doc: "Communicators to convert from C to Fortran: `from: to`."},
		{Name: "Comm_f2c", Rule: pairs, Read: m.pairs(&toC), Doc: "Communicators to convert from Fortran to C: `from: to`."},
		{Name: "transtype", Rule: pairs, Doc: "The same as `Comm_f2c`; deprecated.", Read: into.Reader(func(c *data.Context, key, n *data.Node) error {
			m.Log.Warn("`transtype' key is deprecated when transtyping C/Fortran MPI communicator, please use Comm_c2f/Comm_f2c")
			return m.pairs(&toC)(c, key, n)
		})},
		config.Log,
	}}
}

func (m *mpi) integer(v int32) []byte {
	b := make([]byte, 4)
	m.Env().Machine.PutInteger(m.number, b, uint64(v))
	return b
}

// pairs reads pairs of names; the second is the name of the converted form.
func (m *mpi) pairs(c *conversion) into.Reader {
	return into.Func(func(n *data.Node) error {
		return n.Each("a mapping of data", func(name string, _, value *data.Node) error {
			target, err := value.Scalar("the name of a datum")
			if err != nil {
				return err
			}
			m.OnShare(name, func(_ string, ref data.Ref) error { return m.share(c, name, target, ref) })
			m.OnRemove(name, func(_ string, ref data.Ref) error { return m.remove(c, name, target, ref) })
			return nil
		})
	})
}

func (m *mpi) toC(from data.Ref) ([]byte, error) {
	number, err := m.fortran(from)
	return m.FromFortran(number), err
}

func (m *mpi) toFortran(from data.Ref) ([]byte, error) {
	comm, err := from.Read()
	if err != nil {
		return nil, err
	}
	return m.integer(m.ToFortran(comm)), nil
}

// conversion describes the conversion of communicators from C to Fortran, or from Fortran to C.
type conversion struct {
	way, back       string
	typ             *data.Scalar // the type of the result
	convert, revert func(data.Ref) ([]byte, error)
}

// share shares the converted form of a datum.
func (m *mpi) share(c *conversion, name, target string, ref data.Ref) error {
	m.Log.Debug("Transtype `%s' to `%s' (%s)", name, target, c.way)
	value, err := c.convert(ref)
	if err != nil {
		return err
	}
	memory, err := m.Allocate(c.typ)
	if err != nil {
		return err
	}
	copy(memory, value)
	return m.ShareAs(target, c.typ, memory, data.InOut)
}

// remove removes the converted form of a datum. If the program wrote to that form, the value is converted
// back and stored in the datum, provided that the datum may be written to.
func (m *mpi) remove(c *conversion, name, target string, ref data.Ref) error {
	m.Log.Debug("`%s' no longer available, reclaim transtyped `%s'", name, target)
	memory, err := ref.Write()
	if err != nil && c.back == "C->F" {
		m.Log.Error("Cannot write `%s' communicator back", name)
	}
	if err == nil {
		m.Log.Debug("Transtype back `%s' to `%s' (%s)", target, name, c.back)
		other, err := m.Ref(target)
		if err != nil {
			return err
		}
		value, err := c.revert(other)
		if err != nil {
			return err
		}
		if s, ok := ref.Type().(*data.Scalar); ok && s.Kind != data.Opaque {
			m.Env().Machine.PutInteger(s, memory, uint64(m.Env().Machine.Number(m.number, value).(int64)))
		} else {
			copy(memory, value)
		}
	}
	return m.Release(target)
}

// fortran returns the number of a communicator from an integer of any size.
func (m *mpi) fortran(ref data.Ref) (int32, error) {
	s, ok := ref.Type().(*data.Scalar)
	if !ok || s.Kind != data.Signed && s.Kind != data.Unsigned || s.Size() > 8 {
		e := data.Errorf(data.StatusType, nil, "expected an integer, found `%s`", ref.Type())
		if ok && s.Kind == data.Opaque {
			e.Upstream("Integer scalar expected, got:\ntype: scalar\nkind: unknown\ndense: true\nbuffersize: %d\ndatasize: %[1]d\nalignment: %d", s.Size(), s.Align())
		}
		return 0, e
	}
	b, err := ref.Read()
	if err != nil {
		return 0, err
	}
	switch n := m.Env().Machine.Number(s, b).(type) {
	case int64:
		return int32(n), nil
	case uint64:
		return int32(n), nil
	}
	return 0, nil
}
