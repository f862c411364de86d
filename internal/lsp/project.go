package lsp

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/workspace/project"
)

// inProject returns the project file and the offset that a client points at, or nil if the file is
// not a project file.
func (s *session) inProject(p *protocol.PositionParams) (*source.File, int) {
	path := filepath.Clean(pathOf(p.TextDocument.URI))
	if !s.workspace.IsProject(path) {
		return nil, 0
	}
	f := s.workspace.Project(path).File
	return f, s.linesOf(f).offset(p.Position, s.utf8)
}

// programs returns the names of the programs in the launch plans that a project file applies to.
func (s *session) programs(f *source.File) []string {
	var names []string
	for _, path := range slices.Concat(s.Known(), slices.Collect(maps.Keys(s.docs))) {
		c, err := s.workspace.Config(path)
		if err != nil || c.Document.Language.Role != "LAUNCH" || s.workspace.Project(path).File != f {
			continue
		}
		for _, symbol := range c.Document.Outline() {
			if symbolKind(symbol.Kind) != classSymbol {
				continue
			}
			names = append(names, symbol.Detail)
			for _, child := range symbol.Children {
				if child.Kind == symbol.Kind { // these are the programs inside a group
					names = append(names, child.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// describeProject describes a setting of a project file.
func (s *session) describeProject(f *source.File, offset int) (*protocol.Hover, error) {
	text, at, ok := project.Describe(f, offset, s.workspace.Projects.Names)
	if !ok {
		return nil, errNothing
	}
	r := s.rangeOf(at)
	return &protocol.Hover{Contents: protocol.Markdown(text), Range: &r}, nil
}
