//go:build cgo

package main

import (
	"os"
	"time"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/lang/pdi"
)

// sealed returns the Maker of seals for the program's files if its run or its tree asks for seals, else nil.
func sealed(m *pdi.Model) *seal.Maker {
	asked, _ := getenv(seal.Variable)
	s := &seal.Seal{Time: time.Now()}
	switch {
	case asked == seal.Off:
		return nil
	case asked != "":
		given, err := seal.Parse([]byte(asked))
		if err != nil {
			return nil // no run of ours started the program
		}
		s = given
	case m.Sealed():
		s.Host, _ = os.Hostname() // a machine may have no name
	default:
		return nil
	}
	if path, err := os.Executable(); err == nil {
		s.Program, s.Build = path, debuginfo.BuildID(path)
	}
	return seal.New(*s)
}
