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

// A Gate is where a pipeline meets the programs that hand it their data: the one that
// started it, or those of the same run, which come to a socket.
type Gate struct {
	listener *net.UnixListener // nil: there is one program only
	path     string
	opens    sync.Once // when the first process waits: then all have said whom they expect

	mu     sync.Mutex
	alone  *net.UnixConn
	places map[int]*place // by rank
	closed bool
}

// place is where a process of the pipeline expects a program.
type place struct {
	came  bool
	first chan arrival
}

// arrival is a program that came, or why none comes.
type arrival struct {
	taker *Taker
	err   error
}

// ErrNobody is the error of a program that ended before it handed anything over.
var ErrNobody = errors.New("the program has ended and never handed anything over: its specification tree must name this pipeline behind `plugins.flow.pipeline`")

// NewGate is the gate of a pipeline that a program has started, with the socket that it
// was given.
func NewGate(program *net.UnixConn) *Gate { return &Gate{alone: program} }

// SocketPath is where a pipeline of a run waits for the programs of the run. The pipeline is
// named by the absolute path of its file.
func SocketPath(getenv func(string) string, pipeline string) (string, error) {
	dir, err := control.RuntimeDir(getenv)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(pipeline))
	return filepath.Join(dir, getenv(RunVariable), hex.EncodeToString(sum[:8])+".handoff"), nil
}

// Variables that a launcher or a program sets for what it starts.
const (
	RunVariable       = "PENTODE_RUN"       // the run that a process is a part of
	PipelinesVariable = "PENTODE_PIPELINES" // the pipelines that the launcher of the run starts: absolute paths, as in PATH
	SocketVariable    = "PENTODE_HANDOFF"   // the descriptor of the socket to the program that started a pipeline
)

// Listen is the gate of a pipeline to which programs of its run come.
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

// Dial goes to the gate of a pipeline of the same run, which may not be there yet.
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

// Dismiss tells a pipeline of the run that no program comes any more, also one that is not there
// yet. Programs that came stay.
func Dismiss(ctx context.Context, path string) {
	c, err := Dial(ctx, path)
	if err != nil {
		return // the run is over
	}
	defer c.Close()
	_ = WriteFrame(c, frameNobody, nil) // it has just gone
}

// Expect says that a process of the pipeline takes the data of a rank. The function waits
// for that process of the program.
func (g *Gate) Expect(rank int) (func(context.Context) (*Taker, error), error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.listener == nil {
		conn := g.alone
		if g.alone = nil; conn == nil {
			return nil, errors.New("another process of the pipeline takes the data already: one program has started it")
		}
		return func(context.Context) (*Taker, error) { return Take(conn) }, nil
	}
	if g.places[rank] != nil {
		return nil, fmt.Errorf("another process of the pipeline takes the data of rank %d already", rank)
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

// greet leads a program to the process that expects it.
func (g *Gate) greet(c *net.UnixConn) {
	t, err := Take(c)
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case errors.Is(err, ErrNobody):
		for _, p := range g.places {
			p.arrive(arrival{err: err})
		}
	case err != nil: // whoever it was, it is no program of this run
	case g.closed:
		t.Close()
	case g.places[t.Hello.Rank] == nil:
		t.Refuse(fmt.Sprintf("no process of the pipeline takes the data of rank %d: a process of the type `program` has a key `rank`", t.Hello.Rank))
		t.Close()
	case !g.places[t.Hello.Rank].arrive(arrival{taker: t}):
		t.Refuse(fmt.Sprintf("the pipeline has the data of rank %d from another program already", t.Hello.Rank))
		t.Close()
	}
}

// arrive takes what comes first; false for all that follows.
func (p *place) arrive(a arrival) bool {
	if p.came {
		return false
	}
	p.came = true
	p.first <- a
	return true
}

// Close ends the gate; programs that came stay.
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
	_ = os.Remove(g.path) // the launcher removes what is left
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
