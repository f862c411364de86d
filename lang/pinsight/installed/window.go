package installed

import (
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/run/trace"
)

// parseEnd reads window_end_action. The trigger and the timeout stay as in old.
func (n *State) parseEnd(value string, old WindowEnd) WindowEnd {
	end := WindowEnd{
		All: old.All, Timeout: old.Timeout,
		Modes: map[trace.DomainID]trace.Mode{}, Policies: map[trace.DomainID]NodePolicy{},
	}
	modes := value
	if rest, ok := cutPrefixFold(value, "INTROSPECT:"); ok {
		end.Introspect = true
		pause, after, _ := strtol(rest, 10)
		end.Pause = int32(pause)
		if after, ok = strings.CutPrefix(after, ":"); !ok {
			return end
		}
		end.Script, modes, _ = strings.Cut(after, ":")
		end.Script = end.Script[:min(len(end.Script), maxScript)]
	}
	for part := range strings.SplitSeq(modes, ",") {
		if part == "" {
			continue
		}
		domain, mode, ok := strings.Cut(part, ":")
		if !ok {
			for i := range n.Domains {
				end.Modes[trace.DomainID(i)], _ = trace.ParseMode(strings.Trim(part, " "))
			}
			continue
		}
		d, known := n.catalog.Domain(strings.Trim(domain, " "))
		if !known {
			continue
		}
		// Text after the mode counts as part of it, so a blank before the comma makes the mode unknown.
		mode = strings.TrimLeft(mode, " ")
		if policy, ok := strings.CutPrefix(mode, PolicyKey+"="); ok {
			if len(n.policies[d]) > 0 {
				end.Policies[d] = parsePolicy(policy, noPolicy)
			}
			continue
		}
		end.Modes[d], _ = trace.ParseMode(mode)
	}
	return end
}

// maxScript is the number of bytes of a script's name that the program keeps.
const maxScript = 255

// The environment variables that Start reads.
const (
	windowVariable = "PINSIGHT_TRACE_WINDOW"
	rateVariable   = "PINSIGHT_TRACE_RATE"
	energyVariable = "PINSIGHT_MEASURE_ENERGY"
)

// modeVariable returns the variable that sets the mode of a domain.
func modeVariable(domain string) string { return "PINSIGHT_TRACE_" + strings.ToUpper(domain) }

// Variable is an environment variable, with the key that has the same effect.
type Variable struct{ Name, Instead string }

// Variables returns the variables that Start reads.
func Variables(c *trace.Catalog) []Variable {
	const window = "`" + trace.StartKey + "`, `" + trace.MaxKey + "` and `" + trace.EveryKey + "` in `[Lexgion.default]`"
	list := []Variable{{windowVariable, window}, {rateVariable, window}, {energyVariable, "`measure` in `[Energy]`"}}
	for _, d := range c.Domains() {
		list = append(list, Variable{modeVariable(d.Name), "`" + trace.ModeKey + "` in `[" + d.Name + ".default]`"})
	}
	return list
}

// Start does what PInsight does after the first load: it reads the environment variables, and puts Python on standby until the launcher of the
// script has loaded its modules.
func (n *State) Start(env *load.Env) {
	for i, d := range n.catalog.Domains() {
		text, ok := env.Getenv(modeVariable(d.Name))
		if !ok {
			continue
		}
		mode, _ := trace.ParseMode(text)
		if strings.EqualFold(text, "FALSE") || text == "0" {
			mode = trace.Off
		}
		n.Domains[i].Mode = mode
		n.fromEnv(d.Name+".default."+trace.ModeKey, mode.String(), modeVariable(d.Name))
	}
	for _, name := range []string{windowVariable, rateVariable} {
		if text, ok := env.Getenv(name); ok {
			n.window(text, name)
			break
		}
	}
	if text, ok := env.Getenv(energyVariable); ok {
		n.Energy = parsePolicy(text, n.Energy)
		n.fromEnv("Energy.measure", n.Energy.String(), energyVariable)
	}
	if d, ok := n.catalog.Domain("Python"); ok {
		n.Domains[d].LastMode, n.Domains[d].Mode = n.Domains[d].Mode, trace.Standby
		n.Domains[d].Waits = true
	}
}

// window reads `start:max:rate:timeout[:action]`, in which the last numbers may be missing. It changes only Lexgion.default, because the other
// sections have already been copied from it.
func (n *State) window(text, name string) {
	fields := []func(int32){
		func(v int32) { n.Default.Start = uint32(v) },
		func(v int32) { n.Default.Max = uint32(v) },
		func(v int32) { n.Default.Every = uint32(v) },
		func(v int32) { n.Default.End.Timeout = v },
	}
	keys := []string{trace.StartKey, trace.MaxKey, trace.EveryKey, TimeoutKey}
	rest := text
	for i, set := range fields {
		v, after, ok := strtol(rest, 10)
		if !ok {
			break
		}
		set(int32(v))
		n.fromEnv("Lexgion.default."+keys[i], strconv.Itoa(int(int32(v))), name)
		if rest, ok = strings.CutPrefix(after, ":"); !ok {
			break
		}
	}
	// The action is the text after the fourth colon, however many numbers were read.
	if parts := strings.SplitN(text, ":", 5); len(parts) == 5 && parts[4] != "" {
		n.Default.End = n.parseEnd(parts[4], n.Default.End)
		n.fromEnv("Lexgion.default."+EndActionKey, parts[4], name)
	}
}
