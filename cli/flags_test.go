package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestListedValues: a flag whose help lists its values refuses any other value, even if required arguments
// are missing.
func TestListedValues(t *testing.T) {
	seen := 0
	var walk func(*cobra.Command)
	walk = func(verb *cobra.Command) {
		for _, sub := range verb.Commands() {
			walk(sub)
		}
		verb.Flags().VisitAll(func(f *pflag.Flag) {
			words := choices(f)
			if words == nil {
				return
			}
			seen++
			args := append(strings.Fields(verb.CommandPath())[1:], "--"+f.Name+"="+words[0]+"x")
			var said strings.Builder
			want := "pentode: --" + f.Name + " takes " + words[0]
			if code := Run(Options{}, args, strings.NewReader(""), io.Discard, &said); code != exitMisuse || !strings.HasPrefix(said.String(), want) {
				t.Errorf("%q ends with %d: %s\nwant %s", args, code, said.String(), want)
			}
		})
	}
	walk(Command())
	if seen < 20 {
		t.Errorf("only %d flags list their values", seen)
	}
}
