package lsp

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/workspace/project"
)

// rescan starts to read the files of the workspace.
func (s *Server) rescan() {
	s.scan, s.scanned = nil, 0
	for _, dir := range s.folders {
		paths, _ := s.workspace.Walk(dir) // unreadable files are reported elsewhere
		s.scan = append(s.scan, paths...)
	}
	if s.client.Window.WorkDoneProgress && len(s.scan) > manyFiles && !s.progress {
		s.progress = true
		s.ask("window/workDoneProgress/create", map[string]string{"token": scanToken})
		s.report(protocol.Progress{Kind: "begin", Title: "Pentode reads the workspace"})
	}
}

const (
	manyFiles = 100 // from this number of files on, the client sees the progress of the scan
	scanToken = "pentode-scan"
)

func (s *Server) report(p protocol.Progress) {
	_ = s.conn.Notify(context.Background(), "$/progress", protocol.ProgressParams{Token: scanToken, Value: p})
}

// readNext reads one file of the workspace. The findings of open documents that it includes may
// change, so they are sent again.
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

// touched records that the findings of a file, and of all files that it is a part of,
// may have changed. A project file is a part of every file below it.
func (s *Server) touched(path string) {
	path = filepath.Clean(path)
	if filepath.Base(path) == project.FileName {
		s.Relist()
	}
	s.outdated[path] = true
	for open := range s.docs {
		s.outdated[open] = true
	}
	for _, name := range s.Includers(path) {
		s.outdated[name] = true
	}
}
