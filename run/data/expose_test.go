package data_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/run/data"
)

// told returns a store and the list of callbacks that were called.
func told(t *testing.T, spec string) (*data.Store, *[]string) {
	t.Helper()
	s := newStore(t, spec)
	var calls []string
	note := func(what string) data.DataCallback {
		return func(name string, _ data.Ref) error {
			calls = append(calls, what+name)
			return nil
		}
	}
	s.OnShare("", note("+"))
	s.OnRemove("", note("-"))
	s.OnEvent("", func(name string) error {
		calls = append(calls, name)
		if name == "bad" {
			return errors.New("no room")
		}
		return nil
	})
	return s, &calls
}

// TestMultiExpose checks that several data are shared for one event and reclaimed in reverse
// order. If one cannot be shared, the event is not triggered and the others are reclaimed.
func TestMultiExpose(t *testing.T) {
	s, calls := told(t, "{logging: off, data: {a: int, b: int}}")
	a, b, wide := int32(1), int32(2), int64(3)
	s.OnRemove("b", func(string, data.Ref) error { return errors.New("busy") })
	item := func(name string, value any) data.Item {
		return data.Item{Name: name, Value: value, Access: data.Out}
	}
	for _, c := range []struct {
		event string
		items []data.Item
		calls string
		err   string
	}{
		{"e", []data.Item{item("a", &a)}, "+a e -a", ""},
		{"e", []data.Item{item("a", &a), item("b", &b)}, "+a +b e -b -a", "while removing `b`: busy"},
		{"e", []data.Item{item("a", &a), item("b", &wide)}, "+a -a", "cannot share `b`: its type `int` takes 4 bytes, a Go *int64 has 8"},
		{"bad", []data.Item{item("b", &b), item("a", &a)}, "+b +a bad -a -b", "while triggering `bad`: no room"},
		{"e", nil, "e", ""},
	} {
		*calls = nil
		err := s.MultiExpose(c.event, c.items...)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if strings.Join(*calls, " ") != c.calls || got != c.err {
			t.Errorf("%s: calls %v, error %s\nwant %s, error %s", c.event, *calls, got, c.calls, c.err)
		}
	}
	for _, name := range []string{"a", "b"} {
		if err := s.Reclaim(name); data.StatusOf(err) != data.StatusState {
			t.Errorf("`%s` is still shared: %v", name, err)
		}
	}
}

// TestTransaction checks that exposed data stays shared until the end of the transaction and is
// reclaimed in reverse order.
func TestTransaction(t *testing.T) {
	s, calls := told(t, "{logging: off, data: {a: int, b: int}}")
	if err := s.End(); data.StatusOf(err) != data.StatusState {
		t.Errorf("there is nothing to end: %v", err)
	}
	a, b := int32(1), int32(2)
	must(t, s.Begin("e"), s.Expose("a", &a, data.Out), s.Expose("b", &b, data.Out))
	if err := s.Expose("a", 3, data.Out); data.StatusOf(err) != data.StatusType {
		t.Errorf("a number has no memory: %v", err)
	}
	if long(t, s, "$a + $b") != 3 {
		t.Error("what was exposed is gone")
	}
	must(t, s.End())
	if got := strings.Join(*calls, " "); got != "+a +b e -b -a" {
		t.Errorf("calls: %s; want %q", got, "+a +b e -b -a")
	}
	must(t, s.Expose("a", &a, data.Out))
	if got := strings.Join(*calls, " "); got != "+a +b e -b -a +a -a" {
		t.Errorf("calls after the transaction: %s", got)
	}
	must(t, s.Begin("bad"), s.Expose("a", &a, data.Out), s.Reclaim("a"))
	if err := s.End(); err == nil || err.Error() != "while triggering `bad`: no room" {
		t.Errorf("the first error is not the one returned: %v", err)
	}
	must(t, s.Begin("e"), s.Expose("a", &a, data.Out), s.Reclaim("a"))
	if err := s.End(); data.StatusOf(err) != data.StatusState {
		t.Errorf("what is gone cannot be reclaimed: %v", err)
	}
	must(t, s.Close())
	for what, err := range map[string]error{"Begin": s.Begin("e"), "End": s.End(), "Close": s.Close(), "Share": s.Share("a", &a, data.Out),
		"Release": s.Release("a"), "Reclaim": s.Reclaim("a"), "Event": s.Event("e"), "MultiExpose": s.MultiExpose("e")} {
		if data.StatusOf(err) != data.StatusState || err.Error() != "the store is closed" {
			t.Errorf("%s of a closed store: %v", what, err)
		}
	}
}

