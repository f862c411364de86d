package state

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// LogFile is the path of a node's log; stream is `out` or `err`. With no node
// it is the file of all lines.
func (d *Dir) LogFile(node, stream string) string {
	if node == "" {
		return filepath.Join(d.Path, "logs", "all.log")
	}
	return filepath.Join(d.Path, "logs", FileName(node)+"."+stream)
}

// FileName writes any name so that it is one, and only one, file's.
func FileName(node string) string {
	var b strings.Builder
	for i := range len(node) {
		c := node[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("@#+_-", c) >= 0, c == '.' && i > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	name := b.String()
	if len(name) > 200 {
		h := fnv.New64a()
		io.WriteString(h, node)
		name = fmt.Sprintf("%s%%%016x", name[:180], h.Sum64())
	}
	// `all.log` is taken.
	if name == "all" {
		name = "%61ll"
	}
	return name
}

// Logs copies the log of a node, or of all, to w. With follow it goes on
// until the run is over, its supervisor is gone or ctx ends.
func (d *Dir) Logs(ctx context.Context, w io.Writer, node string, follow bool) error {
	if node != "" && !slices.Contains(d.Run.IDs(), node) {
		return fmt.Errorf("run `%s` has no node `%s`", d.Run.ID, node)
	}
	paths := []string{d.LogFile("", "")}
	if node != "" {
		paths = []string{d.LogFile(node, "out"), d.LogFile(node, "err")}
	}
	var logs []*logReader
	for _, path := range paths {
		r, err := newLogReader(path)
		if err != nil {
			return fmt.Errorf("read the log: %w", err)
		}
		defer r.Close()
		logs = append(logs, r)
	}
	for {
		// Asked first: what a supervisor wrote before it went is still read.
		last := !follow || !d.Supervised() || d.Over()
		for _, r := range logs {
			if err := r.copy(w); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
		select {
		case <-ctx.Done():
			follow = false // what was written until now is still read
		case <-time.After(200 * time.Millisecond):
		}
	}
}
