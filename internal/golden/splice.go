package golden

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang"
)

var splices = flag.Int("splices", 0, "how many spliced texts a language is tried on; 0: 1,000 at full size, 200 otherwise")

// Splice checks Laws on texts that are spliced together from tokens of all cases. A
// fuzzer, which changes single bytes, would rarely produce, for example, a second header.
func Splice(t *testing.T, l *lang.Language, dir, name string) {
	odd := []string{" ", "\t", "\n", "\r\n", "\n\n", "#", ",", "=", "\\", "\"", "\v", "é", "\xff"}
	words := odd
	var cases [][]string
	for _, c := range Cases(t, dir) {
		tokens := l.Parse(c.File).Tokens()
		var text []string
		for _, tok := range tokens.Tokens {
			text = append(text, c.File.Text()[tok.Start:tok.End])
		}
		words = append(words, text...)
		if len(text) > 0 {
			cases = append(cases, text)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	count := *splices
	switch {
	case count > 0:
	case need.FullSize():
		count = 1000
	default:
		count = 200
	}
	for range count {
		whole := cases[random.IntN(len(cases))]
		from := random.IntN(len(whole))
		if random.IntN(2) == 0 {
			from = 0
		}
		part := whole[from:min(len(whole), from+1+random.IntN(80))]
		quiet := 4 + random.IntN(60) // on average, one word in this many is changed
		var b strings.Builder
		for _, word := range part {
			switch random.IntN(quiet) {
			case 0: // leave the word out
			case 1:
				b.WriteString(words[random.IntN(len(words))])
			case 2:
				b.WriteString(word)
				b.WriteString(words[random.IntN(len(words))])
			case 3:
				b.WriteString(odd[random.IntN(len(odd))])
				b.WriteString(word)
			default:
				b.WriteString(word)
			}
		}
		text := b.String()
		Laws(t, l, &load.Env{Opener: source.Map{name: text}, Dir: "."}, source.NewFile(name, text))
	}
}