// timed returns a plugin whose work is measured by the timer's events.
func timed(work, stop error, events *[]string) data.Plugin {
	return data.Plugin{Name: "job", New: func(c *data.Context) error {
		c.OnEvent("", func(name string) error {
			*events = append(*events, name)
			switch {
			case name == "job_stop_timer":
				return stop
			case name == "go":
				return c.Timed(func() error { return work })
			}
			return nil
		})
		return nil
	}}
}

// TestTimed checks that an error of the work comes before an error of the timer.
func TestTimed(t *testing.T) {
	for _, c := range []struct {
		work, stop error
		want       string
	}{
		{nil, nil, ""},
		{errors.New("work"), errors.New("stop"), "while triggering `go`: work"},
		{nil, errors.New("stop"), "while triggering `go`: while triggering `job_stop_timer`: stop"},
	} {
		var events []string
		s, err := data.New(data.Tree(datatest.Tree(t, "{logging: off, plugins: {job: }}")), data.Options{Plugins: []data.Plugin{timed(c.work, c.stop, &events)}})
		must(t, err)
		events = nil
		got := ""
		if err := s.Event("go"); err != nil {
			got = err.Error()
		}
		if got != c.want || strings.Join(events, " ") != "go job_start_timer job_stop_timer" {
			t.Errorf("got %s after %v, want %s", got, events, c.want)
		}
	}
}

// TestClose checks that plugins close in reverse order, each from its last Close function to its
// first, and that all their errors are returned.
func TestClose(t *testing.T) {
	var order []string
	ends := func(name string) data.Plugin {
		return data.Plugin{Name: name, New: func(c *data.Context) error {
			for _, n := range []string{"1", "2"} {
				c.OnClose(func() error {
					order = append(order, name+n)
					return errors.New(name + n + " is stuck")
				})
			}
			c.OnFinalize(func() error { order = append(order, "finalize "+name); return nil })
			return nil
		}}
	}
	var log bytes.Buffer
	s, err := data.New(data.Tree(datatest.Tree(t, "{logging: {level: warn, pattern: '%v'}, metadata: {m: int}, data: {d: int}, plugins: {b: , a: }}")),
		data.Options{Plugins: []data.Plugin{ends("a"), ends("b")}, Host: data.Host{Console: &log}})
	must(t, err)
	d := int32(1)
	must(t, s.Share("d", &d, data.Out), s.Share("d", &d, data.Out), s.Share("m", &d, data.Out))
	err = s.Close()
	if got := strings.Join(order, ", "); got != "finalize a, finalize b, b2, b1, a2, a1" {
		t.Errorf("the order is %s; want %q", got, "finalize a, finalize b, b2, b1, a2, a1")
	}
	for _, word := range []string{"a1", "a2", "b1", "b2"} {
		if err == nil || !strings.Contains(err.Error(), word+" is stuck") {
			t.Errorf("the error of %s is lost: %v", word, err)
		}
	}
	if got, want := log.String(), "Remaining 1 reference(s) to `m' in PDI after program end\nRemaining 2 reference(s) to `d' in PDI after program end\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}

	// If a plugin fails to start, the plugins before it are closed.
	order = nil
	fails := data.Plugin{Name: "z", New: func(*data.Context) error { return errors.New("no licence") }}
	_, err = data.New(data.Tree(datatest.Tree(t, "{logging: off, plugins: {a: , z: }}")), data.Options{Plugins: []data.Plugin{ends("a"), fails}})
	if err == nil || err.Error() != "while loading plugin `z`: no licence" || strings.Join(order, ", ") != "a2, a1" {
		t.Errorf("got %v, ended %v", err, order)
	}
}

