//go:build cgo

package main

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

// message returns the text of PDI_errmsg. Programs compare texts of the original program,
// so with upstream set it returns that text.
func message(err error, upstream bool) string {
	if upstream {
		return data.UpstreamMessage(err, region)
	}
	return fmt.Sprintf("%s: %s", data.StatusOf(err).Text(), data.Message(err))
}

// region formats a place as the original program does.
func region(s source.Span) string {
	if _, region, ok := library.foreign.find(s); ok {
		return region
	}
	start, end := s.Start, s.End
	tree := syntax.Parse(s.File)
	if n := tree.NodeAt(s); n != nil {
		start, end = tree.Marks(n)
	}
	from, to := marker{text: s.File.Text()}, marker{text: s.File.Text()}
	from.at(start)
	to.at(end)
	return fmt.Sprintf("(%d:%d -> %d:%d)", from.line+1, from.column+1, to.line+1, to.column+1)
}
