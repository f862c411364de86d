package control

import (
	"net"
	"os"

	"golang.org/x/sys/unix"

	"github.com/pentode-dev/pentode/core/problem"
)

// SameUser refuses all callers except the user of this program and root.
func SameUser(c *net.UnixConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var cred *unix.Ucred
	var cerr error
	if err := raw.Control(func(fd uintptr) {
		cred, cerr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return err
	}
	if cerr != nil {
		return cerr
	}
	return admits(cred.Uid, os.Getuid())
}

func admits(caller uint32, owner int) error {
	if int(caller) != owner && caller != 0 {
		return &problem.Problem{Kind: OtherUser, Message: "this program belongs to another user"}
	}
	return nil
}
