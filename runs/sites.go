package runs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/remote"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch/guard"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/suite"
)

// siteGrace is how long the programs of sites may take to end after the run.
const siteGrace = 10 * time.Second

// A localSite is the program of one site on this machine.
type localSite struct {
	name     string
	cmd      *exec.Cmd
	lifeline io.Closer
	trace    string // the file of its trace, or ""
}

// runSites runs every site of a pipeline in its own process on this machine, with the server and the coordinator in this process.
func (p *pipeRun) runSites(ctx context.Context) error {
	if p.problems.HasErrors() {
		return p.problems
	}
	if p.Pipeline.ErrorsTo != "" {
		return &Misfit{"`errors-to` collects the errors of one program, but this run starts a program for each site", "Pipeline.ErrorsTo"}
	}
	sites := p.plan.Sites()
	server, err := remote.Serve(remote.ServerOptions{})
	if err != nil {
		return err
	}
	defer server.Close()
	server.Ticket.Led = true
	c, err := remote.Coordinate(remote.CoordinatorOptions{Version: p.Version, Ticket: &server.Ticket, Sites: sites, Plan: p.plan, Limits: remote.Limits{Start: p.Pipeline.Wait}})
	if err != nil {
		return err
	}
	defer c.Close()
	p.Events(Starting{})
	asked := newInterrupts(ctx, p.Abort, p.Events)
	defer asked.close()
	traces, err := p.traceFolder()
	if err != nil {
		return err
	}
	defer os.RemoveAll(traces)
	defer p.Program.guard(guard.Watched{Mark: state.NewID(time.Now()), Grace: childGrace, Scratch: traces})()
	p.recorder.expect()
	var children []*localSite
	var ended sync.WaitGroup
	for _, name := range sites {
		child, err := p.startSite(name, &server.Ticket, traces)
		if err != nil {
			c.Fail(name, fmt.Sprintf("its program cannot be started: %v", problem.Reason(err)))
			break
		}
		children = append(children, child)
		ended.Go(func() {
			err := child.cmd.Wait()
			c.Gone(name, "its program has ended ("+how(err)+")")
		})
	}
	p.result.Began = true
	p.Events(Began{Run: c, Reads: true})
	if !p.Pipeline.NoControl {
		defer register(&p.Options, p.path, steer.Methods(c), environmentPlan(), "").close()
	}
	p.recorder.begin()
	err = asked.wait(c)
	endSites(children, c, &ended)
	p.result.Stats = c.Stats()
	if p.Pipeline.Trace != "" {
		p.joinSites(children, c)
	}
	return p.failed(err)
}

// endSites waits for programs that were asked to end, and kills those that do not end.
func endSites(children []*localSite, c *remote.Coordinator, ended *sync.WaitGroup) {
	over := make(chan struct{})
	go func() { ended.Wait(); close(over) }()
	for _, child := range children {
		if c.Lost(child.name) { // a lost site cannot be asked to end
			child.end()
		}
	}
	select {
	case <-over:
	case <-time.After(siteGrace):
		for _, child := range children {
			child.end()
		}
		<-over
	}
	for _, child := range children {
		_ = child.lifeline.Close()
	}
}

func (s *localSite) end() {
	_ = s.cmd.Process.Kill() // it may just have ended
}

// how describes the end of a program in words.
func how(err error) string {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "exit 0"
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return fmt.Sprintf("exit %d", exit.ExitCode())
	}
	return err.Error()
}

// startSite starts the program of one site: this program again.
func (p *pipeRun) startSite(name string, ticket *remote.Ticket, traces string) (*localSite, error) {
	args := without(p.Program.Args, "sites", "stats", "trace", "wait", "watch")
	args = append(args, "--site="+name)
	site := &localSite{name: name}
	if p.Pipeline.Trace != "" {
		site.trace = filepath.Join(traces, name+".json")
		args = append(args, "--trace="+site.trace)
	}
	var err error
	if site.cmd, err = p.Program.command(args...); err != nil {
		return nil, err
	}
	site.cmd.Env = append(os.Environ(), remote.TicketVariable+"="+ticket.String())
	for _, v := range p.resultVariables("") {
		site.cmd.Env = append(site.cmd.Env, v.Name+"="+v.Value)
	}
	site.cmd.Stdout = p.Out
	site.cmd.Stderr = &prefixed{to: p.Log, prefix: name + ": "}
	ownProcessGroup(site.cmd)
	// The end of standard input tells a site that this program is gone. A process that reads standard input is on the site `main`.
	if in, ok := p.In.(*os.File); ok && name == pipe.MainSite {
		site.cmd.Stdin, site.lifeline = in, io.NopCloser(in)
	} else {
		pipe, err := site.cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		site.lifeline = pipe
		site.cmd.Env = append(site.cmd.Env, lifelineVariable+"=1")
	}
	return site, site.cmd.Start()
}

// without removes flags from a command line. Only `--stats` may have no value.
func without(args []string, names ...string) []string {
	var list []string
	skip := false
	for _, arg := range args {
		name, _, joined := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		switch {
		case skip:
			skip = false
		case strings.HasPrefix(arg, "--") && slices.Contains(names, name):
			skip = !joined && name != "stats" && name != "watch"
		default:
			list = append(list, arg)
		}
	}
	return list
}

// A prefixed writer writes the name of a site before every line.
type prefixed struct {
	to     io.Writer
	prefix string
	rest   []byte
}

func (w *prefixed) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		i := bytes.IndexByte(w.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		if _, err := w.to.Write(append([]byte(w.prefix), w.rest[:i+1]...)); err != nil {
			return 0, err
		}
		w.rest = w.rest[i+1:]
	}
}

// traceFolder returns the folder in which sites leave their traces until they are joined.
func (p *pipeRun) traceFolder() (string, error) {
	if p.Pipeline.Trace == "" {
		return "", nil
	}
	dir, err := os.MkdirTemp("", "pentode-trace")
	if err != nil {
		return "", fmt.Errorf("the traces of the sites cannot be stored: %w", problem.Reason(err))
	}
	return dir, nil
}

// joinSites joins the traces of the sites into one.
func (p *pipeRun) joinSites(children []*localSite, c *remote.Coordinator) {
	var list []suite.Traced
	began := c.Began()
	var first time.Time
	for _, t := range began {
		if first.IsZero() || t.Before(first) {
			first = t
		}
	}
	for i, child := range children {
		f, err := os.Open(child.trace)
		if err != nil {
			continue // it did not begin
		}
		defer f.Close()
		list = append(list, suite.Traced{Name: child.name, Rank: i, Site: true, Start: max(0, began[child.name].Sub(first)), Text: f})
	}
	writeJoined(&p.Options, outfile.Create, beneath(p.engine.Out, p.Pipeline.Trace), list)
}

// writeJoined writes several traces as one, to a file that create opens.
func writeJoined(o *Options, create func(string) (*outfile.File, error), path string, list []suite.Traced) {
	f, err := create(path)
	var cut []string
	if err == nil {
		f.Seal(o.seals)
		f.Note(o.ledger)
		if cut, err = suite.JoinTraces(f, list); err == nil {
			err = f.Close()
		} else {
			_ = f.Discard() // the reason why it failed matters more
		}
	}
	for _, name := range cut {
		o.warn("the trace of `%s` is incomplete; the part that exists is joined", name)
	}
	if err != nil {
		o.warn("the traces cannot be joined: %v", problem.Reason(err))
	}
}
