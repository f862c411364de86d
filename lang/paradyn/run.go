package paradyn

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/launch"
)

// Decls returns the configuration in the form that the launch engine takes. If the
// configuration has errors, the definitions without errors are returned; a PCL file has none.
func (m *Model) Decls() (launch.Decls, error) {
	d := launch.Decls{Settings: m.programs}
	if !m.pcl.IsZero() {
		return d, fmt.Errorf("`%s` is read as PCL, which is kept but not launched", m.pcl.File.Path())
	}
	for _, t := range m.Tunables {
		d.Tunables = append(d.Tunables, launch.Tunable{Name: t.Name, Value: t.Value, Span: t.Place.Span})
	}
	for _, b := range m.Daemons {
		d.Daemons = append(d.Daemons, launch.Daemon{
			Name: b.Text("name"), Command: b.Text("command"), Host: m.host(b), Flavor: b.flavor(), Span: b.Head,
		})
	}
	for _, b := range m.Processes {
		d.Processes = append(d.Processes, launch.Process{
			Name: b.Text("name"), Command: b.Text("command"), Args: b.Args(), Host: m.host(b),
			Daemon: b.Text(daemon), Flavor: b.flavor(), Span: b.Head,
		})
	}
	for _, b := range m.Visis {
		d.Visis = append(d.Visis, launch.Visi{
			Name: b.Text("name"), Command: b.Text("command"), Args: b.Args(), Host: m.host(b), Span: b.Head,
		})
	}
	return d, nil
}

// plan returns the launch plan of the definitions. Of this machine it uses only the name.
func (m *Model) plan() (*launch.Plan, problem.List, error) {
	d, err := m.Decls()
	if err != nil {
		return nil, nil, err
	}
	local := func(host string) bool { return host == m.hostname || host == "127.0.0.1" || host == "::1" }
	plan, problems := launch.NewPlan(d, launch.Options{
		Host: launch.Host{Name: func() string { return m.hostname }, IsLocal: local, ReadFile: noFile},
	})
	return plan, problems, nil
}

// noFile is used in place of reading files, which are not read until the plan is started.
func noFile(string) ([]byte, error) { return nil, nil }

// Diagnose returns the errors of a plan as diagnostics. It omits warnings, because check
// reports them.
func Diagnose(found problem.List) diag.List {
	var list diag.List
	for _, p := range found {
		if p.Severity != problem.Error {
			continue
		}
		code := cannotStart
		switch p.Kind {
		case launch.DaemonCommand:
			code = daemonCommand
		case launch.DaemonElsewhere:
			code = daemonElsewhere
		}
		if launch.FromSettings(p.Kind) {
			code = programSetting
		}
		list = append(list, diag.Of(code, p))
	}
	return list
}

// Programs returns the names that settings of a project may use for the programs of a plan. It
// returns none if the file is not a plan.
func Programs(c *lang.Config) []string {
	m, ok := lang.Model[*Model](c)
	if !ok {
		return nil
	}
	plan, _, err := m.plan()
	if err != nil {
		return nil
	}
	return plan.Names()
}

// Fingerprint returns the fingerprint of the plan. It does not contain the name of this
// machine, so it is the same on every machine.
func (m *Model) Fingerprint() (fingerprint.Sum, error) {
	anywhere := *m
	anywhere.hostname = ""
	d, err := anywhere.Decls()
	if err != nil {
		return fingerprint.Sum{}, err
	}
	return d.Fingerprint(), nil
}

// unread reports whether a setting belongs to a list. Lists do not affect what is started.
func unread(key string) bool { return strings.HasPrefix(key, "list.") }
