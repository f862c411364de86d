package scan

import (
	"strings"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// The lines with which plugin_explorer begins an algorithm, in full and with -b.
const (
	algorithmLine = `Info on algorithm type "`
	briefLine     = "Algorithm type: "
)

// exploredAlgorithms reads the output of `plugin_explorer --algo all -d`:
//
//	Info on algorithm type "video_input" implementation "image_list"
//	  -- Configuration --
//	  "sort_by_time" = "false"
//	  Description:       Whether …
//
// Without -d no keys are printed, so they are open.
func (s *Scanner) exploredAlgorithms(name, text string) (found bool) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		a, ok := exploredHead(strings.TrimSpace(lines[i]))
		if !ok {
			continue
		}
		a.Version, a.Origin, a.Open = name, name, true
		var doc []string
		for i+1 < len(lines) && !startsAlgorithm(lines[i+1]) {
			i++
			line := strings.TrimSpace(lines[i])
			switch {
			case line == "-- Configuration --":
				a.Open = false
				a.Keys, i = exploredKeys(lines, i+1)
			case line != "" && !strings.HasPrefix(line, "Plugin ") && !strings.HasPrefix(line, "Creates "):
				doc = append(doc, line)
			}
		}
		a.Doc = oneLine(strings.Join(doc, " "))
		if isName(a.Name) && isName(a.Role) {
			s.register(registration{explored: a})
			found = true
		}
	}
	return found
}

// exploredHead returns the algorithm that a line begins.
func exploredHead(line string) (*pipe.Algorithm, bool) {
	if rest, ok := strings.CutPrefix(line, algorithmLine); ok {
		role, name, _ := strings.Cut(rest, `" implementation "`)
		return &pipe.Algorithm{Role: role, Name: strings.TrimSuffix(name, `"`)}, true
	}
	if rest, ok := strings.CutPrefix(line, briefLine); ok {
		role, name, _ := strings.Cut(rest, "Implementation:")
		return &pipe.Algorithm{Role: strings.TrimSpace(role), Name: strings.TrimSpace(name)}, true
	}
	return nil, false
}

// startsAlgorithm reports whether a line belongs to the next algorithm.
func startsAlgorithm(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, algorithmLine) || strings.HasPrefix(line, briefLine) || strings.HasPrefix(line, "------") || strings.HasPrefix(line, "Plugins that implement ")
}

// exploredKeys reads keys starting at line i, and returns the last line read. A value may have several lines.
func exploredKeys(lines []string, i int) ([]pipe.Key, int) {
	var keys []pipe.Key
	for ; i < len(lines) && !startsAlgorithm(lines[i]); i++ {
		line := strings.TrimSpace(lines[i])
		if quoted, ok := strings.CutPrefix(line, `"`); ok {
			name, value, isKey := strings.Cut(quoted, `" = "`)
			if isKey {
				for !strings.HasSuffix(value, `"`) && i+1 < len(lines) && !startsAlgorithm(lines[i+1]) {
					i++
					value += "\n" + strings.TrimRight(lines[i], " \t\r")
				}
				k := pipe.Key{Name: name, Kind: pipe.String, Default: strings.TrimSuffix(value, `"`)}
				if slot, _, nested := strings.Cut(name, ":"); nested { // the block of a nested algorithm, whose role is not printed
					k = pipe.Key{Name: slot, Kind: pipe.Any}
				}
				keys = addKey(keys, k)
				continue
			}
		}
		if n := len(keys) - 1; n >= 0 && keys[n].Kind != pipe.Any {
			keys[n].Doc = oneLine(keys[n].Doc + " " + strings.TrimPrefix(line, "Description:"))
		}
	}
	return keys, i - 1
}
