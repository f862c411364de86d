package pinsight

import (
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/run/trace"
)

// parseEnd reads window_end_action over what was there: trigger and timeout stay.
func (n *installed) parseEnd(value string, old windowEnd) windowEnd {
	end := windowEnd{
		all: old.all, timeout: old.timeout,
		modes: map[trace.DomainID]trace.Mode{}, policies: map[trace.DomainID]nodePolicy{},
	}
	modes := value
	if rest, ok := cutPrefixFold(value, "INTROSPECT:"); ok {
		end.introspect = true
		var after string
		end.pause, after, _ = decimal(rest)
		if after, ok = strings.CutPrefix(after, ":"); !ok {
			return end
		}
		end.script, modes, _ = strings.Cut(after, ":")
		end.script = end.script[:min(len(end.script), maxScript)]
	}
	for part := range strings.SplitSeq(modes, ",") {
		if part == "" {
			continue
		}
		domain, mode, ok := strings.Cut(part, ":")
		if !ok {
			for i := range n.domains {
				end.modes[trace.DomainID(i)] = installedMode(strings.Trim(part, " "))
			}
			continue
		}
		d, known := n.catalog.Domain(strings.Trim(domain, " "))
		if !known {
			continue
		}
		// What follows the mode belongs to it: a blank before the comma makes it unknown.
		mode = strings.TrimLeft(mode, " ")
		if policy, ok := strings.CutPrefix(mode, policyKey.Name+"="); ok {
			if len(n.catalog.policies[d]) > 0 {
				end.policies[d] = parsePolicy(policy)
			}
			continue
		}
		end.modes[d] = installedMode(mode)
	}
	return end
}

// maxScript is how much of a script's name it keeps.
const maxScript = 255

// start is what follows the first load: the environment, and Python's mode.
func (n *installed) start(env *load.Env) {
	for i, d := range n.catalog.Domains() {
		text, ok := env.Getenv("PINSIGHT_TRACE_" + strings.ToUpper(d.Name))
		if !ok {
			continue
		}
		mode := installedMode(text)
		if strings.EqualFold(text, "FALSE") || text == "0" {
			mode = trace.Off
		}
		n.domains[i].mode = mode
		n.fromEnv(d.Name+".default."+modeKey, mode.String(), "PINSIGHT_TRACE_"+strings.ToUpper(d.Name))
	}
	for _, name := range []string{"PINSIGHT_TRACE_WINDOW", "PINSIGHT_TRACE_RATE"} {
		if text, ok := env.Getenv(name); ok {
			n.window(text, name)
			break
		}
	}
	if text, ok := env.Getenv("PINSIGHT_MEASURE_ENERGY"); ok {
		n.energy = parsePolicy(text)
		n.fromEnv("Energy.measure", n.energy.String(), "PINSIGHT_MEASURE_ENERGY")
	}
	if d, ok := n.catalog.Domain("Python"); ok {
		n.domains[d].lastMode, n.domains[d].mode = n.domains[d].mode, trace.Standby
	}
}

// window is `start:max:rate:timeout[:action]`; as many numbers as there are
// count. It changes Lexgion.default only, after the others were copied from it.
func (n *installed) window(text, name string) {
	fields := []func(int32){
		func(v int32) { n.dflt.start = uint32(v) },
		func(v int32) { n.dflt.max = uint32(v) },
		func(v int32) { n.dflt.every = uint32(v) },
		func(v int32) { n.dflt.end.timeout = v },
	}
	keys := []string{startKey, maxKey, rateKey, "window_timeout"}
	rest := text
	for i, set := range fields {
		v, after, ok := decimal(rest)
		if !ok {
			break
		}
		set(v)
		n.fromEnv("Lexgion.default."+keys[i], strconv.Itoa(int(v)), name)
		if rest, ok = strings.CutPrefix(after, ":"); !ok {
			break
		}
	}
	// Whatever number of fields was read, the action is what follows the fourth colon.
	if parts := strings.SplitN(text, ":", 5); len(parts) == 5 && parts[4] != "" {
		n.dflt.end = n.parseEnd(parts[4], n.dflt.end)
		n.fromEnv("Lexgion.default."+endActionKey, parts[4], name)
	}
}

func (n *installed) fromEnv(key, text, variable string) {
	if n.steps[key] == nil {
		n.order = append(n.order, key)
	}
	n.steps[key] = append(n.steps[key], origin.Step{What: origin.Environment, Text: text, Note: variable})
}
