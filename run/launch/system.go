package launch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
)

// System returns the real machine.
func System() Host {
	s := &system{leaders: map[int]bool{}, sessions: map[int]bool{}}
	return Host{
		Name: func() string {
			name, err := os.Hostname()
			if err != nil || name == "" {
				return "localhost"
			}
			return name
		},
		IsLocal: isLocal,
		Find: func(program, dir string) error {
			_, err := lookUp(program, dir)
			return err
		},
		Start: s.start,
		Dial:  dial,
		Get:   get,
		Now:   time.Now,
		AfterFunc: func(d time.Duration, f func()) func() bool {
			return time.AfterFunc(d, f).Stop
		},
		Usage:    state.ReadUsage,
		Adopt:    s.adopt,
		ReadFile: os.ReadFile,
		Strays:   s.strays,
	}
}

// system remembers the processes that it has started, so that the reaper never collects a process that another goroutine waits for.
type system struct {
	mu       sync.Mutex
	leaders  map[int]bool // started and not yet waited for
	sessions map[int]bool // every session that ever started here
}

// isLocal accepts loopback addresses and this machine's name. It looks up only names that begin like ours (`poona.cs.wisc.edu` on `poona`).
func isLocal(host string) bool {
	if host == "localhost" {
		return true
	}
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	name, err := os.Hostname()
	if err != nil {
		return false
	}
	if host == name {
		return true
	}
	short, _, _ := strings.Cut(name, ".")
	if !strings.HasPrefix(host, short+".") {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	found, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil {
		return false
	}
	mine, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range mine {
		for _, f := range found {
			if n, ok := a.(*net.IPNet); ok && n.IP.Equal(f.IP) {
				return true
			}
		}
	}
	return false
}

func dial(ctx context.Context, address string) error {
	c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return c.Close()
}

// StartError explains why a program did not start. Code is the exit code that a shell would return.
type StartError struct {
	Code    int
	Message string
}

func (e *StartError) Error() string { return e.Message }

// find returns the file to execute, and checks that the program it will start exists.
func (c Command) find() (string, error) {
	if c.AsRoot && os.Geteuid() != 0 {
		return "", &StartError{126, "its project sets the user that it runs as, which only root can do"}
	}
	if c.Program != "" {
		if _, err := lookUp(c.Program, c.Dir); err != nil {
			return "", err
		}
	}
	return lookUp(c.Argv[0], c.Dir)
}

// lookUp finds the file of a program as execvp does, from dir.
func lookUp(program, dir string) (string, error) {
	if strings.Contains(program, "/") {
		at := program
		if !filepath.IsAbs(at) {
			at = filepath.Join(dir, at)
		}
		info, err := os.Stat(at)
		switch {
		case err != nil:
			return "", &StartError{127, fmt.Sprintf("program `%s` does not exist", at)}
		case info.IsDir():
			return "", &StartError{126, fmt.Sprintf("`%s` is a folder, not a program", at)}
		case info.Mode()&0o111 == 0:
			return "", &StartError{126, fmt.Sprintf("program `%s` is not executable: run `chmod +x` on it", at)}
		}
		return filepath.Abs(at)
	}
	found, err := exec.LookPath(program)
	if errors.Is(err, exec.ErrDot) {
		return "", &StartError{127, fmt.Sprintf("program `%s` is only in the current directory: write `./%s`", program, program)}
	}
	if err != nil {
		return "", &StartError{127, fmt.Sprintf("program `%s` was not found in any directory of PATH", program)}
	}
	return filepath.Abs(found)
}

// environ returns the inherited environment with additions, which replace inherited variables.
func environ(add []Var) []string {
	set := make(map[string]bool, len(add))
	for _, v := range add {
		set[v.Name] = true
	}
	inherited := os.Environ()
	env := make([]string, 0, len(inherited)+len(add))
	for _, kv := range inherited {
		if name, _, _ := strings.Cut(kv, "="); !set[name] {
			env = append(env, kv)
		}
	}
	last := map[string]int{}
	for i, v := range add {
		last[v.Name] = i
	}
	for i, v := range add {
		if last[v.Name] == i {
			env = append(env, v.Name+"="+v.Value)
		}
	}
	return env
}

// get requests url over HTTP; an answer without success is an error.
func get(ctx context.Context, url string) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(q)
	if err != nil {
		return err
	}
	answer.Body.Close()
	if answer.StatusCode >= 300 {
		return errors.New(answer.Status)
	}
	return nil
}
