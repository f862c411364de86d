package launch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/bytesize"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// RunSettings are what a project says of whole runs. The zero value says nothing.
type RunSettings struct {
	Logs state.Rotation
	Job  Job
}

// Job is what a batch system is asked for.
type Job struct {
	Nodes, Tasks int           // 0: as many as the plan has hosts; as nodes
	Time         time.Duration // 0: what the batch system gives
	Array        string        // such as `0-9%2`; empty: the plan runs once
	Options      []string      // of its own, such as `--partition=gpu`
}

// RunKey is a setting of whole runs that there is.
type RunKey struct {
	Name  string
	Takes string // what its value looks like
	Doc   string

	set func(s *RunSettings, v Value) error
}

// RunKeys are all settings of whole runs, sorted by name.
func RunKeys() []RunKey {
	return []RunKey{
		{
			Name: "array", Takes: "indices such as `\"0-9\"` or `\"1,3,5%2\"`", Doc: "`launch submit`: run the plan once for each of them, which programs find in `SLURM_ARRAY_TASK_ID`; `%N` lets N run at a time",
			set: runText(func(s *RunSettings, text string) error { s.Job.Array = text; return checkArray(text) }),
		},
		{
			Name: "log-age", Takes: "a duration such as `24h`", Doc: "the age at which a log becomes a compressed piece, instead of `--log-age`",
			set: runText(func(s *RunSettings, text string) (err error) { s.Logs.Age, err = ParseWithin(text); return err }),
		},
		{
			Name: "log-keep", Takes: "a number", Doc: "how many pieces of a log are kept, instead of `--log-keep`",
			set: runCount(func(s *RunSettings) *int { return &s.Logs.Keep }),
		},
		{
			Name: "log-size", Takes: "a size such as `10MB`", Doc: "the size at which a log becomes a compressed piece, instead of `--log-size`",
			set: runText(func(s *RunSettings, text string) error {
				var ok bool
				if s.Logs.Size, ok = bytesize.Parse(text); !ok || s.Logs.Size < 1 {
					return fmt.Errorf("`%s` is not a size: expected something like `10MB`", text)
				}
				return nil
			}),
		},
		{
			Name: "nodes", Takes: "a number", Doc: "`launch submit`: the machines of the job; without, as many as the plan has hosts",
			set: runCount(func(s *RunSettings) *int { return &s.Job.Nodes }),
		},
		{
			Name: "slurm", Takes: "a list such as `[\"--partition=gpu\", \"--account=abc\"]`", Doc: "`launch submit`: further options of `sbatch`",
			set: func(s *RunSettings, v Value) error {
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
			Name: "tasks", Takes: "a number", Doc: "`launch submit`: the tasks of the job, for which the batch system sets processors aside; without, one on each machine",
			set: runCount(func(s *RunSettings) *int { return &s.Job.Tasks }),
		},
		{
			Name: "time", Takes: "a duration such as `2h`", Doc: "`launch submit`: how long the job may take",
			set: runText(func(s *RunSettings, text string) (err error) { s.Job.Time, err = ParseWithin(text); return err }),
		},
	}
}

// Set sets one setting.
func (s *RunSettings) Set(name string, v Value) error {
	keys := RunKeys()
	i := slices.IndexFunc(keys, func(k RunKey) bool { return k.Name == name })
	if i < 0 {
		return fmt.Errorf("there is no setting `%s`", name)
	}
	return keys[i].set(s, v)
}

// runText is a setting that is one text.
func runText(set func(*RunSettings, string) error) func(*RunSettings, Value) error {
	return func(s *RunSettings, v Value) error {
		if v.IsList {
			return fmt.Errorf("this is one value, not a list")
		}
		return set(s, v.Text)
	}
}

// runCount is a setting that is a number from 1.
func runCount(field func(*RunSettings) *int) func(*RunSettings, Value) error {
	return runText(func(s *RunSettings, text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1_000_000 {
			return fmt.Errorf("`%s` is not a number from 1 on", text)
		}
		*field(s) = n
		return nil
	})
}

// checkArray says what is wrong with the indices of an array.
func checkArray(text string) error {
	indices, limit, limited := strings.Cut(text, "%")
	if _, err := strconv.ParseUint(limit, 10, 32); limited && err != nil {
		return fmt.Errorf("`%s` is not a number of tasks that run at a time", limit)
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

// ownOptions are those of sbatch that a submission sets itself.
var ownOptions = []string{"array", "chdir", "error", "job-name", "nodes", "ntasks", "output", "time", "wait", "wrap", "parsable"}

// checkOption says what is wrong with an option for sbatch.
func checkOption(option string) error {
	name, _, _ := strings.Cut(strings.TrimPrefix(option, "--"), "=")
	switch {
	case !strings.HasPrefix(option, "--") || name == "":
		return fmt.Errorf("`%s` is not an option of sbatch: expected something like `--partition=gpu`", option)
	case strings.ContainsAny(option, "\n\r\x00"):
		return fmt.Errorf("an option of sbatch is one line")
	case slices.Contains(ownOptions, name):
		return fmt.Errorf("`--%s` is set by `launch submit` itself; the settings of `[launch]` say nodes, tasks, time and array", name)
	}
	return nil
}
