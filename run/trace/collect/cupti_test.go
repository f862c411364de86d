//go:build linux

package collect

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// offsets lists where CUPTI has each member and number that the agent declares. The header is not
// available everywhere, so its values are kept in this file:
//
//	agent's member, CUPTI's, offset, size
//	agent's number, CUPTI's, value
const offsets = "testdata/cuda/offsets.txt"

// cuptiRows returns the rows of the file, and the text above them.
func cuptiRows(t *testing.T) (head, rows string) {
	t.Helper()
	text, err := os.ReadFile(offsets)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			head += line
		} else {
			rows += line
		}
	}
	return head, rows
}

// printed compiles and runs a program that prints the rows with the values of a header. column
// selects whether to use the agent's names or CUPTI's.
func printed(t *testing.T, gcc, include, rows string, column int, flags ...string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "#include <stddef.h>\n#include <stdio.h>\n#include %s\nint main(void)\n{\n", include)
	for line := range strings.Lines(rows) {
		names := strings.Fields(line)[:2]
		if record, member, ok := strings.Cut(names[column], "."); ok {
			if column == 0 {
				record = "struct " + record
			}
			fmt.Fprintf(&b, "\tprintf(\"%s %s %%zu %%zu\\n\", offsetof(%s, %s), sizeof ((%s *)0)->%s);\n", names[0], names[1], record, member, record, member)
		} else {
			fmt.Fprintf(&b, "\tprintf(\"%s %s %%d\\n\", (int)%s);\n", names[0], names[1], names[column])
		}
	}
	b.WriteString("}\n")
	program := filepath.Join(t.TempDir(), "print")
	compile := exec.Command(gcc, append(flags, "-x", "c", "-", "-o", program)...)
	compile.Stdin = strings.NewReader(b.String())
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// The agent's declarations of CUPTI match the file.
func TestCuptiPrefixes(t *testing.T) {
	gcc := need.Compiler(t, "gcc")
	_, rows := cuptiRows(t)
	if got := printed(t, gcc, `"cupti_api.h"`, rows, 0, "-I../agent/src"); got != rows {
		t.Errorf("the agent has\n%s\nand CUPTI\n%s\nwant %v", got, rows, rows)
	}
}

// The file matches CUPTI's header. -update writes the file.
func TestRareCuptiHeader(t *testing.T) {
	gcc := need.Compiler(t, "gcc")
	head, rows := cuptiRows(t)
	flags := []string{"-Itestdata/cuda", "-I/usr/local/cuda/include", "-I/usr/local/cuda/extras/CUPTI/include"}
	asked := exec.Command(gcc, append(flags, "-fsyntax-only", "-x", "c", "-")...)
	if asked.Stdin = strings.NewReader("#include <cupti.h>\n"); asked.Run() != nil {
		t.Skip("no header of CUPTI is here; CPATH may name its folder")
	}
	got := printed(t, gcc, `"cupti_types.h"`, rows, 1, flags...)
	if golden.Updating() {
		if err := os.WriteFile(offsets, []byte(head+got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != rows {
		t.Errorf("the header of this machine has\n%s\nand it is written down\n%s\nwant %v", got, rows, rows)
	}
}
