package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/internal/leaf/quantity"
)

// again runs a verb now and after every change of a file that it has read. The screen
// shows only the newest result.
func (a *app) again(paths []string, once func() error) error {
	interrupted := ends()
	defer signal.Stop(interrupted)
	for {
		if err := a.begin(paths); err != nil {
			return err
		}
		err := once()
		a.work.End()
		var exit exitCode
		if err != nil && !errors.As(err, &exit) {
			fmt.Fprintf(a.err, "pentode: %s\n", sentence(err))
		}
		a.watch.noteFolders(paths)
		a.sayWatching()
		path, code := a.watch.await(interrupted)
		if path == "" {
			return code
		}
		fmt.Fprintf(a.err, "`%s` has changed\n", path)
	}
}

// begin forgets the files that were read and clears the screen, if there is one.
func (a *app) begin(paths []string) error {
	if slices.Contains(paths, "-") {
		return errors.New("--watch waits for files to change, and standard input does not")
	}
	a.watch = &watch{seen: map[string]stamp{}}
	for _, path := range paths {
		if !isFolder(path) {
			a.watch.note(path) // a missing file may be created later
		}
	}
	if f, ok := terminal(a.out); ok && os.Getenv("TERM") != "dumb" {
		fmt.Fprint(f, "\x1b[H\x1b[2J\x1b[3J")
	}
	return nil
}

func (a *app) sayWatching() {
	fmt.Fprintf(a.err, "watching %s; Ctrl-C ends\n", quantity.Count(a.watch.size(), "file or folder", "files and folders"))
}

// watchFlag adds --watch to a verb.
func watchFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "watch", false, "run again whenever a file that was read changes")
}

// watch has the files that a verb with --watch has read. It polls the files instead of
// waiting for notifications of the system, because shared file systems of clusters send
// none.
type watch struct {
	mu   sync.Mutex
	seen map[string]stamp
}

// stamp is the state of a file when it was read; the zero stamp means that the file
// did not exist.
type stamp struct {
	modified time.Time
	size     int64
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	if info.IsDir() {
		return stamp{modified: info.ModTime()} // the size of a folder means nothing
	}
	return stamp{info.ModTime(), info.Size()}
}

// note remembers a file that is about to be read, even if it does not exist.
func (w *watch) note(path string) {
	if w == nil || path == "-" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.seen[path]; !ok {
		w.seen[path] = stampOf(path)
	}
}

func (w *watch) size() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.seen)
}

// noteFolders remembers the folders among the paths and below them, to notice new files.
func (w *watch) noteFolders(paths []string) {
	for _, path := range paths {
		_ = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || !d.IsDir():
			case len(d.Name()) > 1 && strings.HasPrefix(d.Name(), ".") && d.Name() != "..":
				return fs.SkipDir
			default:
				w.note(path)
			}
			return nil
		})
	}
}

// changed returns a file that has changed since it was read, or "" if none has.
func (w *watch) changed() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []string
	for path, then := range w.seen {
		if stampOf(path) != then {
			list = append(list, path)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return slices.Max(list) // prefer the file to its folder
}

// await waits until a file changes, and until a group of changes, such as an editor or
// a switch of branches makes, is over. It returns the name of the first file. If a
// signal ends the watch, the name is empty, and await returns the exit code of the signal.
func (w *watch) await(interrupted <-chan os.Signal) (string, exitCode) {
	const least, share = 100 * time.Millisecond, 20 // polling takes at most a twentieth of the time
	pause := least
	for {
		select {
		case s := <-interrupted:
			return "", exitBy(s)
		case <-time.After(pause):
		}
		began := time.Now()
		path := w.changed()
		if path != "" {
			time.Sleep(least)
			return path, exitOK
		}
		pause = max(least, share*time.Since(began))
	}
}
