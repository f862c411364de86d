//go:build cgo

package main

import (
	"os"
	"time"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/lang/pdi"
)

// sealed returns the Maker that writes seals to the program's files. A seal is a record of what produced a
// file. The result is nil if neither the run nor the tree asks for seals.
func sealed(m *pdi.Model) *seal.Maker {
	asked, _ := getenv(seal.Variable)
	s := &seal.Seal{Time: time.Now()}
	switch {
	case asked == seal.Off:
		return nil
	case asked != "":
		given, err := seal.Parse([]byte(asked))
		if err != nil {
			return nil // the value is invalid, so none of our launchers set it
		}
		s = given
	case m.Sealed():
		s.Host, _ = os.Hostname() // if the machine has no name, the seal has none either
	default:
		return nil
	}
	if path, err := os.Executable(); err == nil {
		s.Program, s.Build = path, debuginfo.BuildID(path)
	}
	return seal.New(*s)
}
