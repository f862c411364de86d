//go:build !unix

package state

import (
	"errors"
	"syscall"
)

const sigContinue = syscall.Signal(18)

func kill(int, syscall.Signal) error {
	return errors.New("this system cannot send signals to processes")
}
