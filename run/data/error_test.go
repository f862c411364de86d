package data

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"testing"
)

// TestForeignErrors checks that an error of another package, or a wrapped error, becomes
// a problem with its text and its class.
func TestForeignErrors(t *testing.T) {
	for _, c := range []struct {
		err     error
		message string
		status  Status
	}{
		{errors.New("the disk is gone"), "the disk is gone", StatusSystem},
		{fmt.Errorf("while reading: %w", Errorf(StatusValue, nil, "no such value")), "no such value", StatusValue},
	} {
		env := &Env{}
		env.failed(c.err)
		if len(env.problems) != 1 || env.problems[0].Message != c.message || env.problems[0].Status != c.status || env.problems[0].Kind != BadExpression {
			t.Errorf("%v becomes %v", c.err, env.problems)
		}
	}
}

// TestFault checks that the error of a panic names what failed and where, and leaves out
// Go's text.
func TestFault(t *testing.T) {
	outer := func(inner func()) (err error) {
		defer func() {
			if recover() != nil {
				err = Fault("writing `a.h5`")
			}
		}()
		inner()
		return nil
	}
	var none []int
	for _, inner := range []func(){
		func() { none[len(os.Args)]++ },
		func() { panic("secret") },
	} {
		err := outer(inner)
		if err == nil || StatusOf(err) != StatusSystem || !regexp.MustCompile("^writing `a.h5` failed: this library has a fault in run/data/error_test.go:\\d+; please report this$").MatchString(err.Error()) {
			t.Errorf("%v", err)
		}
	}
}
