package installed

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/run/trace"
)

// Values yields the settings that a line or an environment variable made, with their final values.
func (n *State) Values(yield func(origin.Entry) bool) {
	state := map[string]string{}
	var keys []string
	n.state(func(key, value string) {
		state[key] = value
		keys = append(keys, key)
	})
	for _, key := range keys {
		e := origin.Entry{Key: key, Value: state[key], Type: typeOf(key), Steps: n.steps[key], Implicit: n.steps[key] == nil}
		if e.Implicit {
			e.Steps = []origin.Step{{What: origin.Default, Text: e.Value, Note: "of an installed PInsight"}}
		} else if last := e.Decided(); last.Text != e.Value {
			e.Steps = append(slices.Clone(e.Steps), origin.Step{What: origin.Upstream, Text: e.Value, Note: "as an installed PInsight reads it"})
		}
		if strings.HasSuffix(key, ".removed") || strings.HasSuffix(key, ".units") {
			e.Implicit = false
		}
		if !yield(e) {
			return
		}
	}
}

// typeOf returns the type of a key's value; most values are words.
func typeOf(key string) string {
	switch key[strings.LastIndexByte(key, '.')+1:] {
	case trace.StartKey, trace.MaxKey, trace.EveryKey, TimeoutKey, "interval":
		return "int"
	case "removed":
		return "bool"
	}
	return "string"
}

// state calls give with the key and value of everything in the tables.
func (n *State) state(give func(key, value string)) {
	for i := range n.Domains {
		dom, d := &n.Domains[i], n.catalog.Domains()[i]
		give(d.Name+".default."+trace.ModeKey, dom.atWork().String())
		for _, k := range d.Kinds {
			give(d.Name+".default."+d.Name+"."+k.Name, dom.Ranges[k.Name].String())
		}
		if len(n.policies[i]) > 0 {
			give(d.Name+".default."+PolicyKey, dom.Policy.String())
		}
		for _, e := range d.Events {
			give(d.Name+".default."+e.Name, trace.OnOff(dom.Events.Has(e.ID)))
		}
	}
	n.Default.state(n, give)
	if !n.noFile {
		for i := range n.PerDomain {
			n.PerDomain[i].state(n, give)
		}
	}
	for i, d := range n.catalog.Domains() {
		for _, u := range n.Domains[i].Units {
			section := u.target.String()
			if more := u.more(); len(more) > 0 {
				give(section+".units", more.String())
			}
			for _, e := range d.Events {
				give(section+"."+e.Name, trace.OnOff(u.Events.Has(e.ID)))
			}
		}
	}
	for _, e := range n.Regions {
		e.state(n, give)
	}
	for _, k := range n.Knobs {
		give("Knob."+k.Name, knobText(k.Value))
	}
	give("Energy.measure", n.Energy.String())
	give("Manifest.interval", strconv.Itoa(int(n.Interval)))
}

