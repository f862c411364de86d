package lsp

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
)

// rescan begins to read the files of the workspace.
func (s *Server) rescan() {
	s.scan, s.scanned = nil, 0
	for _, dir := range s.folders {
		paths, _ := s.workspace.Walk(dir) // what cannot be read has no findings here
		s.scan = append(s.scan, paths...)
	}
	if s.client.Window.WorkDoneProgress && len(s.scan) > manyFiles && !s.progress {
		s.progress = true
		s.ask("window/workDoneProgress/create", map[string]string{"token": scanToken})
		s.report(protocol.Progress{Kind: "begin", Title: "Pentode reads the workspace"})
	}
}

const (
	manyFiles = 100 // from so many files on, the client is shown how far the scan is
	scanToken = "pentode-scan"
)

func (s *Server) report(p protocol.Progress) {
	_ = s.conn.Notify(context.Background(), "$/progress", protocol.ProgressParams{Token: scanToken, Value: p})
}

// idle does a small piece of what is to be done, and reports whether there is
// more: findings of open documents first, then the workspace, then the findings
// of its other files.
func (s *Server) idle() bool {
	if s.state != running {
		return false
	}
	for path := range s.outdated {
		if s.docs[path] != nil {
			s.push(path)
			return true
		}
	}
	if len(s.scan) > 0 {
		s.readNext()
		return true
	}
	for _, path := range slices.Sorted(maps.Keys(s.outdated)) {
		s.push(path)
		return true
	}
	return false
}

// prepare makes the tables of open documents before they are asked for.
func (s *Server) prepare() {
	for path := range s.docs {
		if c, err := s.workspace.Config(path); err == nil && s.state == running {
			s.index(c)
		}
	}
}

// readNext reads one file of the workspace. Open documents that it is made of
// may have findings in it.
func (s *Server) readNext() {
	path := filepath.Clean(s.scan[0])
	s.scan = s.scan[1:]
	s.scanned++
	if c, err := s.workspace.Config(path); err == nil {
		for _, f := range c.Files() {
			if s.docs[filepath.Clean(f.Path())] != nil {
				s.outdated[filepath.Clean(f.Path())] = true
			}
		}
	}
	if !s.progress {
		return
	}
	switch {
	case len(s.scan) == 0:
		s.progress = false
		s.report(protocol.Progress{Kind: "end"})
	case s.scanned%50 == 0:
		s.report(protocol.Progress{Kind: "report", Message: fmt.Sprintf("%d files", s.scanned), Percentage: 100 * s.scanned / (s.scanned + len(s.scan))})
	}
}
