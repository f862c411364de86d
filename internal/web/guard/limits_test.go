package guard

import (
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
)

// TestLimitedListener: at most n connections are open; closing one, once or twice, makes room for one.
func TestLimitedListener(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Limited(inner, 2)
	type accepted struct {
		net.Conn
		err error
	}
	got := make(chan accepted)
	var over sync.WaitGroup
	accept := func() { over.Go(func() { c, err := l.Accept(); got <- accepted{c, err} }) }
	defer over.Wait()
	taken := func() net.Conn {
		t.Helper()
		select {
		case a := <-got:
			if a.err != nil {
				t.Fatal(a.err)
			}
			return a.Conn
		case <-time.After(golden.Patience):
			t.Fatal("a connection is not taken")
		}
		return nil
	}
	for range 4 {
		c, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	accept()
	first := taken()
	accept()
	second := taken()
	defer second.Close()
	accept() // a connection that waits until there is room
	first.Close()
	first.Close()
	third := taken()
	defer third.Close()
	if n := len(l.(*limitedListener).free); n != 2 {
		t.Errorf("%d places are taken, want 2", n)
	}
	accept() // another one, which waits until the listener is closed
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	select {
	case a := <-got:
		if !errors.Is(a.err, net.ErrClosed) {
			t.Errorf("%v after the end", a.err)
		}
	case <-time.After(golden.Patience):
		t.Fatal("a listener that is closed waits for a place")
	}
	if err := l.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
}

// TestClosedTwiceAtOnce: the listener may be closed by Serve and by Shutdown at the same time.
func TestClosedTwiceAtOnce(t *testing.T) {
	for range 200 {
		inner, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l := Limited(inner, 1)
		var over sync.WaitGroup
		begin := make(chan struct{})
		for range 4 {
			over.Go(func() {
				<-begin
				l.Close()
			})
		}
		close(begin)
		over.Wait()
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Fatalf("a closed listener accepts: %v", err)
		}
	}
}
