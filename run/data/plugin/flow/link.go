package flow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/handoff"
)

// link is the connection to a pipeline that receives the data of the program.
type link struct {
	*handoff.Giver
	process *process // the pipeline, if the plugin has started it; nil if the launcher has
}

// slots is the number of steps that the shared memory can hold: one that is being written, one that
// is being read, and some between them.
const slots = 4

// startLimit is how long the plugin waits until the pipeline accepts data, and endLimit how long it
// waits until the pipeline ends.
const (
	startLimit = time.Minute
	endLimit   = time.Minute
)

// connect finds or starts the pipeline, and waits until it accepts data.
func (f *flow) connect() (*link, error) {
	path, err := filepath.Abs(f.Pipeline.Text)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return nil, data.Errorf(data.StatusSystem, f.Pipeline, "there is no pipeline `%s`", f.Pipeline.Text)
	}
	hello := handoff.Hello{Program: programName(), Data: f.names, Policy: f.Policy, Step: f.MaxStep, Slots: slots}
	for _, k := range f.knobs {
		hello.Knobs = append(hello.Knobs, k.Knob)
	}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	l := &link{}
	if slices.Contains(filepath.SplitList(f.getenv(handoff.PipelinesVariable)), path) {
		hello.Rank = f.program.Rank
		err = l.join(ctx, f.getenv, path, hello)
	} else {
		err = l.start(ctx, f, path, hello)
	}
	if err == nil {
		return l, nil
	}
	no := (*handoff.Refusal)(nil)
	switch {
	case errors.As(err, &no):
		err = fmt.Errorf("the pipeline `%s` does not accept the data: %s", f.Pipeline.Text, no.Reason)
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("the pipeline `%s` did not start within %v", f.Pipeline.Text, startLimit)
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("the pipeline `%s` failed at its start%s: its log says why", f.Pipeline.Text, l.why())
	}
	l.abandon()
	return nil, data.Errorf(data.StatusSystem, f.Pipeline, "%v", err)
}

func (f *flow) getenv(name string) string {
	if f.program.Getenv == nil {
		return os.Getenv(name)
	}
	return f.program.Getenv(name)
}

// programName returns the name of this program, which the pipeline shows in messages.
func programName() string {
	path, err := os.Executable()
	if err != nil {
		return "?"
	}
	return filepath.Base(path)
}

// join connects to a pipeline that the launcher of the run has started.
func (l *link) join(ctx context.Context, getenv func(string) string, pipeline string, h handoff.Hello) error {
	path, err := handoff.SocketPath(getenv, pipeline)
	if err != nil {
		return err
	}
	conn, err := handoff.Dial(ctx, path)
	if err != nil {
		return err
	}
	l.Giver, err = handoff.Give(ctx, conn, h)
	return err
}

// start starts the pipeline and connects to it.
func (l *link) start(ctx context.Context, f *flow, pipeline string, h handoff.Hello) error {
	program, err := f.pentode()
	if err != nil {
		return err
	}
	conn, theirs, err := handoff.SocketPair()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, "run", pipeline)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Env = append(f.environment(), handoff.SocketVariable+"=3")
	l.process, err = run(cmd)
	theirs.Close()
	if err != nil {
		conn.Close()
		return fmt.Errorf("the program `%s`, which runs the pipeline, cannot be started: %w", program, plain(err))
	}
	l.Giver, err = handoff.Give(ctx, conn, h)
	return err
}

// pentode returns the path of the program that runs pipelines.
func (f *flow) pentode() (string, error) {
	if path := f.getenv(programVariable); path != "" {
		if _, err := exec.LookPath(path); err != nil {
			return "", fmt.Errorf("the pipeline `%s` cannot be started: there is no program `%s`, the value of %s", f.Pipeline.Text, path, programVariable)
		}
		return path, nil
	}
	for _, dir := range filepath.SplitList(f.getenv("PATH")) {
		if path, err := exec.LookPath(filepath.Join(dir, "pentode")); err == nil && filepath.IsAbs(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("the pipeline `%s` cannot be started: there is no program `pentode` in PATH, and %s is not set", f.Pipeline.Text, programVariable)
}

const programVariable = "PENTODE_PROGRAM"

// environment returns the environment variables for the pipeline. Variables of a tracer are removed,
// because the pipeline's programs must not be traced, and the pipeline's terminal view is turned
// off, because it would overwrite the program's output.
func (f *flow) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"LD_PRELOAD", "OMP_TOOL_LIBRARIES", handoff.SocketVariable}, name)
	})
	env = append(env, "TERM=dumb")
	if f.Each && f.program.Size > 1 {
		env = append(env, "PENTODE_OUT="+filepath.Join(f.Host().Dir, fmt.Sprintf("rank-%d", f.program.Rank)))
	}
	return env
}

// plain returns an error without the name of the failed call.
func plain(err error) error {
	if at := (*os.PathError)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}

// why says how the pipeline ended, or "" if that is not known.
func (l *link) why() string {
	if l.process == nil || !l.process.await(time.Second) {
		return ""
	}
	return l.process.how()
}

// abandon closes the connection without waiting. The pipeline ends when it notices.
func (l *link) abandon() {
	if l != nil && l.Giver != nil {
		l.Giver.Close()
		l.Giver = nil
	}
}

// end tells the pipeline that no more data follows, and waits until it has written its results.
func (f *flow) end() error {
	l := f.link
	if l == nil {
		return nil
	}
	f.link = nil
	given, lost := l.Steps()
	f.Log.Info("%d steps were passed to the pipeline `%s`; %d others were dropped because it was busy", given, f.Pipeline.Text, lost)
	l.abandon()
	switch {
	case l.process == nil:
	case !l.process.await(endLimit):
		f.Log.Warn("the pipeline `%s` is still running %v after the program's last data; it continues without the program", f.Pipeline.Text, endLimit)
	case l.process.failed() && f.Fails:
		return data.Errorf(data.StatusSystem, f.Pipeline, "the pipeline `%s` failed%s", f.Pipeline.Text, l.process.how())
	case l.process.failed():
		f.Log.Warn("the pipeline `%s` failed%s", f.Pipeline.Text, l.process.how())
	}
	return nil
}

// process is a running program.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error
}

func run(cmd *exec.Cmd) (*process, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		p.err = cmd.Wait()
	}()
	return p, nil
}

// await reports whether the program ends within the limit.
func (p *process) await(limit time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// failed reports whether the program ended with an error.
func (p *process) failed() bool {
	exit := (*exec.ExitError)(nil)
	return errors.As(p.err, &exit)
}

// how describes how the program ended.
func (p *process) how() string {
	exit := (*exec.ExitError)(nil)
	switch {
	case !errors.As(p.err, &exit):
		return ""
	case exit.ExitCode() >= 0:
		return fmt.Sprintf(" with exit code %d", exit.ExitCode())
	}
	return " (" + exit.String() + ")"
}
