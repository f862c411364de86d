package web

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/runs/traced"
)

// TestTracedPrograms: a client is told about programs that are traced in the folder or by a plan of
// the folder, with the measurements of their regions, and about no others.
func TestTracedPrograms(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	base := filepath.Join(t.TempDir(), "state")
	s, dir := newPage(t, map[string]string{"a.psdl": ""}, func(o *Options) { o.StateDir = base })
	registered(t, base, "going", dir, time.Now())
	sockets, err := control.RuntimeDir(os.Getenv)
	if err == nil {
		err = control.Private(filepath.Join(sockets, "trace"))
	}
	if err != nil {
		t.Fatal(err)
	}
	regions := []traced.Monitored{{Region: "step", Unit: "thread 0", Count: 3}}
	for i, p := range []traced.Live{
		{Program: "here", Directory: dir, Regions: regions},
		{Program: "below", Directory: filepath.Join(dir, "sub"), Regions: regions},
		{Program: "planned", Directory: "/elsewhere", Launch: "going", Node: "west", Regions: regions},
		{Program: "without", Directory: dir},
		{Program: "elsewhere", Directory: filepath.Dir(dir), Regions: regions},
		{Program: "other plan", Directory: "/elsewhere", Launch: "other", Regions: regions},
	} {
		p.PID, p.Started = i+1, time.Unix(int64(i), 0)
		server, err := control.Listen(filepath.Join(sockets, "trace", fmt.Sprint(p.PID)+".sock"), control.Methods{
			"status": control.Answer(func(context.Context, struct{}) (traced.Live, error) { return p, nil }),
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(server.Close)
	}
	next := stream(t, s, "")
	name, data := next()
	for name != "traced" {
		if name == "" {
			t.Fatal("nothing is said of programs that are traced")
		}
		name, data = next()
	}
	var got []traced.Live
	if err := json.Unmarshal([]byte(data), &got); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range got {
		names = append(names, p.Program)
	}
	if fmt.Sprint(names) != "[here below planned]" || got[0].Regions[0].Count != 3 {
		t.Errorf("the client was told of %s; want fmt.Sprint(names) = %q and got[0].Regions[0].Count = 3", data, "[here below planned]")
	}
}
