package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interruptible is a context that Ctrl-C ends.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// interrupted is the end of a verb: what it has to say, unless Ctrl-C ended it.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return exitCode(exitInterrupted)
	}
	return err
}

// ends gives the signals that end a watch.
func ends() chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	return c
}
