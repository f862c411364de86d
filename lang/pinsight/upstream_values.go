package pinsight

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/run/trace"
)

// values are the settings that lines or the environment wrote, with what they
// are in the end.
func (n *installed) values(yield func(origin.Entry) bool) {
	state := map[string]string{}
	var keys []string
	n.state(func(key, value string) {
		state[key] = value
		keys = append(keys, key)
	})
	for _, key := range keys {
		e := origin.Entry{Key: key, Value: state[key], Type: "string", Steps: n.steps[key], Implicit: n.steps[key] == nil}
		if e.Implicit {
			e.Steps = []origin.Step{{What: origin.Default, Text: e.Value, Note: "of an installed PInsight"}}
		} else if last := e.Decided(); last.Text != e.Value {
			e.Steps = append(slices.Clone(e.Steps), origin.Step{What: origin.Upstream, Text: e.Value, Note: "what an installed PInsight makes of it"})
		}
		if strings.HasSuffix(key, ".removed") || strings.HasSuffix(key, ".units") {
			e.Implicit = false
		}
		if !yield(e) {
			return
		}
	}
}

// state gives every key of the tables with its value.
func (n *installed) state(give func(key, value string)) {
	for i := range n.domains {
		dom, d := &n.domains[i], n.catalog.Domains()[i]
		give(d.Name+".default."+modeKey, dom.mode.String())
		for j, k := range d.Kinds {
			give(d.Name+".default."+d.Name+"."+k.Name, dom.ranges[j].String())
		}
		if len(n.catalog.policies[i]) > 0 {
			give(d.Name+".default."+policyKey.Name, dom.policy.String())
		}
		for _, e := range d.Events {
			give(d.Name+".default."+e.Name, switchText(dom.events.has(e.ID)))
		}
	}
	n.dflt.state(n, give)
	if !n.noFile {
		for i := range n.per {
			n.per[i].state(n, give)
		}
	}
	for i, d := range n.catalog.Domains() {
		for _, u := range n.domains[i].units {
			if more := u.more(); len(more) > 0 {
				give(u.name()+".units", unitsText(more))
			}
			for _, e := range d.Events {
				give(u.name()+"."+e.Name, switchText(u.events.has(e.ID)))
			}
		}
	}
	for _, e := range n.regions {
		e.state(n, give)
	}
	for _, k := range n.knobs {
		give("Knob."+k.name, knobText(k.value))
	}
	give("Energy.measure", n.energy.String())
	give("Manifest.interval", strconv.Itoa(int(n.interval)))
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

func (e *installedEntry) state(n *installed, give func(key, value string)) {
	if e.removed {
		give(e.section+".removed", "true")
		return
	}
	give(e.section+"."+startKey, signed(e.start))
	give(e.section+"."+maxKey, signed(e.max))
	give(e.section+"."+rateKey, signed(e.every))
	if e.constrained {
		give(e.section+".units", unitsText(e.units))
	}
	for _, d := range e.domains() {
		for _, ev := range n.catalog.Domains()[d].Events {
			give(e.section+"."+n.catalog.domainName(d)+"."+ev.Name, switchText(e.events[d].has(ev.ID)))
		}
	}
	if e.end.timeout != 0 {
		give(e.section+".window_timeout", strconv.Itoa(int(e.end.timeout)))
	}
	if e.end.all {
		give(e.section+".window_end_trigger", "all")
	}
	if text := e.end.text(n); text != "" {
		give(e.section+"."+endActionKey, text)
	}
}

// domains are those of which the entry has a mask, in order.
func (e *installedEntry) domains() []trace.DomainID {
	var list []trace.DomainID
	for d := range e.events {
		list = append(list, d)
	}
	slices.Sort(list)
	return list
}

func signed(v uint32) string { return strconv.Itoa(int(int32(v))) }

// text writes an end action as the language has it.
func (w *windowEnd) text(n *installed) string {
	var parts []string
	for i, d := range n.catalog.Domains() {
		if m, ok := w.modes[trace.DomainID(i)]; ok {
			parts = append(parts, d.Name+":"+m.String())
		}
		if p, ok := w.policies[trace.DomainID(i)]; ok {
			parts = append(parts, d.Name+":"+policyKey.Name+"="+p.String())
		}
	}
	text := strings.Join(parts, ", ")
	if w.introspect {
		text = "INTROSPECT:" + strconv.Itoa(int(w.pause)) + ":" + w.script + ":" + text
	}
	return text
}

// layers is the state as the trace engine takes it.
func (n *installed) layers() *trace.Installed {
	out := &trace.Installed{Modes: map[string]trace.Mode{}, PerDomain: map[string]trace.Entry{}, Default: n.entry(&n.dflt)}
	for i, d := range n.catalog.Domains() {
		out.Modes[d.Name] = n.domains[i].mode
		for j, k := range d.Kinds {
			r := n.domains[i].ranges[j]
			if r != (installedRange{int32(k.Low), int32(k.High)}) {
				out.Ranges = append(out.Ranges, trace.Range{Domain: d.Name, Kind: k.Name, Span: trace.Span{Lo: uint32(r.low), Hi: uint32(r.high)}})
			}
		}
		if !n.noFile {
			out.PerDomain[d.Name] = n.entry(&n.per[i])
		}
	}
	for _, e := range n.regions {
		if e.address == 0 && e.name == "" {
			continue // Lexgion(0x0): no code is there
		}
		out.Regions = append(out.Regions, trace.InstalledRegion{Match: n.match(e), Entry: n.entry(e), Removed: e.removed})
	}
	return out
}

func (n *installed) entry(e *installedEntry) trace.Entry {
	out := trace.Entry{Rate: trace.Rate{Start: e.start, Max: e.max, Every: e.every}, Events: map[string]trace.Events{}, Place: e.place}
	for d, m := range e.events {
		list := trace.Events{}
		for _, ev := range n.catalog.Domains()[d].Events {
			if m.has(ev.ID) {
				list[ev.Name] = trace.Toggle{On: true, Place: e.place}
			}
		}
		out.Events[n.catalog.domainName(d)] = list
	}
	if e.constrained {
		out.Units = constraints(e.units)
	}
	if !e.end.introspect && len(e.end.modes) > 0 {
		out.End = &trace.WindowEnd{Modes: map[string]trace.Mode{}, All: e.end.all}
		for d, m := range e.end.modes {
			out.End.Modes[n.catalog.domainName(d)] = m
		}
	}
	return out
}
