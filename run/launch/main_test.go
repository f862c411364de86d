package launch

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
)

// TestMain lets the test binary act as the supervisor that a test kills.
func TestMain(m *testing.M) {
	if base := os.Getenv("LAUNCH_TEST_SUPERVISE"); base != "" {
		if err := superviseForTest(base); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	golden.Main(m)
}

// mustWork is a testing.TB for a program that is not a test.
type mustWork struct{ testing.TB }

func (mustWork) Helper() {}

func (mustWork) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// superviseForTest runs the supervisor that tests kill or signal, with one daemon and two processes with children in the folder base, or with a
// random plan.
func superviseForTest(base string) error {
	states, id := filepath.Join(base, "state"), victimID(base)
	d := crew(1, 2, filepath.Join(base, "daemon"), filepath.Join(base, "process"))
	if seed, err := strconv.ParseUint(os.Getenv("LAUNCH_TEST_PLAN"), 10, 64); err == nil {
		d, _ = randomPlan(mustWork{}, rand.New(rand.NewPCG(seed, 0)), base)
	}
	p, problems := NewPlan(d, Options{Run: id, StateDir: filepath.Join(states, id), Dir: base})
	if err := problems.Err(); err != nil {
		return err
	}
	dir, err := p.NewState(states, "", time.Now())
	if err != nil {
		return err
	}
	grace, err := time.ParseDuration(os.Getenv("LAUNCH_TEST_GRACE"))
	if err != nil {
		return err
	}
	result, err := Run(context.Background(), p, RunOptions{State: dir, Output: os.Stdout, Grace: grace, KeepGoing: os.Getenv("LAUNCH_TEST_KEEP_GOING") != ""})
	if err != nil {
		return err
	}
	os.Exit(result.Code)
	return nil
}

// victimID differs between folders, so that two of these tests may run at the same time.
func victimID(base string) string {
	h := fnv.New64a()
	io.WriteString(h, base)
	return fmt.Sprintf("victim-%x", h.Sum64())
}
