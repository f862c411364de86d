package web

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"
)

// TestPlain: a network error becomes one plain message.
func TestPlain(t *testing.T) {
	dial := func(err error) error {
		return &url.Error{Op: "Get", URL: "http://a/", Err: &net.OpError{Op: "dial", Net: "tcp", Err: err}}
	}
	for want, err := range map[string]error{
		"connection refused":           dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)),
		"the host `a` cannot be found": dial(&net.DNSError{Err: "no such host", Name: "a"}),
		"there was no answer in time":  &url.Error{Op: "Get", Err: context.DeadlineExceeded},
		"unsupported protocol scheme":  &url.Error{Op: "Get", Err: errors.New("unsupported protocol scheme")},
		"the server answered 404 Nope": errors.New("the server answered 404 Nope"),
	} {
		if have := plain(err).Error(); have != want {
			t.Errorf("have %s\nwant %s", have, want)
		}
	}
}
