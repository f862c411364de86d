package launch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/internal/leaf/bytesize"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// RunSettings are a project's settings for whole runs. The zero value changes nothing.
type RunSettings struct {
	Logs state.Rotation
	Job  Job

	Ready   Ready // of daemons, including the time limit
	Restart Restart
	Grace   time.Duration
	Hangup  Hangup

	Launcher  string            // as ParseLauncher reads it
	Flavors   map[string]string // flavor → launcher
	Map       map[string]string // declared host → the host to use
	Reach     string            // the name by which other machines reach this machine
	RemoteDir string
	OneWord   bool // a daemon's command is one word
}

// Job is a request to a batch system.
type Job struct {
	Nodes, Tasks int           // 0 nodes: as many as the plan has hosts; 0 tasks: one per node
	Time         time.Duration // 0: the default of the batch system
	Array        string        // such as `0-9%2`; empty: the plan runs once
	Options      []string      // for the batch system, such as `--partition=gpu`
}

// RunKey is a setting of whole runs.
type RunKey = KeyOf[RunSettings]

// RunKeys returns all settings of whole runs, sorted by name.
func RunKeys() []RunKey {
	return []RunKey{
		{
			Name: "array", Takes: "indices such as `\"0-9\"` or `\"1,3,5%2\"`", Doc: "`submit`: run the plan once for each index, which programs find in `SLURM_ARRAY_TASK_ID`; `%N` lets N of them run at the same time",
			set: text(func(s *RunSettings, text string) error { s.Job.Array = text; return checkArray(text) }),
		},
		{
			Name: "flavor", Takes: "`FLAVOR = \"LAUNCHER\"`", Doc: "how programs of a flavor are started; takes the same values as `launcher`", Table: true,
			set: func(s *RunSettings, flavor string, v Value) error {
				_, err := ParseLauncher(v.String(), nil)
				put(&s.Flavors, flavor, v.String())
				return err
			},
		},
		{
			Name: "grace", Takes: "a duration such as `10s`", Doc: "how long programs may take to end before they are killed, by default 10s; `--grace` wins",
			set: text(func(s *RunSettings, text string) (err error) { s.Grace, err = ParseWithin(text); return err }),
		},
		{
			Name: "hangup", Takes: "`forward`, `stop` or `ignore`", Doc: "what to do when the terminal is closed: send the signal to every program (the default), stop the run in order, or continue",
			Words: []string{string(HangupForward), string(HangupStop), string(HangupIgnore)},
			set: text(func(s *RunSettings, text string) error {
				switch s.Hangup = Hangup(text); s.Hangup {
				case HangupForward, HangupStop, HangupIgnore:
					return nil
				}
				return fmt.Errorf("`%s` is not known: expected `forward`, `stop` or `ignore`", text)
			}),
		},
		{
			Name: "launcher", Takes: "`local`, `ssh`, `srun` or a command such as `rsh {host} {argv:q}`", Doc: "how other machines are reached, by default `ssh`",
			Words: []string{"local", "ssh", "srun"},
			set: text(func(s *RunSettings, text string) error {
				s.Launcher = text
				_, err := ParseLauncher(text, nil)
				return err
			}),
		},
		{
			Name: "log-age", Takes: "a duration such as `24h`", Doc: "the age at which a log is rotated and compressed; by default there is no limit",
			set: text(func(s *RunSettings, text string) (err error) { s.Logs.Age, err = ParseWithin(text); return err }),
		},
		{
			Name: "log-keep", Takes: "a number", Doc: "how many rotated logs are kept, by default 5",
			set: runCount(func(s *RunSettings) *int { return &s.Logs.Keep }),
		},
		{
			Name: "log-size", Takes: "a size such as `10MB`", Doc: "the size at which a log is rotated and compressed; by default there is no limit",
			set: text(func(s *RunSettings, text string) error {
				var ok bool
				if s.Logs.Size, ok = bytesize.Parse(text); !ok || s.Logs.Size < 1 {
					return fmt.Errorf("`%s` is not a size: expected something like `10MB`", text)
				}
				return nil
			}),
		},
		{
			Name: "map", Takes: "`HOST = \"OTHER\"`", Doc: "the host to use instead of a declared one", Table: true,
			set: func(s *RunSettings, host string, v Value) error {
				put(&s.Map, host, v.String())
				return notBlank(v.String())
			},
		},
		{
			Name: "nodes", Takes: "a number", Doc: "`submit`: the number of machines of the job, by default as many as the plan has hosts",
			set: runCount(func(s *RunSettings) *int { return &s.Job.Nodes }),
		},
		{
			Name: "reach", Takes: "a host", Doc: "the host name by which pipeline sites on other machines reach this machine, by default its own name",
			set: text(func(s *RunSettings, text string) error { s.Reach = text; return notBlank(text) }),
		},
		{
			Name: "ready", Takes: readyForms, Doc: "when a daemon is ready", Words: readyWords(),
			set: text(func(s *RunSettings, text string) error {
				r, err := ParseReady(text)
				r.Timeout = s.Ready.Timeout
				s.Ready = r
				return err
			}),
		},
		{
			Name: "ready-within", Takes: "a duration such as `2m`", Doc: "how long a daemon may take to be ready, by default 30s",
			set: text(func(s *RunSettings, text string) (err error) { s.Ready.Timeout, err = ParseWithin(text); return err }),
		},
		{
			Name: "remote-dir", Takes: "a folder", Doc: "where programs on other machines start, by default the login folder, and under Slurm this one",
			set: text(func(s *RunSettings, text string) error { s.RemoteDir = text; return notEmpty(text) }),
		},
		{
			Name: "restart", Takes: restartForms, Doc: "when programs are started again, by default `no`", Words: restartWords(),
			set: text(func(s *RunSettings, text string) (err error) { s.Restart, err = ParseRestart(text); return err }),
		},
		{
			Name: "slurm", Takes: "a list such as `[\"--partition=gpu\", \"--account=abc\"]`", Doc: "`submit`: further options of `sbatch`",
			set: func(s *RunSettings, _ string, v Value) error {
				s.Job.Options = v.List
				if !v.IsList {
					s.Job.Options = []string{v.Text}
				}
				for _, o := range s.Job.Options {
					if err := checkOption(o); err != nil {
						return err
					}
				}
				return nil
			},
		},
		{
			Name: "split", Takes: "`true` or `false`", Doc: "whether a daemon's command is split into words, by default `true`; Paradyn of 1994 did not split it",
			set: text(func(s *RunSettings, text string) error {
				split, err := ParseBool(text)
				s.OneWord = !split
				return err
			}),
		},
		{
			Name: "tasks", Takes: "a number", Doc: "`submit`: the number of tasks of the job, for which the batch system reserves processors, by default one on each machine",
			set: runCount(func(s *RunSettings) *int { return &s.Job.Tasks }),
		},
		{
			Name: "time", Takes: "a duration such as `2h`", Doc: "`submit`: how long the job may take",
			set: text(func(s *RunSettings, text string) (err error) { s.Job.Time, err = ParseWithin(text); return err }),
		},
	}
}

