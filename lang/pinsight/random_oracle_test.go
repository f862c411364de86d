package pinsight

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// TestRareOracle compares random files with the original program: a build of its configuration reader, named by PENTODE_PINSIGHT. The reader takes
// one case per line of input, in the form of cases.json, and answers with the resulting state. PENTODE_SEED selects other files.
func TestRareOracle(t *testing.T) {
	program := os.Getenv("PENTODE_PINSIGHT")
	if program == "" {
		t.Skip("PENTODE_PINSIGHT names no reader of the original program; some of its answers to such files are in cases.json")
	}
	files := 18000
	if testing.Short() {
		files = 500
	}
	var input bytes.Buffer
	cases := make([]*oracleCase, files)
	for i := range cases {
		c := compose(randomSeed(t), uint64(i), true)
		text := c.String()
		var execs []string
		for _, x := range c.executions(3) {
			execs = append(execs, x.text)
		}
		args := []string{"--omp-thread", strconv.Itoa(c.IntN(5)), "--mpi-rank", strconv.Itoa(c.IntN(5))}
		cases[i] = &oracleCase{ID: strconv.Itoa(i), Input: []*string{&text}, Args: args}
		line, err := json.Marshal(map[string]any{"id": i, "input": []string{text}, "args": args, "exec": execs})
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(line, '\n'))
	}
	cmd := exec.Command(program, "--batch", "--full")
	cmd.Stdin, cmd.Stderr = &input, os.Stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(bytes.NewReader(output))
	answers.Buffer(nil, 1<<24)
	different, crashed := 0, 0
	for _, c := range cases {
		var answer struct {
			RC    int
			State map[string]any
		}
		if !answers.Scan() {
			t.Fatal("the original program answered fewer cases than it was asked")
		}
		d := json.NewDecoder(bytes.NewReader(answers.Bytes()))
		d.UseNumber()
		if err := d.Decode(&answer); err != nil {
			t.Fatal(err)
		}
		if answer.RC != 0 {
			crashed++
			continue
		}
		if !t.Run(c.ID, func(t *testing.T) { c.compare(t, answer.State) }) {
			t.Logf("file %s:\n%s", c.ID, *c.Input[0])
			if different++; different == 20 {
				t.Fatal("20 files are read differently; the others were not looked at")
			}
		}
	}
	t.Logf("%d files, %d on which the original program crashed", files, crashed)
}

// randomSeed returns the seed in PENTODE_SEED, or the usual one.
func randomSeed(t *testing.T) uint64 {
	text := os.Getenv("PENTODE_SEED")
	if text == "" {
		return 1
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return seed
}
