//go:build !unix

package child

import (
	"errors"
	"net"
	"os"
)

func socketPair() (net.Conn, *os.File, error) {
	return nil, nil, errors.New("this system hands no sockets to programs; use `format = json`")
}

// A sender hands descriptors to a program that runs.
type sender struct{ conn net.Conn }

func (s *sender) send([]*os.File) error { return errors.ErrUnsupported }
