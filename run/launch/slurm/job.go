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

// Job is a submitted job.
type Job struct {
	ID    string
	batch Batch
}

// Submit submits a batch to Slurm.
func (b Batch) Submit(ctx context.Context) (*Job, error) {
	cmd := exec.CommandContext(ctx, "sbatch", "--parsable")
	cmd.Dir, cmd.Stdin = b.Dir, strings.NewReader(b.Script())
	out, err := output(cmd)
	if err != nil {
		return nil, err
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // the name of the cluster may follow
	return b.Submitted(id)
}

// Submitted returns a job of this batch that was submitted earlier.
func (b Batch) Submitted(id string) (*Job, error) {
	if _, err := strconv.ParseUint(id, 10, 63); err != nil {
		return nil, fmt.Errorf("`%s` is not the number of a job", id)
	}
	return &Job{id, b}, nil
}

// output runs a program of Slurm and returns its output. If the program fails, the error contains its messages.
func output(cmd *exec.Cmd) (string, error) {
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("there is no `%s` in PATH: submit plans on a machine with Slurm", cmd.Args[0])
	case err != nil:
		said := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(errs.String()), cmd.Args[0]+": error:"))
		return "", fmt.Errorf("`%s` failed: %s", cmd.Args[0], strings.ReplaceAll(said, "\n"+cmd.Args[0]+": error:", ";"))
	}
	return string(out), nil
}

// Task is the state of a job, or of one task of an array.
type Task struct {
	Index string // in an array; empty: the job has no array, or these are all tasks that have not begun
	State string // as Slurm calls it, such as PENDING or COMPLETED
	Why   string // why it waits or has ended in this state; empty: not known
	Exit  int    // as shells report it
}

// live are the states of tasks that have not ended.
var live = map[string]bool{
	"PENDING": true, "RUNNING": true, "SUSPENDED": true, "CONFIGURING": true, "COMPLETING": true, "STOPPED": true, "SIGNALING": true,
	"STAGE_OUT": true, "REQUEUED": true, "REQUEUE_HOLD": true, "REQUEUE_FED": true, "RESIZING": true, "RESV_DEL_HOLD": true, "SPECIAL_EXIT": true,
}

// Over reports whether the task has ended.
func (t Task) Over() bool { return !live[t.State] }

// Code returns the exit code of the task: 124 if it exceeded its time limit, as timeout(1) does, and 126 if it could not be started, as shells do.
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

// Tasks asks Slurm for the state of the job's tasks.
func (j *Job) Tasks(ctx context.Context) ([]Task, error) {
	out, err := output(exec.CommandContext(ctx, "scontrol", "--oneliner", "show", "job", j.ID))
	if err != nil {
		return nil, err
	}
	return parseTasks(out), nil
}

// parseTasks reads the output of scontrol: a line for each task, with words KEY=VALUE.
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

// Logs returns the files that the job has written, by task; the key of a job without tasks is "".
func (j *Job) Logs() map[string]string {
	logs := map[string]string{}
	if j.batch.Array == "" {
		logs[""] = filepath.Join(j.batch.Dir, j.batch.Name+"-"+j.ID+".log")
		return logs
	}
	entries, _ := os.ReadDir(j.batch.Dir) // a folder that has been removed contains no files
	for _, e := range entries {
		if rest, ok := strings.CutPrefix(e.Name(), j.batch.Name+"-"+j.ID+"_"); ok && strings.HasSuffix(rest, ".log") {
			logs[strings.TrimSuffix(rest, ".log")] = filepath.Join(j.batch.Dir, e.Name())
		}
	}
	return logs
}

// Collect moves the runs of the job to the runs of this machine.
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
		return all, fmt.Errorf("`%s` is left: it contains files that are not runs", from)
	}
	return all, nil
}