// TestInit checks that OnInit is called when everything is declared, and that its error closes
// the store.
func TestInit(t *testing.T) {
	var declared bool
	plugin := func(err error) data.Plugin {
		return data.Plugin{Name: "p", New: func(c *data.Context) error {
			c.OnInit(func() error {
				_, declared = c.Template("d")
				return err
			})
			return nil
		}}
	}
	spec := data.Tree(datatest.Tree(t, "{logging: off, data: {d: int}, plugins: {p: }}"))
	_, err := data.New(spec, data.Options{Plugins: []data.Plugin{plugin(nil)}})
	must(t, err)
	if !declared {
		t.Error("the data is not declared yet")
	}
	if _, err := data.New(spec, data.Options{Plugins: []data.Plugin{plugin(errors.New("no room"))}}); err == nil || err.Error() != "no room" {
		t.Errorf("got %v", err)
	}
}

// TestSetPattern checks that the pattern applies to the store and to plugins without their own
// pattern, and that it has the current values.
func TestSetPattern(t *testing.T) {
	var log bytes.Buffer
	say := func(name string) data.Plugin {
		return data.Plugin{Name: name, Title: name, New: func(c *data.Context) error {
			c.OnEvent("say", func(string) error { c.Log.Warn("speaks"); return nil })
			return nil
		}}
	}
	s, err := data.New(data.Tree(datatest.Tree(t, "{metadata: {n: int}, logging: warn, plugins: {common: , own: {logging: {pattern: 'own %v'}}}}")),
		data.Options{Plugins: []data.Plugin{say("common"), say("own")}, Host: data.Host{Console: &log}})
	must(t, err)
	hear := func(want string) {
		t.Helper()
		log.Reset()
		must(t, s.Event("say"))
		s.Log.Warn("store")
		if log.String() != want {
			t.Errorf("got %q, want %q", &log, want)
		}
	}
	n := int32(50)
	must(t, s.Expose("n", &n, data.Out), s.SetPattern("%{n} %v"))
	hear("50 speaks\nown speaks\n50 store\n")
	n = 51
	must(t, s.Expose("n", &n, data.Out))
	hear("50 speaks\nown speaks\n50 store\n")
	must(t, s.SetPattern(""))
	hear("51 speaks\nown speaks\n51 store\n")
	if err := s.SetPattern("%{nosuch} %v"); err == nil || !strings.Contains(err.Error(), "in the pattern of the log: ") {
		t.Errorf("got %v", err)
	}
	hear("51 speaks\nown speaks\n51 store\n")
}

// TestOnEmptyAsksUntilShared checks that the first plugin that shares the datum is the last one
// called, even if earlier ones failed.
func TestOnEmptyAsksUntilShared(t *testing.T) {
	s := newStore(t, "{logging: off, data: {d: int}}")
	var asked []string
	d := int32(7)
	s.OnEmpty(func(string) error { asked = append(asked, "first"); return errors.New("not here") })
	s.OnEmpty(func(name string) error {
		asked = append(asked, "second")
		if name == "d" {
			return s.Share("d", &d, data.Out)
		}
		return nil
	})
	s.OnEmpty(func(string) error { asked = append(asked, "third"); return nil })
	ref, err := s.Ref("d")
	if err != nil || ref.Type().String() != "int" || strings.Join(asked, " ") != "first second" {
		t.Errorf("got %v, asked %v", err, asked)
	}
	if _, err := s.Ref("nosuch"); err == nil || err.Error() != "while asking for `nosuch`: not here" {
		t.Errorf("got %v", err)
	}
	quiet := newStore(t, "{logging: off, data: {d: int}}")
	quiet.OnEmpty(func(string) error { return nil })
	if _, err := quiet.Ref("d"); err == nil || err.Error() != "`d` is not shared" {
		t.Errorf("got %v", err)
	}
	if _, err := quiet.Access("d", data.In); err == nil || err.Error() != "`d` is not shared" {
		t.Errorf("got %v", err)
	}
}
