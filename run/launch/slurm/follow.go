package slurm

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// poll is the pause between two requests to Slurm, which has many users.
const poll = time.Second

// patience is how long Slurm may fail to answer after a first answer: while Slurm is busy or restarts, the job continues.
const patience = 2 * time.Minute

// Follow copies the output of the job, prefixed with the index of each task of an array, and reports its progress, until the job is over. It returns
// the tasks of the job.
func (j *Job) Follow(ctx context.Context, w io.Writer, report func(string)) ([]Task, error) {
	output := &tail{job: j, w: w, read: map[string]int64{}}
	said := ""
	var answered time.Time // zero: never
	for {
		tasks, err := j.Tasks(ctx)
		now := summary(tasks)
		switch {
		case err == nil:
			answered = time.Now()
		case ctx.Err() != nil || answered.IsZero() || time.Since(answered) > patience:
			return nil, err
		default:
			now = err.Error() + "; asking again"
		}
		over := len(tasks) > 0 && !slices.ContainsFunc(tasks, func(t Task) bool { return !t.Over() })
		if now != said {
			said = now
			report(fmt.Sprintf("job %s: %s", j.ID, now))
		}
		if err := output.copy(over); err != nil { // a job has written everything before it is over
			return nil, err
		}
		if over {
			return tasks, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(poll):
		}
	}
}

// summary returns how many tasks are in each state, and why.
func summary(tasks []Task) string {
	counts := map[string]int{}
	for _, t := range tasks {
		state := strings.ToLower(t.State)
		if t.Why != "" {
			state += " (" + t.Why + ")"
		}
		counts[state]++
	}
	var parts []string
	for _, state := range slices.Sorted(maps.Keys(counts)) {
		if len(tasks) > 1 {
			state = fmt.Sprintf("%d %s", counts[state], state)
		}
		parts = append(parts, state)
	}
	return strings.Join(parts, ", ")
}

// tail copies the files of a job as they grow.
type tail struct {
	job  *Job
	w    io.Writer
	read map[string]int64 // how many bytes of each file
}

// copy writes new lines. If last is set, it also writes an incomplete line. It opens the files each time, because only then all that another machine
// has written to a file becomes visible.
func (t *tail) copy(last bool) error {
	logs := t.job.Logs()
	for _, index := range slices.Sorted(maps.Keys(logs)) {
		f, err := os.Open(logs[index])
		if err != nil {
			continue // the task has not begun
		}
		text, err := io.ReadAll(io.NewSectionReader(f, t.read[index], math.MaxInt64-t.read[index]))
		f.Close()
		if err != nil {
			return fmt.Errorf("the output of job %s in `%s` cannot be read", t.job.ID, logs[index])
		}
		if !last {
			text = text[:bytes.LastIndexByte(text, '\n')+1]
		}
		t.read[index] += int64(len(text))
		if err := t.write(index, text); err != nil {
			return err
		}
	}
	return nil
}

func (t *tail) write(index string, text []byte) error {
	if index == "" {
		_, err := t.w.Write(text)
		return err
	}
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		fmt.Fprintf(&b, "%s: %s\n", index, bytes.TrimSuffix(line, []byte("\n")))
	}
	_, err := t.w.Write(b.Bytes())
	return err
}
