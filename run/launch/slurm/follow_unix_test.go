//go:build unix

package slurm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestFollow: if Slurm fails to answer now and then, it is asked again; not if it never answered, or stays silent for too long.
func TestFollow(t *testing.T) {
	need.Program(t, "sh")
	for _, c := range []struct {
		name    string
		answers string // of scontrol, by the number of the call
		want    []string
		fails   string
	}{
		{"busy", "1) echo JobState=RUNNING;; 2|3) echo 'scontrol: error: Socket timed out' >&2; exit 1;; *) echo JobState=COMPLETED",
			[]string{"job 7: running", "job 7: `scontrol` failed: Socket timed out; asking again", "job 7: completed"}, ""},
		{"no such job", "*) echo 'Invalid job id specified' >&2; exit 1", nil, "`scontrol` failed: Invalid job id specified"},
		{"gone", "1) echo JobState=RUNNING;; *) echo 'no controller' >&2; exit 1",
			[]string{"job 7: running", "job 7: `scontrol` failed: no controller; asking again"}, "`scontrol` failed: no controller"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			script := "#!/bin/sh\ncd \"${0%/*}\"\nn=0; read -r n < calls; n=$((n + 1)); echo $n > calls\ncase $n in " + c.answers + ";; esac\n"
			for name, text := range map[string]string{"scontrol": script, "calls": "0\n"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
			synctest.Test(t, func(t *testing.T) {
				job, err := Batch{Dir: dir, Name: "a"}.Submitted("7")
				if err != nil {
					t.Fatal(err)
				}
				var said []string
				tasks, err := job.Follow(t.Context(), &strings.Builder{}, func(news string) { said = append(said, news) })
				if c.fails == "" && (err != nil || len(tasks) != 1) || c.fails != "" && (err == nil || err.Error() != c.fails) {
					t.Errorf("%v, %v", tasks, err)
				}
				if !slices.Equal(said, c.want) {
					t.Errorf("said %q, want %q", said, c.want)
				}
			})
		})
	}
}
