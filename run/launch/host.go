package launch

import (
	"context"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
)

// Host is everything outside the engine. Nil fields get the functions of the real machine, so a test replaces only what it wants to control.
type Host struct {
	Name    func() string                   // this machine's name
	IsLocal func(host string) bool          // whether host is this machine
	Find    func(program, dir string) error // returns why a program cannot be started, usually a *StartError
	Start   func(Command) (Proc, error)     // always called from one locked thread that outlives the process
	Dial    func(ctx context.Context, address string) error
	Get     func(ctx context.Context, url string) error // an answer without success is an error
	Now     func() time.Time

	// AfterFunc calls f in its own goroutine after d, unless stopped before.
	AfterFunc func(d time.Duration, f func()) (stop func() bool)

	// Adopt makes this program the parent of orphaned descendants and reaps them until release is called.
	Adopt func(run string) (release func(), err error)

	// Usage returns what a process of this machine uses; false if that is not known.
	Usage func(pid int) (state.Usage, bool)

	// ReadFile reads a file with variables.
	ReadFile func(path string) ([]byte, error)

	// Strays finds the processes of this machine that carry the mark of a run and, if node is not empty, of that node.
	Strays func(run, node string) []Proc
}

// Proc is a started process and its group.
type Proc interface {
	Pid() int
	Output() (stdout, stderr io.Reader) // nil if the output does not come to this program
	Wait() Exit                         // returns when the process itself has ended
	Signal(syscall.Signal) error        // sent to the whole group
	Alive() bool                        // whether a process of the group still exists
	Drain()                             // makes reading end after what has been written so far
	Close()                             // ends reading and frees the resources of the process
}

// Exit is how a process ended.
type Exit struct {
	Code   int            `json:"code"`   // -1: not known
	Signal syscall.Signal `json:"signal"` // 0: none
	User   time.Duration  `json:"user_ns"`
	System time.Duration  `json:"system_ns"`

	// PeakKB is its peak memory. AtMost: the true figure may be smaller, because Linux includes the memory that this program had when it forked, and
	// the process ended before it could be measured.
	PeakKB int64 `json:"peak_kb"`
	AtMost bool  `json:"peak_at_most,omitempty"`
}

// ExitOf returns the exit code that a shell would show for an ended process.
func ExitOf(p *os.ProcessState) int {
	e := Exit{Code: p.ExitCode()}
	if s, ok := p.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		e.Signal = s.Signal()
	}
	return e.Status()
}

// Failed reports whether the code is not 0 or a signal ended the process.
func (e Exit) Failed() bool { return e.Code != 0 || e.Signal != 0 }

// Status returns the exit code that a shell would show.
func (e Exit) Status() int {
	switch {
	case e.Signal != 0:
		return 128 + int(e.Signal)
	case e.Code < 0:
		return 1
	}
	return e.Code
}

func (h Host) orSystem() Host {
	sys := System()
	if h.Name == nil {
		h.Name = sys.Name
	}
	if h.IsLocal == nil {
		h.IsLocal = sys.IsLocal
	}
	if h.Find == nil {
		h.Find = sys.Find
	}
	if h.Start == nil {
		h.Start = sys.Start
	}
	if h.Dial == nil {
		h.Dial = sys.Dial
	}
	if h.Get == nil {
		h.Get = sys.Get
	}
	if h.Now == nil {
		h.Now = sys.Now
	}
	if h.AfterFunc == nil {
		h.AfterFunc = sys.AfterFunc
	}
	if h.Adopt == nil {
		h.Adopt = sys.Adopt
	}
	if h.Usage == nil {
		h.Usage = sys.Usage
	}
	if h.ReadFile == nil {
		h.ReadFile = sys.ReadFile
	}
	if h.Strays == nil {
		h.Strays = sys.Strays
	}
	return h
}

// Command is a command line that a Host can start.
type Command struct {
	Argv []string
	Env  []Var  // added to the environment of this program
	Dir  string // empty: the current directory

	// Program is the program that Argv finally starts, if that is not its first word: it must exist. AsRoot: only root can start it.
	Program string
	AsRoot  bool

	// Lifeline keeps the command's standard input open for as long as the run is live; names of signals are written to it, one per line. Without a
	// lifeline, standard input is empty and signals go to the process group.
	Lifeline bool

	// Secret is written to the lifeline before anything else.
	Secret string

	// Mark begins the line in which a remote wrapper reports its process id and, if it can, its time;
	// that line is not part of the log.
	Mark string
}

// Var is one variable that a node gets in addition to the inherited environment.
type Var struct{ Name, Value string }
