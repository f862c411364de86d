package data

import (
	"errors"
	"fmt"
	"testing"
)

// TestForeignErrors: an error that another package made, or that is wrapped, is a
// problem like any other, with its text and its class.
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
