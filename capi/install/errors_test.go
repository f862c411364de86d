package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// included are the files that trees in testdata/errors.txt include.
var included = map[string]string{
	"self.yml":      "include: self.yml\n",
	"first.yml":     "include: second.yml\n",
	"second.yml":    "include: first.yml\n",
	"data.yml":      "data: {x: int}\n",
	"more.yml":      "data: {x: double}\n",
	"wrong.yml":     "data: {x: nosuch}\n",
	"directive.yml": "include: {file: [a]}\n",
}

// TestErrors makes stores of trees with errors, and compares the status and the message with
// the original's. testdata/errors.txt has the trees, each with a line of what the original
// returned; PROGRAM is the path of the program.
func TestErrors(t *testing.T) {
	p := prefix(t)
	text, err := os.ReadFile(testdata(t, "errors.txt"))
	if err != nil {
		t.Fatal(err)
	}
	program := compile(t, p, "errors.c")
	var trees, want []string
	var in strings.Builder
	for block := range strings.SplitSeq(string(text), "\n=> ") {
		answer, tree, more := strings.Cut(block, "\n\n")
		if len(trees) > 0 {
			status, quoted, _ := strings.Cut(strings.TrimSpace(answer), " ")
			message, err := strconv.Unquote(quoted)
			if err != nil {
				t.Fatalf("%s: %v", quoted, err)
			}
			message = strings.ReplaceAll(message, "PROGRAM", program)
			want = append(want, fmt.Sprintf("%s %d\n%s\n", status, len(message), message))
		} else {
			tree, more = block, true
		}
		if more {
			trees = append(trees, tree+"\n")
			fmt.Fprintf(&in, "%d\n%s\n", len(tree)+1, tree)
		}
	}
	dir := t.TempDir()
	for name, text := range included {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program)
	cmd.Dir, cmd.Stdin, cmd.Env = dir, strings.NewReader(in.String()), append(os.Environ(), "PENTODE_CHECK=off")
	var got strings.Builder
	cmd.Stderr = &got
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, got.String())
	}
	rest := got.String()
	for i, w := range want {
		if after, ok := strings.CutPrefix(rest, w); ok {
			rest = after
			continue
		}
		header, after, _ := strings.Cut(rest, "\n")
		_, count, _ := strings.Cut(header, " ")
		length, err := strconv.Atoi(count)
		if err != nil || length >= len(after) {
			t.Fatalf("the program wrote\n%s\nwant err nil and length less than %v", rest, len(after))
		}
		t.Errorf("%s\n got %s %q\nwant %q", trees[i], header, after[:length], w)
		rest = after[length+1:]
	}
	if len(want) < 200 || len(want) != len(trees) || rest != "" {
		t.Errorf("%d trees have %d answers, and the program wrote more:\n%s", len(trees), len(want), rest)
	}
}
