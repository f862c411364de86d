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
	fmt.Fprintf(a.err, "watching %s; Ctrl-C ends\n", quantity.Count(a.watch.size(), "file or folder", "files and folders"))
}

// watchFlag adds --watch to a verb.
func watchFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "watch", false, "again whenever a file that was read changes")
}

// watch is what a verb with --watch has read. Files are looked at again and
// again instead of waiting for the system's word: on the shared file systems of
// clusters no word comes.
type watch struct {
	mu   sync.Mutex
	seen map[string]stamp
}

// stamp is how a file looked when it was read; the zero stamp is a file that
// was not there.
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
		return stamp{modified: info.ModTime()} // the size of a folder says nothing
	}
	return stamp{info.ModTime(), info.Size()}
}

// note remembers a file that is about to be read, found or not.
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

// noteFolders remembers the folders among the paths and below them: a file may be added.
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

// changed is a file that is no longer what was read, empty where all are.
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
	return slices.Max(list) // rather the file than its folder
}

// await returns the name of the first file that changes, and waits until a
// group of changes, as an editor or a switch of branches makes it, is over. It
// is empty if a signal ended the watch, whose exit code is returned too.
func (w *watch) await(interrupted <-chan os.Signal) (string, exitCode) {
	const least, share = 100 * time.Millisecond, 20 // looking takes a twentieth of the time at most
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
