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

// LogFile returns the path of a node's log; stream is `out` or `err`. If node is empty, it returns the path of the common log.
func (d *Dir) LogFile(node, stream string) string {
	if node == "" {
		return filepath.Join(d.Path, "logs", "all.log")
	}
	return filepath.Join(d.Path, "logs", FileName(node)+"."+stream)
}

// FileName encodes a node's name as a unique file name.
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

// Logs writes the selected lines of the logs to w. If it follows the logs, it continues until the run is over, its supervisor has died or ctx ends.
// For one node without further conditions, it copies the node's log byte for byte; otherwise it writes lines of the common log.
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
		// Asked first, so that the last lines of a supervisor that ends now are still read.
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
			q.Follow = false // everything written so far is still read
		case <-time.After(200 * time.Millisecond):
		}
	}
}
