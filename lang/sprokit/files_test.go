package sprokit_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit"
)

// TestReadOnlyFolder: a folder in which no files may be created is reported at the name of the file.
func TestReadOnlyFolder(t *testing.T) {
	const text = "process a :: numbers\nprocess p :: print_number\n  output = results/n.txt\nconnect from a.number to p.number\n"
	for _, allowed := range []bool{false, true} {
		env := &load.Env{Dir: ".", Opener: source.Map{"a.pipe": text}}
		env.Folder = func(string) ([]string, bool) { return nil, true }
		asked := ""
		env.Writable = func(folder string) bool { asked = folder; return allowed }
		found := sprokit.New(sprokit.Options{}).Parse(source.NewFile("a.pipe", text)).Resolve(env).Diagnostics()
		if asked != "results" || len(found) != map[bool]int{false: 1}[allowed] {
			t.Fatalf("allowed %v: asked for `%s`, found %v; want results asked for, and one finding where it is not allowed", allowed, asked, found)
		}
		if !allowed && (found[0].Code.ID != "sprokit/no-folder" || found[0].Span.Text() != "results/n.txt" || !strings.Contains(found[0].Message, "you may not create files in the folder `results`")) {
			t.Errorf("have %s at %s, want sprokit/no-folder at results/n.txt, that the folder `results` lets no files be made", found[0].Message, found[0].Span)
		}
	}
}
