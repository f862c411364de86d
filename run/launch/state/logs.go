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

// Logs writes what is wanted of the logs to w. Where it follows them, it goes on
// until the run is over, its supervisor is gone or ctx ends. Of one node, without more
// wishes, it copies what the node has written, byte for byte; all else are lines of the log of all.
func (d *Dir) Logs(ctx context.Context, w io.Writer, q Query) error {
	ids := d.Run.IDs()
	if q.Node != "" && !slices.Contains(ids, q.Node) {
		return fmt.Errorf("run `%s` has no node `%s`", d.Run.ID, q.Node)
	}
	paths := []string{d.LogFile("", "")}
	if q.exact() {
		paths = []string{d.LogFile(q.Node, "out"), d.LogFile(q.Node, "err")}
	}
	end := func() error { return nil }
	if !q.exact() {
		lines := newLineWriter(w, ids, q)
		w, end = lines, lines.end
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
		last := !q.Follow || !d.Supervised() || d.Over()
		for _, r := range logs {
			if err := r.copy(w); err != nil {
				return err
			}
		}
		if last {
			return end()
		}
		select {
		case <-ctx.Done():
			q.Follow = false // what was written until now is still read
		case <-time.After(200 * time.Millisecond):
		}
	}
}
