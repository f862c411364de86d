package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/run/launch"
)

// detachedVariable is set for a run that goes on without the command that
// started it.
const detachedVariable = "PENTODE_DETACHED"

// detach starts this command again, in the background, and returns when the
// run has begun. Until then the user sees what it says.
func (a *app) detach() error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("this program cannot be started again: %w", err)
	}
	began, id, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("a run in the background cannot be started: %w", err)
	}
	defer began.Close()
	args := slices.DeleteFunc(slices.Clone(a.args), func(arg string) bool { return arg == "--detach" || arg == "--detach=true" })
	cmd := exec.Command(self)
	cmd.Args = append([]string{os.Args[0]}, args...)
	cmd.Env = append(os.Environ(), detachedVariable+"=1")
	cmd.ExtraFiles = []*os.File{id} // its file 3
	apart(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	errs, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	err = cmd.Start()
	id.Close()
	if err != nil {
		return fmt.Errorf("a run in the background cannot be started: %w", err)
	}
	var relayed sync.WaitGroup
	relayed.Go(func() { _, _ = io.Copy(a.err, out) })
	relayed.Go(func() { _, _ = io.Copy(a.err, errs) })
	run, err := bufio.NewReader(began).ReadString('\n')
	if err != nil { // it has ended before it began
		relayed.Wait()
		if code := exitOfWait(cmd.Wait()); code != 0 {
			return exitCode(code)
		}
		return nil
	}
	_, err = fmt.Fprintf(a.out, "run %s goes on; `pentode launch attach %[1]s` shows it, `pentode launch stop %[1]s` ends it\n", strings.TrimSpace(run))
	return err
}

// exitOfWait is the exit code of a program that was waited for.
func exitOfWait(err error) int {
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	}
	if err != nil {
		return exitNo
	}
	return exitOK
}

// begun tells the command that started a run in the background its name. From
// then on the output is not read; the logs go on.
func begun(run string) {
	if os.Getenv(detachedVariable) == "" {
		return
	}
	signal.Ignore(syscall.SIGPIPE, syscall.SIGHUP)
	f := os.NewFile(3, "began")
	_, _ = fmt.Fprintln(f, run) // who is gone does not need it
	_ = f.Close()
	_ = os.Unsetenv(detachedVariable)
}

func (a *app) launchAttachVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "attach [RUN]",
		Short: "Show what a run in the background writes, until it is over",
		Long: "Shows what the programs of a run have written and write, until the run is over. Ctrl-C leaves the run alone.\n" +
			"Exit: as the run ended.",
		Example: examples("pentode run --detach examples/heat && pentode launch attach", "pentode launch attach"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			d, node, err := findRun(args)
			if err != nil {
				return err
			}
			if node != "" {
				return fmt.Errorf("there is no run `%s`; `pentode launch list` shows them", node)
			}
			ctx, stop := interruptible()
			defer stop()
			if err := d.Logs(ctx, a.exact(), "", true); err != nil || ctx.Err() != nil {
				if ctx.Err() != nil {
					fmt.Fprintf(a.err, "run %s goes on\n", d.Run.ID)
				}
				return err
			}
			result, err := launch.ReadResult(d)
			for end := time.Now().Add(lastGrace); err != nil && d.Supervised() && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				result, err = launch.ReadResult(d) // it is written last
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.err, "run %s is over\n", d.Run.ID)
			if result.Code != exitOK {
				return exitCode(result.Code)
			}
			return nil
		},
	}
}
