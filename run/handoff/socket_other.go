//go:build !unix

package handoff

import (
	"errors"
	"net"
	"os"
)

// SocketPair returns an error on this system.
func SocketPair() (*net.UnixConn, *os.File, error) { return nil, nil, errors.ErrUnsupported }

// FileConn returns an error on this system.
func FileConn(*os.File) (*net.UnixConn, error) { return nil, errors.ErrUnsupported }

// SendFiles returns an error on this system.
func SendFiles(*net.UnixConn, []byte, ...*os.File) error { return errors.ErrUnsupported }

func send(*net.UnixConn, []byte, []byte) error { return errors.ErrUnsupported }

func receive(*net.UnixConn, []byte, int) ([]int, error) { return nil, errors.ErrUnsupported }

func closeAll([]int) {}
