package main

import (
	"fmt"

	"github.com/pentode-dev/pentode/run/data"
)

// statusText is how the original program begins a message.
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

// message is the text of PDI_errmsg.
func message(err error, upstream bool) string {
	status := data.StatusOf(err)
	return fmt.Sprintf("%s: %s", statusText[status], data.Message(err))
}