func knobText(v any) string {
	switch v := v.(type) {
	case int32:
		return strconv.Itoa(int(v))
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return v.(string)
}

func (e *Entry) state(n *State, give func(key, value string)) {
	if e.Removed {
		give(e.section+".removed", "true")
		return
	}
	give(e.section+"."+trace.StartKey, signed(e.Start))
	give(e.section+"."+trace.MaxKey, signed(e.Max))
	give(e.section+"."+trace.EveryKey, signed(e.Every))
	if e.Constrained {
		give(e.section+".units", e.Units.String())
	}
	for _, d := range slices.Sorted(maps.Keys(e.Events)) {
		for _, ev := range n.catalog.Domains()[d].Events {
			give(e.section+"."+n.catalog.Name(d)+"."+ev.Name, trace.OnOff(e.Events[d].Has(ev.ID)))
		}
	}
	if e.End.Timeout != 0 {
		give(e.section+"."+TimeoutKey, strconv.Itoa(int(e.End.Timeout)))
	}
	if e.End.All {
		give(e.section+"."+TriggerKey, "all")
	}
	if text := e.End.text(n); text != "" {
		give(e.section+"."+EndActionKey, text)
	}
}

func signed(v uint32) string { return strconv.Itoa(int(int32(v))) }

// text returns an end action in the syntax of the language.
func (w *WindowEnd) text(n *State) string {
	var parts []string
	for i, d := range n.catalog.Domains() {
		if m, ok := w.Modes[trace.DomainID(i)]; ok {
			parts = append(parts, d.Name+":"+m.String())
		}
		if p, ok := w.Policies[trace.DomainID(i)]; ok {
			parts = append(parts, d.Name+":"+PolicyKey+"="+p.String())
		}
	}
	text := strings.Join(parts, ", ")
	if w.Introspect {
		text = "INTROSPECT:" + strconv.Itoa(int(w.Pause)) + ":" + w.Script + ":" + text
	}
	return text
}

// RateOnly are the two events of OpenMP that PInsight records whenever the rate allows, whether they are on or off. The first one decides for the
// region, and the second one follows it.
var RateOnly = []string{"omp_parallel_begin", "omp_parallel_end"}

// atWork returns the mode of the domain while the program works. A domain that waits is then no longer on standby.
func (d *Domain) atWork() trace.Mode {
	if d.Waits {
		return d.LastMode
	}
	return d.Mode
}

// Policy compiles the state for the trace engine.
func (n *State) Policy() (*trace.Policy, error) { return trace.Compile(n.catalog, n.Layers()) }

// Layers returns the state in the form that the trace engine takes.
func (n *State) Layers() *trace.Installed {
	out := &trace.Installed{Modes: map[string]trace.Mode{}, Activity: map[string]trace.Activity{}, PerDomain: map[string]trace.Entry{}, Default: n.entry(&n.Default)}
	for i, d := range n.catalog.Domains() {
		out.Modes[d.Name], out.Activity[d.Name] = n.Domains[i].atWork(), trace.ParseActivity(n.Domains[i].Policy.String())
		for _, k := range d.Kinds {
			r := n.Domains[i].Ranges[k.Name]
			if r != (Range{int32(k.Low), int32(k.High)}) {
				out.Ranges = append(out.Ranges, trace.Range{Domain: d.Name, Kind: k.Name, Span: trace.Span{Lo: uint32(r.Low), Hi: uint32(r.High)}})
			}
		}
		if !n.noFile {
			out.PerDomain[d.Name] = n.entry(&n.PerDomain[i])
		}
	}
	if d, ok := n.catalog.Domain("OpenMP"); ok {
		out.RateOnly = map[string]trace.Events{"OpenMP": {}}
		for _, name := range RateOnly {
			if _, has := n.catalog.Event(d, name); has {
				out.RateOnly["OpenMP"][name] = trace.Toggle{On: true}
			}
		}
	}
	for _, e := range n.Regions {
		if e.Address == 0 && e.Name == "" {
			continue // skip Lexgion(0x0), which matches no code
		}
		out.Regions = append(out.Regions, trace.InstalledRegion{Match: n.match(e), Entry: n.entry(e), Removed: e.Removed})
	}
	return out
}

func (n *State) entry(e *Entry) trace.Entry {
	out := trace.Entry{Rate: trace.Rate{Start: e.Start, Max: e.Max, Every: e.Every}, Events: map[string]trace.Events{}, Place: e.place}
	for d, m := range e.Events {
		list := trace.Events{}
		for _, ev := range n.catalog.Domains()[d].Events {
			if m.Has(ev.ID) {
				list[ev.Name] = trace.Toggle{On: true, Place: e.place}
			}
		}
		out.Events[n.catalog.Name(d)] = list
	}
	if e.Constrained {
		out.Units = n.limits(e)
	}
	out.Timeout = uint32(max(e.End.Timeout, 0))
	if e.End.Introspect || len(e.End.Modes) > 0 || len(e.End.Policies) > 0 {
		out.End = &trace.WindowEnd{Modes: map[string]trace.Mode{}, Activity: map[string]trace.Activity{}, All: e.End.All}
		for d, p := range e.End.Policies {
			out.End.Activity[n.catalog.Name(d)] = trace.ParseActivity(p.String())
		}
		for d, m := range e.End.Modes {
			out.End.Modes[n.catalog.Name(d)] = m
		}
		if e.End.Introspect {
			out.End.Introspect = &trace.Introspection{Script: e.End.Script, Pause: e.End.Pause}
		}
	}
	return out
}

// limits returns the units to which a region is limited. If PInsight knew none of the listed units, the result is an empty set, so no unit
// matches.
func (n *State) limits(e *Entry) trace.Constraints {
	if len(e.Units) > 0 {
		return e.Units
	}
	d := n.catalog.Domains()[0]
	return trace.Constraints{{Domain: d.Name, Kind: d.Kinds[0].Name, Place: e.place}}
}
