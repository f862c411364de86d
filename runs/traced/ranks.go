//go:build unix

package traced

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/trace/collect"
)

// rankVariables are the variables that launchers set for each rank.
var rankVariables = []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}

// job is the set of ranks that one launcher started on this node, each through Trace. The first rank collects for all.
type job struct {
	lock    *os.File
	session string // a file with the path of the session
}

// joinJob returns the job to which this rank belongs, or nil.
func joinJob() (*job, error) {
	rank := false
	for _, name := range rankVariables {
		_, set := os.LookupEnv(name)
		rank = rank || set
	}
	if !rank {
		return nil, nil
	}
	dir, err := traceSockets()
	if err == nil {
		err = control.Private(dir)
	}
	if err != nil {
		return nil, err
	}
	// The ranks of a node have the local part of the launcher as their parent.
	name := filepath.Join(dir, "job-"+strconv.Itoa(os.Getppid()))
	lock, err := os.OpenFile(name+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &job{lock: lock, session: name + ".session"}, nil
}

// first reports whether this is the rank that collects.
func (j *job) first() bool {
	if syscall.Flock(int(j.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return false
	}
	_ = os.Remove(j.session) // an earlier job may have left it
	return true
}

// announce tells the other ranks the path of the session.
func (j *job) announce(s *collect.Session) error {
	if err := os.WriteFile(j.session+".new", []byte(s.Path), 0o600); err != nil {
		return err
	}
	return os.Rename(j.session+".new", j.session)
}

func (j *job) close() {
	_ = os.Remove(j.session)
	j.lock.Close()
}

// follow becomes the program, which is traced by the collecting rank.
func (j *job) follow(ctx context.Context, r *Run) error {
	var session string
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		text, err := os.ReadFile(j.session)
		if session = strings.TrimSpace(string(text)); err == nil && session != "" {
			if _, err := os.Stat(session); err == nil {
				break
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return errors.New("the rank that collects on this node has not started its session")
		}
	}
	library, err := r.program.library(ctx, r.Compiler, r.Building)
	if err != nil {
		return err
	}
	path, err := exec.LookPath(r.program.args[0])
	if err != nil {
		return fmt.Errorf("there is no program `%s`", r.program.args[0])
	}
	return syscall.Exec(path, r.program.args, collect.Environment(os.Environ(), library, session))
}
