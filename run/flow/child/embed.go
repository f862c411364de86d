package child

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff"
)

// EmbedVariable is an environment variable. A program sets it when it starts a pipeline for which it does the work of some
// processes. Its value is `FD:NAME`: the descriptor of a socket, and the name of the program in messages. Over this socket
// the program gets the descriptors of each of these processes, and uses them for the binary protocol.
//
//	program ─▶ input_adapter ─▶ … ─▶ output_adapter ─▶ program
//	                    … ─▶ embedded ─▶ …     a process of the program itself
const EmbedVariable = "PENTODE_EMBED"

// sockets are the descriptors already opened. The first process that needs one opens it, because a check needs none.
var sockets sync.Map // maps a descriptor (int) to func() (*net.UnixConn, error)

// Embed makes those types of a registry runnable whose work an embedding program does. value is the value of EmbedVariable.
func Embed(r *pipe.Registry, value string) error {
	number, name, _ := strings.Cut(value, ":")
	fd, err := strconv.Atoi(number)
	if err != nil || fd < 3 || name == "" {
		return fmt.Errorf("the variable %s is `%s`, but must be the descriptor of a socket and a name, such as `3:program`: only programs that embed a pipeline set it", EmbedVariable, value)
	}
	types := []*pipe.Type{embeddedType()}
	for _, name := range []string{inputAdapter, outputAdapter} {
		if t, ok := r.Lookup(name); ok {
			types = append(types, t)
		}
	}
	for _, t := range types {
		runs := *t
		runs.Needs = ""
		runs.New = func() pipe.Process { return &embedded{embedder: &embedder{fd, name}, typ: runs.Name} }
		if err := r.Replace(&runs); err != nil {
			return err
		}
	}
	return nil
}

// The types with which the embedding program sends data into the pipeline and receives data from it.
const (
	inputAdapter  = "input_adapter"
	outputAdapter = "output_adapter"
)

func embeddedType() *pipe.Type {
	return &pipe.Type{
		Name: "embedded",
		Doc:  "A process of the program that embeds the pipeline, by its name; it has the ports that are connected.",
		In:   []pipe.Port{{Name: "<any>", Type: pipe.AnyType, Doc: "An input port of the process."}},
		Out:  []pipe.Port{{Name: "<any>", Type: pipe.AnyType, Doc: "An output port of the process."}},
		Keys: []pipe.Key{{Name: "", Kind: pipe.Any, Tunable: true, Doc: "A key of the process."}},
	}
}

// embedded is a process whose work the embedding program does.
type embedded struct {
	embedder *embedder
	typ      string
	*link
}

func (e *embedded) Setup(setup *flow.Setup) (err error) {
	s := &scope{Env: setup.Env, ports: setup}
	// The embedding program started us, not the other way round: it is not started, waited for or stopped here.
	p := &program{name: e.embedder.name, errs: &lineLog{}, ended: make(chan struct{})}
	e.link, err = attachLink(s, p, e.embedder, request{Type: e.typ, Config: s.forClass()})
	return err
}

// Step completes the process when the input of an output adapter ends. An adapter gets every kind of datum, but the protocol
// cannot represent the end of the data; Finalize tells the program that there are no more steps.
func (e *embedded) Step(s pipe.Step) error {
	if e.typ == outputAdapter {
		for _, in := range e.ins {
			if in.Peek(0).Kind() == flow.CompleteKind {
				s.Complete()
				return nil
			}
		}
	}
	return e.link.Step(s)
}

// embedder describes the program that embeds the pipeline.
type embedder struct {
	fd   int
	name string
}

func (a *embedder) attach(files []*os.File) error {
	once, _ := sockets.LoadOrStore(a.fd, sync.OnceValues(func() (*net.UnixConn, error) {
		return handoff.FileConn(os.NewFile(uintptr(a.fd), "socket"))
	}))
	conn, err := once.(func() (*net.UnixConn, error))()
	if err != nil {
		return fmt.Errorf("the descriptor %d of %s is not a socket", a.fd, EmbedVariable)
	}
	if err := handoff.SendFiles(conn, []byte{1}, files...); err != nil {
		return errGone
	}
	return nil
}

// errGone means that the embedding program has closed its socket.
var errGone = errors.New("the program that embeds the pipeline has closed the connection")

func (a *embedder) leave(pipe.Step) error { return nil }
func (a *embedder) close()                {}