// Set sets one setting. path is its key and, for a table, the key in the table.
func (s *RunSettings) Set(path []string, v Value) error { return setBy(RunKeys(), s, path, v) }

// Fill fills options that are not set. The environment names the remote shell and the nodes of an allocation.
func (s *RunSettings) Fill(o *Options, getenv func(string) string) error {
	shell, err := Split(getenv("PARADYN_RSH"))
	if err != nil {
		return fmt.Errorf("PARADYN_RSH: %w", err)
	}
	if o.Remote == nil {
		if o.Remote, err = ParseLauncher(s.Launcher, shell); err != nil {
			return err
		}
	}
	if _, slurm := o.Remote.(Srun); slurm && o.Nodes == nil {
		if o.Nodes, err = Allocation(getenv); err != nil {
			return err
		}
	}
	for flavor, launcher := range s.Flavors {
		starter, err := ParseLauncher(launcher, shell)
		if err != nil {
			return err
		}
		if o.Flavors[flavor] == nil {
			put(&o.Flavors, flavor, starter)
		}
	}
	for host, other := range s.Map {
		if o.Map[host] == "" {
			put(&o.Map, host, other)
		}
	}
	timeout := cmp.Or(o.Ready.Timeout, s.Ready.Timeout)
	if o.Ready.Probe == ProbeDefault {
		o.Ready = s.Ready
	}
	o.Ready.Timeout = timeout
	if o.Restart.When == RestartNever {
		o.Restart = s.Restart
	}
	o.RemoteDir, o.NoSplit = cmp.Or(o.RemoteDir, s.RemoteDir), o.NoSplit || s.OneWord
	return nil
}

// put sets a key of a map and makes the map if it is nil.
func put[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = value
}

// ParseBool reads `true` or `false`.
func ParseBool(text string) (bool, error) {
	if text != "true" && text != "false" {
		return false, errors.New("this takes true or false")
	}
	return text == "true", nil
}

// notBlank returns an error for an empty host name.
func notBlank(host string) error {
	if strings.TrimSpace(host) == "" {
		return errors.New("this is not the name of a host")
	}
	return nil
}

// runCount returns the set function of a setting that is a number of at least 1.
func runCount(field func(*RunSettings) *int) func(*RunSettings, string, Value) error {
	return text(func(s *RunSettings, text string) error {
		n, err := strconv.Atoi(strings.ReplaceAll(text, "_", ""))
		if err != nil || n < 1 || n > 1_000_000 {
			return fmt.Errorf("`%s` is not a number of at least 1", text)
		}
		*field(s) = n
		return nil
	})
}

// checkArray returns an error if text does not list the indices of a job array.
func checkArray(text string) error {
	indices, limit, limited := strings.Cut(text, "%")
	if _, err := strconv.ParseUint(limit, 10, 32); limited && err != nil {
		return fmt.Errorf("`%s` is not a number of tasks that run at the same time", limit)
	}
	for part := range strings.SplitSeq(indices, ",") {
		span, step, stepped := strings.Cut(part, ":")
		first, last, ranged := strings.Cut(span, "-")
		for _, number := range []struct {
			text string
			here bool
		}{{first, true}, {last, ranged}, {step, stepped}} {
			if _, err := strconv.ParseUint(number.text, 10, 31); number.here && err != nil {
				return fmt.Errorf("`%s` is not a list of indices: expected something like `0-9`, `1,3,5` or `0-15%%4`", text)
			}
		}
	}
	return nil
}

// ownOptions are the options of sbatch that `submit` sets itself.
var ownOptions = []string{"array", "chdir", "error", "job-name", "nodes", "ntasks", "output", "time", "wait", "wrap", "parsable"}

// checkOption returns an error if option cannot be passed to sbatch.
func checkOption(option string) error {
	name, _, _ := strings.Cut(strings.TrimPrefix(option, "--"), "=")
	switch {
	case !strings.HasPrefix(option, "--") || name == "":
		return fmt.Errorf("`%s` is not an option of sbatch: expected something like `--partition=gpu`", option)
	case strings.ContainsAny(option, "\n\r\x00"):
		return fmt.Errorf("an option of sbatch must be on one line")
	case slices.Contains(ownOptions, name):
		return fmt.Errorf("`--%s` is set by `submit` itself: set nodes, tasks, time and array in `[run]`", name)
	}
	return nil
}
