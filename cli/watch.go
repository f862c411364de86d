package cli

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"

	"github.com/spf13/cobra"
)

// again does a verb now and after every change of what it has read. The screen
// shows the newest result only.
func (a *app) again(paths []string, once func() error) error {
	interrupted := ends()
	defer signal.Stop(interrupted)
	for {
		if err := a.begin(paths); err != nil {
			return err
		}
		err := once()
		var exit exitCode
		if err != nil && !errors.As(err, &exit) {
			fmt.Fprintf(a.err, "pentode: %s\n", err)
		}
		a.watch.noteFolders(paths)
		a.sayWatching()
		path := a.watch.await(interrupted)
		if path == "" {
			return exitCode(exitInterrupted)
		}
		fmt.Fprintf(a.err, "`%s` has changed\n", path)
	}
}

// begin forgets what was read and empties the screen, where there is one.
func (a *app) begin(paths []string) error {
	if slices.Contains(paths, "-") {
		return errors.New("--watch waits for files to change, and standard input does not")
	}
	a.watch = &watch{seen: map[string]stamp{}}
	for _, path := range paths {
		if !isFolder(path) {
			a.watch.note(path) // one that cannot be read may come
		}
	}
	if f, ok := terminal(a.out); ok && os.Getenv("TERM") != "dumb" {
		fmt.Fprint(f, "\x1b[H\x1b[2J\x1b[3J")
	}
	return nil
}

func (a *app) sayWatching() {
	fmt.Fprintf(a.err, "watching %s; Ctrl-C ends\n", count(a.watch.size(), "file or folder", "files and folders"))
}

// watchFlag adds --watch to a verb.
func watchFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "watch", false, "again whenever a file that was read changes")
}
