package plugin

import "github.com/pentode-dev/pentode/run/data"

// Communicators are what a program's MPI library says of its communicators. The zero
// value is a program of one process that uses no MPI.
type Communicators struct {
	World, Self, Null []byte // as C has them
	Rank              int32

	// ToFortran and FromFortran convert the number that Fortran has for a communicator.
	ToFortran   func(comm []byte) int32
	FromFortran func(number int32) []byte
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

// MPI gives trees the communicators and their types.
func MPI(comms Communicators) data.Plugin {
	conversion := "datum: the metadatum that gets it converted"
	return data.Plugin{
		Name:  "mpi",
		Title: "MPI",
		Doc:   "gives the types MPI_Comm and MPI_Comm_f, and the communicators of the program as data",
		Keys: []data.Key{
			loggingKey,
			{Name: "Comm_c2f", Doc: conversion + " from C to Fortran"},
			{Name: "Comm_f2c", Doc: conversion + " from Fortran to C"},
		},
		New: func(c *data.Context) error { return newMPI(c, comms) },
	}
}

func newMPI(c *data.Context, comms Communicators) error {
	machine := c.Env().Machine
	comms.fill(machine)
	comm := data.ScalarOf(machine, "MPI_Comm", data.Opaque, int64(len(comms.World)))
	number := data.ScalarOf(machine, "MPI_Comm_f", data.Signed, 4)
	if err := c.Env().Provide("MPI_Comm", comm); err != nil {
		return err
	}
	if err := c.Env().Provide("MPI_Comm_f", number); err != nil {
		return err
	}
	integer := func(v int32) []byte {
		b := make([]byte, 4)
		machine.PutInteger(number, b, uint64(v))
		return b
	}
	for _, d := range []struct {
		name  string
		typ   data.Type
		value []byte
	}{
		{"MPI_COMM_WORLD_rank", data.ScalarOf(machine, "int", data.Signed, 4), integer(comms.Rank)},
		{"MPI_COMM_WORLD", comm, comms.World},
		{"MPI_COMM_SELF", comm, comms.Self},
		{"MPI_COMM_NULL", comm, comms.Null},
		{"MPI_COMM_WORLD_F", number, integer(comms.ToFortran(comms.World))},
		{"MPI_COMM_SELF_F", number, integer(comms.ToFortran(comms.Self))},
		{"MPI_COMM_NULL_F", number, integer(comms.ToFortran(comms.Null))},
	} {
		if err := provide(c, d.name, d.typ, d.value); err != nil {
			return err
		}
		c.OnFinalize(func() error { return c.Release(d.name) })
	}
	err := convert(c, "Comm_c2f", number, func(b []byte) []byte { return integer(comms.ToFortran(b)) })
	if err == nil {
		err = convert(c, "Comm_f2c", comm, func(b []byte) []byte { return comms.FromFortran(int32(machine.Number(number, b).(int64))) })
	}
	if err == nil {
		hello(c)
	}
	return err
}

// provide shares a value that nobody writes to.
func provide(c *data.Context, name string, t data.Type, value []byte) error {
	memory, err := c.Allocate(t)
	if err != nil {
		return err
	}
	copy(memory, value)
	return c.ShareAs(name, t, memory, data.Out)
}

// convert gives data a second name under which they have the other form.
func convert(c *data.Context, key string, to data.Type, do func([]byte) []byte) error {
	return c.Config.Lookup(key).Each("a mapping of data", func(name string, _, value *data.Node) error {
		target, err := value.Scalar("the name of a datum")
		if err != nil {
			return err
		}
		c.OnShare(name, func(_ string, ref data.Ref) error {
			from, err := ref.Read()
			if err != nil {
				return err
			}
			if err := provide(c, target, to, do(from)); err != nil {
				return err
			}
			return c.Release(target)
		})
		return nil
	})
}
