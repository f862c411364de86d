package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/launch/state"
)

// Job is a job that was submitted.
type Job struct {
	ID    string
	batch Batch
}

// Submit hands a batch to Slurm.
func (b Batch) Submit(ctx context.Context) (*Job, error) {
	cmd := exec.CommandContext(ctx, "sbatch", "--parsable")
	cmd.Dir, cmd.Stdin = b.Dir, strings.NewReader(b.Script())
	out, err := output(cmd)
	if err != nil {
		return nil, err
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // behind it is the name of the cluster
	return b.Submitted(id)
}

// Submitted is a job of this batch that was submitted before.
func (b Batch) Submitted(id string) (*Job, error) {
	if _, err := strconv.ParseUint(id, 10, 63); err != nil {
		return nil, fmt.Errorf("`%s` is not the number of a job", id)
	}
	return &Job{id, b}, nil
}

// output runs a program of Slurm. What it says of a failure is the error.
func output(cmd *exec.Cmd) (string, error) {
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("there is no `%s` in PATH: plans are submitted where Slurm is installed", cmd.Args[0])
	case err != nil:
		said := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(errs.String()), cmd.Args[0]+": error:"))
		return "", fmt.Errorf("`%s` failed: %s", cmd.Args[0], strings.ReplaceAll(said, "\n"+cmd.Args[0]+": error:", ";"))
	}
	return string(out), nil
}

// Task is how far a job is, or one of the tasks of an array.
type Task struct {
	Index string // of an array; empty: the job has none, or this is all that has not begun
	State string // as Slurm calls it, such as PENDING or COMPLETED
	Why   string // why it waits or has ended so; empty: nothing is said
	Exit  int    // as shells have it
}

// live are the states of a task that has not ended.
var live = map[string]bool{
	"PENDING": true, "RUNNING": true, "SUSPENDED": true, "CONFIGURING": true, "COMPLETING": true, "STOPPED": true, "SIGNALING": true,
	"STAGE_OUT": true, "REQUEUED": true, "REQUEUE_HOLD": true, "REQUEUE_FED": true, "RESIZING": true, "RESV_DEL_HOLD": true, "SPECIAL_EXIT": true,
}

// Over reports whether it has ended.
func (t Task) Over() bool { return !live[t.State] }

// Code is the exit code for whoever waits for it: 124 where it ran for longer than it may, as timeout(1) has it, 126 where it
// could not be started, as shells have it.
func (t Task) Code() int {
	switch {
	case t.State == "TIMEOUT" || t.State == "DEADLINE":
		return 124
	case t.Why == "JobLaunchFailure":
		return 126
	case t.State == "COMPLETED" || t.Exit != 0:
		return t.Exit
	}
	return 1
}

// Tasks asks Slurm how far the job is.
func (j *Job) Tasks(ctx context.Context) ([]Task, error) {
	out, err := output(exec.CommandContext(ctx, "scontrol", "--oneliner", "show", "job", j.ID))
	if err != nil {
		return nil, err
	}
	return parseTasks(out), nil
}

// parseTasks reads what scontrol shows: a line for each task, with words KEY=VALUE.
func parseTasks(text string) (list []Task) {
	for line := range strings.Lines(text) {
		var t Task
		for word := range strings.FieldsSeq(line) {
			key, value, _ := strings.Cut(word, "=")
			switch key {
			case "ArrayTaskId":
				t.Index = value
			case "JobState":
				t.State = value
			case "Reason":
				if t.Why = value; value == "None" {
					t.Why = ""
				}
			case "ExitCode":
				code, signal, _ := strings.Cut(value, ":")
				t.Exit, _ = strconv.Atoi(code)
				if s, _ := strconv.Atoi(signal); s > 0 {
					t.Exit = 128 + s
				}
			}
		}
		if t.State != "" {
			list = append(list, t)
		}
	}
	return list
}

// Logs are the files with what the job has written, by task: that of a job without tasks is "".
func (j *Job) Logs() map[string]string {
	logs := map[string]string{}
	if j.batch.Array == "" {
		logs[""] = filepath.Join(j.batch.Dir, j.batch.Name+"-"+j.ID+".log")
		return logs
	}
	entries, _ := os.ReadDir(j.batch.Dir) // a folder that is gone has no files
	for _, e := range entries {
		if rest, ok := strings.CutPrefix(e.Name(), j.batch.Name+"-"+j.ID+"_"); ok && strings.HasSuffix(rest, ".log") {
			logs[strings.TrimSuffix(rest, ".log")] = filepath.Join(j.batch.Dir, e.Name())
		}
	}
	return logs
}

// Collect moves the runs of the job to those of this machine.
func (j *Job) Collect(base string) ([]*state.Dir, error) {
	from := filepath.Join(j.batch.Dir, j.batch.Name+"-"+j.ID+".state")
	runs, err := state.List(from)
	if err != nil {
		return nil, err
	}
	var all []*state.Dir
	for _, run := range runs {
		d, err := state.Collect(run, base)
		if err != nil {
			return all, err
		}
		all = append(all, d)
	}
	if err := state.CollectTexts(from, base); err != nil {
		return all, err
	}
	if err := os.Remove(from); err != nil && !errors.Is(err, os.ErrNotExist) {
		return all, fmt.Errorf("`%s` is left, with files that are no runs", from)
	}
	return all, nil
}
