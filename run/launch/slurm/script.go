// Package slurm runs launch plans as jobs of Slurm: it writes a batch script in which this program runs the plan inside the allocation, submits it,
// follows the job, and moves its logs to this machine.
//
//	Batch ──Script──▶ sbatch ──▶ Job ──Follow──▶ output, Ended ──Collect──▶ runs of this machine
package slurm

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/run/launch"
)

// Batch is a plan as a job of Slurm.
type Batch struct {
	launch.Job
	Name string   // letters, digits and `_`: it names the job and its files
	Dir  string   // where the job runs and its files are
	Argv []string // the command that runs the plan inside the allocation
}

// Hosts returns the number of machines in a plan.
func Hosts(p *launch.Plan) int {
	hosts := map[string]bool{}
	for _, n := range p.Nodes {
		if !n.OnRequest {
			hosts[n.Address] = true
		}
	}
	return max(1, len(hosts))
}

// Validate returns an error if the name of the folder cannot be passed to Slurm.
func (b Batch) Validate() error {
	if strings.ContainsAny(b.Dir, "\\\n\r") {
		return fmt.Errorf("the folder `%s` has a backslash or a line break in its name: Slurm cannot write there", b.Dir)
	}
	return nil
}

// Script returns the batch script. The options for sbatch are in its comments; the rest is text for the shell.
func (b Batch) Script() string {
	tasks := b.Tasks
	if tasks == 0 {
		tasks = b.Nodes
	}
	files := filepath.Join(b.Dir, b.Name+"-")
	output := "--output=" + strings.ReplaceAll(files, "%", "%%")
	lines := []string{"--job-name=" + b.Name, fmt.Sprintf("--nodes=%d", b.Nodes), fmt.Sprintf("--ntasks=%d", tasks)}
	if b.Array != "" {
		lines = append(lines, output+"%A_%a.log", "--array="+b.Array)
	} else {
		lines = append(lines, output+"%j.log")
	}
	if b.Time > 0 {
		lines = append(lines, "--time="+limit(b.Time))
	}
	var s strings.Builder
	s.WriteString("#!/bin/sh\n")
	for _, option := range slices.Concat(lines, b.Options) {
		fmt.Fprintf(&s, "#SBATCH %s\n", quoteOption(option))
	}
	fmt.Fprintf(&s, "\ncd %s || exit\n", launch.Quote(b.Dir))
	fmt.Fprintf(&s, "export PENTODE_STATE=%s\"${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}.state\"\n", launch.Quote(files))
	s.WriteString("[ -d \"$XDG_RUNTIME_DIR\" ] || unset XDG_RUNTIME_DIR # set on the machine that submitted the job\n")
	fmt.Fprintf(&s, "exec %s\n", launch.QuoteAll(b.Argv))
	return s.String()
}

// limit returns a time in whole seconds, in the form that Slurm takes.
func limit(d time.Duration) string {
	seconds := int64((d + time.Second - 1) / time.Second)
	return fmt.Sprintf("%d-%02d:%02d:%02d", seconds/86400, seconds/3600%24, seconds/60%60, seconds%60)
}

// quoteOption quotes an option so that sbatch reads it as one word: sbatch interprets quotes, backslashes and comments.
func quoteOption(option string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,@%+", r)
	}
	if strings.IndexFunc(option, func(r rune) bool { return !plain(r) }) < 0 {
		return option
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(option) + `"`
}
