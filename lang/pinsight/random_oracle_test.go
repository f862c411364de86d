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

// TestRareOracle holds random files against the original program: its reader
// of configurations, built outside this repository, which PENTODE_PINSIGHT
// names. It takes one case for each line of its input, as cases.json has them, and
// answers with the state after it. PENTODE_SEED chooses other files.
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

// randomSeed is the seed that PENTODE_SEED names, else the usual one.
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
