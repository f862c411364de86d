package main

import (
	"errors"
	"fmt"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/data"
)

// statusText is how a message begins, by the status.
var statusText = [...]string{
	"Not an error",
	"Data unavailable",
	"Invalid entry in specification tree",
	"Invalid value expression",
	"Invalid plugin",
	"Missing feature",
	"System error",
	"Precondition not respected",
	"Permission issue",
	"Incorrect type",
	"Invalid action requested",
	"Multiple errors",
}

// message is the text of PDI_errmsg. Programs compare what the original program says, so
// upstream it is that.
func message(err error, upstream bool) string {
	status := data.StatusOf(err)
	if !upstream {
		return fmt.Sprintf("%s: %s", statusText[status], data.Message(err))
	}
	place := ""
	if e, ok := errors.AsType[*data.Error](err); ok && status == data.StatusSpecTree && !e.Span.IsZero() {
		place = region(e.Span) + " "
	}
	return fmt.Sprintf("%s: %s%s", statusText[status], place, data.UpstreamMessage(err))
}

// region is a place as the original program writes it.
func region(s source.Span) string {
	from, to := s.File.Position(s.Start), s.File.Position(s.End)
	return fmt.Sprintf("(%d:%d -> %d:%d)", from.Line, from.Column, to.Line, to.Column)
}
