package handoff

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/run/control"
)

// A Gate is the entrance of a pipeline for programs that hand it their data: either the one
// program that started the pipeline, or programs of the same run, which connect to a socket.
type Gate struct {
	listener *net.UnixListener // nil if a single program started the pipeline
	path     string
	opens    sync.Once // opens the socket when the first process of the pipeline waits: by then, all of them have called Expect

	mu     sync.Mutex
	alone  *net.UnixConn
	places map[int]*place // indexed by the rank of the program's process
	closed bool
}

// place is where one process of the pipeline waits for one process of a program.
type place struct {
	came  bool
	first chan arrival
}

// arrival is a program that has connected, or the reason why no program will.
type arrival struct {
	taker *Taker
	err   error
}

// ErrNobody means that the program ended before it handed over any data.
var ErrNobody = errors.New("the program has ended without handing over any data: its specification tree must name this pipeline in `plugins.flow.pipeline`")

// NewGate returns the gate of a pipeline that was started by a program. program is the socket
// that the pipeline got from it.
func NewGate(program *net.UnixConn) *Gate { return &Gate{alone: program} }

// SocketPath returns the path of the socket at which a pipeline waits for the programs of its
// run. pipeline is the absolute path of the pipeline's file.
func SocketPath(getenv func(string) string, pipeline string) (string, error) {
	dir, err := control.RuntimeDir(getenv)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(pipeline))
	return filepath.Join(dir, getenv(RunVariable), hex.EncodeToString(sum[:8])+".handoff"), nil
}

// Environment variables that a launcher or a program sets for the programs that it starts.
const (
	RunVariable       = "PENTODE_RUN"       // the run to which a process belongs
	PipelinesVariable = "PENTODE_PIPELINES" // the pipelines that the launcher of the run starts: a list of absolute paths, separated as in PATH
	SocketVariable    = "PENTODE_HANDOFF"   // the descriptor of the socket to the program that started the pipeline
)

// Listen returns the gate of a pipeline to which programs of its run connect.
func Listen(path string) (*Gate, error) {
	if err := control.Private(filepath.Dir(path)); err != nil {
		return nil, err
	}
	l, err := control.OpenSocket(path)
	if err != nil {
		return nil, err
	}
	return &Gate{listener: l, path: path, places: map[int]*place{}}, nil
}

// Dial connects to a pipeline of the same run. If the pipeline does not listen yet, Dial waits
// for it.
func Dial(ctx context.Context, path string) (*net.UnixConn, error) {
	for {
		c, err := control.Dial(ctx, path)
		if err == nil {
			return c.(*net.UnixConn), nil
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Dismiss tells a pipeline of the run that no more programs will connect. If the pipeline does
// not listen yet, Dismiss waits for it. Programs that are connected already stay connected.
func Dismiss(ctx context.Context, path string) {
	c, err := Dial(ctx, path)
	if err != nil {
		return // the run has ended before the pipeline listened
	}
	defer c.Close()
	_ = WriteFrame(c, frameNoProgram, nil) // fails if the pipeline has just ended
}

// Expect declares that a process of the pipeline takes the data of the program's process with
// the given rank. The returned function waits until that process connects.
func (g *Gate) Expect(rank int) (func(context.Context) (*Taker, error), error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.listener == nil {
		conn := g.alone
		if g.alone = nil; conn == nil {
			return nil, errors.New("another process of the pipeline already takes the data of the program that started the pipeline")
		}
		return func(context.Context) (*Taker, error) { return Take(conn) }, nil
	}
	if g.places[rank] != nil {
		return nil, fmt.Errorf("another process of the pipeline already takes the data of rank %d", rank)
	}
	p := &place{first: make(chan arrival, 1)}
	g.places[rank] = p
	return func(ctx context.Context) (*Taker, error) {
		g.opens.Do(func() { go g.listen() })
		select {
		case a := <-p.first:
			return a.taker, a.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}, nil
}

func (g *Gate) listen() {
	for {
		c, err := g.listener.AcceptUnix()
		if err != nil {
			return
		}
		go g.greet(c)
	}
}

// greet reads the first message of a connection, and passes the program on to the process of the
// pipeline that expects it.
func (g *Gate) greet(c *net.UnixConn) {
	t, err := Take(c)
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case errors.Is(err, ErrNobody):
		for _, p := range g.places {
			p.arrive(arrival{err: err})
		}
	case err != nil: // the connection is not from a program of this run
	case g.closed:
		t.Close()
	case g.places[t.Hello.Rank] == nil:
		t.Refuse(fmt.Sprintf("no process of the pipeline takes the data of rank %d: set the key `rank` of a process of the type `program`", t.Hello.Rank))
		t.Close()
	case !g.places[t.Hello.Rank].arrive(arrival{taker: t}):
		t.Refuse(fmt.Sprintf("the pipeline already gets the data of rank %d from another program", t.Hello.Rank))
		t.Close()
	}
}

// arrive passes on the first arrival, and returns false for later ones.
func (p *place) arrive(a arrival) bool {
	if p.came {
		return false
	}
	p.came = true
	p.first <- a
	return true
}

// Close closes the gate: no more programs can connect. Connected programs stay connected.
func (g *Gate) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return
	}
	g.closed = true
	if g.alone != nil {
		g.alone.Close()
	}
	if g.listener == nil {
		return
	}
	g.listener.Close()
	_ = os.Remove(g.path) // if this fails, the launcher removes the socket at the end of the run
	for _, p := range g.places {
		select {
		case a := <-p.first:
			if a.taker != nil {
				a.taker.Close()
			}
		default:
		}
	}
}
