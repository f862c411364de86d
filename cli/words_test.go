package cli

import (
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestWords: names of verbs in other programs and earlier versions are refused with a suggestion, and
// the suggested verb exists.
func TestWords(t *testing.T) {
	for _, word := range slices.Sorted(maps.Keys(words)) {
		var said strings.Builder
		code := Run(Options{}, append(strings.Fields(word), "--some-flag"), strings.NewReader(""), io.Discard, &said)
		if want := "pentode: `" + word + "` is not a verb; it is `pentode " + words[word] + "`\n"; code != exitMisuse || said.String() != want {
			t.Errorf("%s ends with %d and says %s; want %d and %s", word, code, said.String(), exitMisuse, want)
		}
		verb, rest, err := (&app{}).root().Find(strings.Fields(words[word]))
		if err != nil || len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && rest[0] != "LANGUAGE" && verb.Name() != "control" {
			t.Errorf("%s is answered with `%s`, want a verb: %v, %v", word, words[word], rest, err)
		}
		for _, flag := range rest {
			if name, ok := strings.CutPrefix(flag, "--"); ok && verb.Flags().Lookup(name) == nil {
				t.Errorf("%s is answered with `%s`, and `%s` has no flag --%s", word, words[word], verb.CommandPath(), name)
			}
		}
	}
}
