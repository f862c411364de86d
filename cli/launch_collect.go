package cli

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/run/launch/collect"
	"github.com/pentode-dev/pentode/runs"
)

func (a *app) launchCollectVerb() *cobra.Command {
	var socket string
	cmd := &cobra.Command{
		Use:   "collect",
		Short: "Gather the progress of a run's processes: a daemon for launch plans",
		Long: "Listens for the progress of the pipelines of its run, and writes a line for each report. It says\n" +
			"`PARADYND` and its process id when it is ready, as daemons of launch plans do, and ends when it is told to.",
		Example: examples("pentode launch collect --socket /tmp/progress", "pentode launch collect --socket /tmp/progress > progress.log"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if socket == "" {
				socket = runs.ProgressSocket()
			}
			if socket == "" {
				return errors.New("a daemon that gathers progress belongs to a run: start it in a launch plan, or say with --socket where it listens")
			}
			return a.collect(socket)
		},
	}
	cmd.Flags().StringVar(&socket, "socket", "", "listen on the socket `PATH` instead of that of the run")
	return cmd
}

func (a *app) collect(socket string) error {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(asked)
	server, err := collect.Listen(socket, a.out)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "PARADYND %d\n", os.Getpid())
	<-asked
	err = server.Close()
	for _, p := range server.Summary() {
		fmt.Fprintf(a.out, "%s (rank %d) %s after %s\n", p.Name, p.Rank, p.State, count(int(p.Done), "step", "steps"))
	}
	return err
}
