package scan

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// explored is a process type as plugin_explorer prints it.
type explored struct {
	Type          string         `json:"proc_type"`
	Description   string         `json:"description"`
	Properties    []string       `json:"properties"`
	Configuration []exploredKey  `json:"configuration"`
	Inputs        []exploredPort `json:"input_ports"`
	Outputs       []exploredPort `json:"output_ports"`
}

type exploredKey struct {
	Key, Default, Description string
	Tunable                   any // a string as printed, a boolean in corrected files
}

type exploredPort struct {
	Name, Type, Description string
	Flags                   []string
}

// Explorer reads the output of `plugin_explorer --proc all --fmt json` or `plugin_explorer --algo
// all -d`. The former does not escape defaults, so it may not be valid JSON; it is then read line
// by line.
func (s *Scanner) Explorer(name, text string) error {
	if strings.Contains(text, algorithmLine) || strings.Contains(text, briefLine) {
		s.sources++
		if s.exploredAlgorithms(name, text) {
			return nil
		}
	}
	var list []explored
	if json.Unmarshal([]byte(text), &list) != nil {
		list = readLines(text)
	}
	s.sources++
	found := false
	for i := range list {
		if isName(list[i].Type) {
			s.register(registration{listed: list[i].flow(name)})
			found = true
		}
	}
	if !found {
		return errors.New("it has no process types: expected the output of `plugin_explorer --proc all --fmt json` or `plugin_explorer --algo all -d`")
	}
	return nil
}

// flow returns the type in the engine's form. The program itself listed its keys, so they are
// complete.
func (e *explored) flow(name string) *pipe.Type {
	t := &pipe.Type{Name: e.Type, Doc: oneLine(e.Description), Properties: e.Properties, Version: name, Origin: name}
	for _, k := range e.Configuration {
		if k.Key == "" || slices.ContainsFunc(t.Keys, func(o pipe.Key) bool { return o.Name == k.Key }) {
			continue
		}
		tunable := k.Tunable == true || k.Tunable == "true"
		kind := pipe.String
		if k.Default == "" && strings.Contains(strings.ToLower(k.Description), "algorithm") {
			kind = pipe.Any // the block of an algorithm, whose keys are not listed
		}
		t.Keys = append(t.Keys, pipe.Key{Name: k.Key, Kind: kind, Default: k.Default, Doc: oneLine(k.Description), Tunable: tunable})
	}
	t.In = exploredPorts(e.Inputs, inputFlags)
	t.Out = exploredPorts(e.Outputs, outputFlags)
	return t
}

func exploredPorts(list []exploredPort, side pipe.Flags) []pipe.Port {
	var ports []pipe.Port
	for _, p := range list {
		if p.Name == "" || p.Type == "" || p.Name == pipe.HeartbeatPort || slices.ContainsFunc(ports, func(o pipe.Port) bool { return o.Name == p.Name }) {
			continue
		}
		port := pipe.Port{Name: p.Name, Type: p.Type, Doc: oneLine(p.Description)}
		if port.Type == pipe.DataDependent {
			port.Type = pipe.AnyType
		}
		for _, name := range p.Flags {
			f, _ := pipe.ParseFlags(name)
			port.Flags |= f
		}
		port.Flags = consistent(port.Flags, side)
		ports = append(ports, port)
	}
	return ports
}

// readLines reads the printed form: one item per line, `"key" : "value"`. A value ends at the last
// quote of its line; a value with line breaks continues up to the next line that ends in a quote.
func readLines(text string) []explored {
	var list []explored
	var in string // the list that is open
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimPrefix(strings.TrimSpace(lines[i]), ", ")
		quoted, isQuoted := strings.CutPrefix(line, `"`)
		name, value, isItem := strings.Cut(quoted, `" :`)
		if !isQuoted || !isItem {
			if n := len(list); n > 0 && isQuoted {
				list[n-1].addWord(in, strings.TrimSuffix(quoted, `"`))
			} else if n > 0 && line == "{" {
				list[n-1].addItem(in)
			}
			continue
		}
		if value = strings.TrimSpace(value); value == "" { // a list follows
			if name != "flags" {
				in = name
			}
			continue
		}
		rest := lines[i+1:]
		n := 0 // lines of the value after its first
		for closed := len(value) > 1 && strings.HasSuffix(value, `"`); !closed; n++ {
			if n == len(rest) {
				return list
			}
			closed = strings.HasSuffix(strings.TrimSpace(rest[n]), `"`)
		}
		value = strings.TrimRight(strings.Join(append([]string{value}, rest[:n]...), "\n"), " \t\r")
		value, i = value[1:len(value)-1], i+n
		if name == "proc_type" {
			list, in = append(list, explored{Type: value}), ""
		} else if len(list) > 0 {
			list[len(list)-1].set(in, name, value)
		}
	}
	return list
}

// addItem begins a key or a port.
func (e *explored) addItem(in string) {
	switch in {
	case "configuration":
		e.Configuration = append(e.Configuration, exploredKey{})
	case "input_ports":
		e.Inputs = append(e.Inputs, exploredPort{})
	case "output_ports":
		e.Outputs = append(e.Outputs, exploredPort{})
	}
}

// addWord adds a property of the type, or a flag of its last port.
func (e *explored) addWord(in, word string) {
	switch {
	case in == "properties":
		e.Properties = append(e.Properties, word)
	case in == "input_ports" && len(e.Inputs) > 0:
		p := &e.Inputs[len(e.Inputs)-1]
		p.Flags = append(p.Flags, word)
	case in == "output_ports" && len(e.Outputs) > 0:
		p := &e.Outputs[len(e.Outputs)-1]
		p.Flags = append(p.Flags, word)
	}
}

var printedEscapes = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t")

// set sets one item. Descriptions are escaped, everything else is not.
func (e *explored) set(in, name, value string) {
	if name == "description" {
		value = printedEscapes.Replace(value)
	}
	ports := &e.Inputs
	if in == "output_ports" {
		ports = &e.Outputs
	}
	switch {
	case in == "" || in == "properties":
		if name == "description" {
			e.Description = value
		}
	case in == "configuration" && len(e.Configuration) > 0:
		k := &e.Configuration[len(e.Configuration)-1]
		if name == "tunable" {
			k.Tunable = value
		}
		fill(map[string]*string{"key": &k.Key, "default": &k.Default, "description": &k.Description}, name, value)
	case len(*ports) > 0:
		p := &(*ports)[len(*ports)-1]
		fill(map[string]*string{"name": &p.Name, "type": &p.Type, "description": &p.Description}, name, value)
	}
}

// fill sets the field with this name; other names are ignored.
func fill(fields map[string]*string, name, value string) {
	if f := fields[name]; f != nil {
		*f = value
	}
}
