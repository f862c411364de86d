package pinsight

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/pentode-dev/pentode/run/trace"
)

// composer writes random trace configurations over a small vocabulary, so that sections and keys often interact.
type composer struct {
	*rand.Rand
	strings.Builder
	// wild files contain text that only an installed PInsight reads silently: unknown names, broken forms, numbers of C.
	wild bool
	hip  bool // a section for units of HIP was written; the original reads past an array at the second
}

func compose(seed, number uint64, wild bool) *composer {
	c := &composer{Rand: rand.New(rand.NewPCG(seed, number)), wild: wild}
	sections := 9
	if !wild {
		sections = 5 // the fewer, the fewer findings that are about something else
	}
	for range 1 + c.IntN(sections) {
		c.section()
	}
	return c
}

// oneIn returns true once in n times, at random.
func (c *composer) oneIn(n int) bool { return c.IntN(n) == 0 }

// odd is oneIn for text that clean files do not have.
func (c *composer) odd(n int) bool { return c.wild && c.oneIn(n) }

func pick[T any](c *composer, of ...T) T { return of[c.IntN(len(of))] }

func (c *composer) domain() string {
	if c.odd(25) {
		return pick(c, "Foo", "openmp", "", "OpenMP(task)")
	}
	return pick(c, "OpenMP", "OpenMP", "OpenMP", "MPI", "MPI", "CUDA", "Python", "HIP")
}

var (
	someEvents = map[string][]string{
		"OpenMP": {"omp_work", "omp_masked", "omp_task_create", "omp_implicit_task", "omp_sync_region_wait"},
		"MPI":    {"MPI_Send", "MPI_Recv", "MPI_Barrier", "MPI_Init"},
		"CUDA":   {"CUDA_kernel_launch", "CUDA_malloc", "CUDA_memcpy_HtoD"},
		"Python": {"pysysmon_py_start", "pysysmon_py_return", "pysysmon_c_start"},
		"HIP":    {"HIP_malloc", "HIP_kernel_launch"},
	}
	oddEvents = map[string][]string{
		"OpenMP": {"omp_flush", "omp_error", "omp_target_map_emi"}, "MPI": {"MPI_Test", "MPI_Put"}, "CUDA": {"CUDA_memset"},
		"Python": {"pysysmon_import"}, "HIP": {"HIP_memset"},
	}
	someKinds = map[string][]string{
		"OpenMP": {"thread", "thread", "team", "device"}, "MPI": {"rank"}, "CUDA": {"device"}, "Python": {"thread"}, "HIP": {"device"},
	}
	someRegions = []string{"0x10", "0x20", "0x400500", "alpha", "beta", "MPI:alpha", "a.c:alpha"}
)

func (c *composer) event(domain string) string {
	known := someEvents[domain]
	if domain == "OpenMP" && c.oneIn(12) {
		return pick(c, "omp_parallel_begin", "omp_parallel_end")
	}
	switch {
	case known == nil || c.odd(30):
		return pick(c, "omp_wrok", "MPI_Send", "")
	case c.odd(12):
		return pick(c, oddEvents[domain]...)
	}
	return pick(c, known...)
}

func (c *composer) kind(domain string) string {
	if known := someKinds[domain]; known != nil && !c.odd(15) {
		return pick(c, known...)
	}
	return pick(c, "ranks", "threads", "", "rank")
}

func (c *composer) set() string {
	if c.odd(10) {
		return pick(c, "", "a", "5-2", "0x2", "-1", "1 2", "1024", "1025", "0,,3", "0-3,", " 1 - 2 ", "*", "200", "0-300")
	}
	return pick(c, "0", "0-3", "1,3", "2-4, 7", "5")
}

func (c *composer) spec() string {
	d := c.domain()
	if c.odd(20) {
		return pick(c, d+"."+c.kind(d), d+"."+c.kind(d)+" ("+c.set()+")", d+"("+c.set()+")", d+"."+c.kind(d)+"("+c.set(), "."+d+"."+c.kind(d)+"(0)")
	}
	return d + "." + c.kind(d) + "(" + c.set() + ")"
}

func (c *composer) list(n int, separator string, one func() string) string {
	var all []string
	for range n {
		all = append(all, one())
	}
	return strings.Join(all, separator)
}

func (c *composer) section() {
	action := ""
	if c.oneIn(5) {
		action = pick(c, "SET ", "RESET ", "RESET ", "REMOVE ")
		if c.odd(12) {
			action = pick(c, " SET ", "SET\t", "set ", "Reset ", "DROP ", "SET  ")
		}
	}
	domain := c.domain()
	switch c.IntN(8) {
	case 0, 1:
		if action == "REMOVE " && !c.wild {
			action = ""
		}
		member := ".default"
		if c.odd(20) {
			member = pick(c, "", ".defaultfoo", ".thread(0).default", ".Default", " .default")
		}
		c.header(action, domain+member, "", "")
		c.body(action, func() { c.domainLine(domain) })
	case 2:
		c.unitSection(action)
	case 3:
		if action == "REMOVE " && !c.wild {
			action = ""
		}
		c.header(action, "Lexgion.default", c.inherit(), c.limits(!c.wild))
		c.body(action, func() { c.regionLine(domain) })
	case 4:
		if action == "REMOVE " && !c.wild {
			action = ""
		}
		target := "Lexgion(" + domain + ").default"
		if c.odd(20) {
			target = pick(c, "Lexgion( "+domain+" ).default", "Lexgion("+domain+").defaultx", "lexgion("+domain+").default")
		}
		c.header(action, target, c.inherit(), c.limits(!c.wild))
		c.body(action, func() { c.regionLine(domain) })
	case 5, 6:
		if action == "RESET " && !c.wild {
			action = ""
		}
		c.header(action, "Lexgion("+c.list(1+c.IntN(4)/3, ", ", c.region)+")", c.inherit(), c.limits(false))
		c.body(action, func() { c.regionLine(domain) })
	default:
		c.service()
	}
}

func (c *composer) region() string {
	if c.odd(12) {
		return pick(c, "0x0", "0X10", "16", "Python:a.py:f", "Foo:b:f", "", "x:", ":x", "0xzz", "MPI:", strings.Repeat("n", 140))
	}
	if !c.wild {
		return pick(c, someRegions[:6]...)
	}
	return pick(c, someRegions...)
}

func (c *composer) unitSection(action string) {
	if action == "RESET " && !c.wild {
		action = ""
	}
	domain := c.domain()
	for domain == "HIP" && c.hip {
		domain = c.domain()
	}
	c.hip = c.hip || domain == "HIP"
	target := domain + "." + c.kind(domain) + "(" + c.set() + ")"
	if c.odd(5) && domain != "HIP" {
		target += ", " + pick(c, "OpenMP", "MPI", "CUDA") + "." + pick(c, "thread", "rank", "device") + "(" + c.set() + ")"
	}
	if action == "REMOVE " && c.oneIn(3) {
		target = domain + "." + c.kind(domain) + "(*)"
	}
	inherit := ""
	if c.oneIn(3) {
		inherit = domain + ".default"
		if c.odd(3) {
			inherit = c.inherit()
		}
	}
	c.header(action, target, inherit, c.limits(false))
	c.body(action, func() { fmt.Fprintf(c, "    %s = %s\n", c.event(domain), c.onOff()) })
}

func (c *composer) header(action, target, inherit, limits string) {
	if !c.wild && (action == "RESET " || action == "REMOVE ") {
		inherit, limits = "", ""
	}
	c.WriteString("[" + action + target)
	if !c.odd(150) {
		c.WriteString("]")
	}
	switch {
	case limits != "" && c.odd(15):
		c.WriteString(" :" + inherit + ":" + limits + ": more")
	case limits != "":
		c.WriteString(" : " + inherit + " : " + limits)
	case inherit != "":
		c.WriteString(" : " + inherit)
	case c.odd(20):
		c.WriteString(pick(c, " # why", ":", " : :", " junk"))
	}
	c.WriteString("\n")
}

// inherit returns the second part of a header.
func (c *composer) inherit() string {
	if !c.oneIn(3) {
		return ""
	}
	list := map[string]bool{}
	var names []string
	for range 1 + c.IntN(3)/2 {
		if d := c.domain(); !list[d] {
			list[d], names = true, append(names, d+".default")
		}
	}
	if c.odd(10) {
		names = append(names, pick(c, "Lexgion.default", "OpenMP", "MPI.rank(0)", ""))
	}
	return strings.Join(names, ", ")
}

// limits returns the third part of a header.
func (c *composer) limits(none bool) string {
	if none || !c.oneIn(4) {
		return ""
	}
	if !c.wild {
		return c.spec()
	}
	return c.list(1+c.IntN(4)/3, ", ", c.spec)
}

func (c *composer) body(action string, line func()) {
	if !c.wild && (action == "RESET " || action == "REMOVE ") {
		return
	}
	for range c.IntN(4) {
		line()
	}
	if c.odd(15) {
		c.WriteString(pick(c, "# a comment\n", "; no comment\n", "\n", "no equals sign\n", "= 5\n", "x = \n", "    tracing_rate=3=4\r\n"))
	}
}

func (c *composer) onOff() string {
	if c.odd(8) {
		return pick(c, "ON", "1", "0", "true", "on # why", "")
	}
	return pick(c, "on", "off", "off")
}

func (c *composer) domainLine(domain string) {
	value := c.onOff()
	switch n := c.IntN(8); {
	case n == 0:
		mode := pick(c, "OFF", "STANDBY", "MONITORING", "TRACING", "TRACING")
		if c.odd(5) {
			mode = pick(c, "monitor", "of", "")
		}
		fmt.Fprintf(c, "    trace_mode = %s\n", mode)
	case n == 1:
		span := pick(c, "(0-3)", "(0-511)", "(2-7)")
		if c.odd(3) {
			span = pick(c, "(0, 15)", "5", "(10-2)", "[0-3]", "(0x10-0x20)", "(0-3, 8)", "(010)", "(-1-3)", "()")
		}
		fmt.Fprintf(c, "    %s.%s = %s\n", domain, c.kind(domain), span)
	case n == 2 && c.wild:
		fmt.Fprintf(c, "    device_activity = %s\n", pick(c, "on", "off", "leader_per_node", "rotate_per_node", "rotate_per_node:250", "rotate_per_node:x", "never", "on:5"))
	default:
		key := c.event(domain)
		if c.odd(10) {
			key = domain + "." + key
		}
		fmt.Fprintf(c, "    %s = %s\n", key, value)
	}
}

func (c *composer) number() string {
	if c.odd(8) {
		return pick(c, "abc", "10x", "0x10", "-5", "", "99999999999", "+3", "1 2")
	}
	return pick(c, "0", "1", "2", "3", "5")
}

func (c *composer) regionLine(domain string) {
	switch n := c.IntN(10); {
	case n < 2:
		fmt.Fprintf(c, "    trace_starts_at = %s\n", c.number())
	case n < 4:
		fmt.Fprintf(c, "    max_num_traces = %s\n", pick(c, c.number(), "-1", "4"))
	case n < 6:
		number := c.number()
		for !c.wild && number == "0" {
			number = c.number()
		}
		fmt.Fprintf(c, "    tracing_rate = %s\n", number)
	case n == 6 && c.wild:
		c.windowLine()
	default:
		if c.oneIn(4) {
			domain = c.domain()
		}
		key := domain + "." + c.event(domain)
		if c.oneIn(8) {
			key = c.event(domain)
		}
		fmt.Fprintf(c, "    %s = %s\n", key, c.onOff())
	}
}

func (c *composer) windowLine() {
	key, value := "window_end_action", ""
	switch c.IntN(6) {
	case 0:
		key, value = "window_timeout", c.number()
	case 1:
		key, value = "window_end_trigger", pick(c, "first", "all", "ALL", "anchor", "x")
	case 2:
		value = pick(c, "OFF", "STANDBY", "monitoring", "on")
	case 3:
		value = "INTROSPECT:" + pick(c, "5", "0", "-1", "x", "") + ":" + pick(c, "-", "a.sh", "") + pick(c, "", ":", ":OFF", ":MPI:STANDBY,OpenMP:OFF")
	default:
		value = c.list(1+c.IntN(3), pick(c, ",", ", ", " , "), func() string {
			return c.domain() + pick(c, ":", ":", " : ") + pick(c, "OFF", "STANDBY", "MONITORING", "TRACING", "device_activity=on", "x")
		})
	}
	fmt.Fprintf(c, "    %s = %s\n", key, value)
}

func (c *composer) service() {
	if !c.wild {
		c.WriteString("[Knob]\n    size = " + pick(c, "1", "2.5", "text") + "\n")
		return
	}
	switch c.IntN(3) {
	case 0:
		fmt.Fprintf(c, "[%sKnob]\n    %s = %s\n", pick(c, "", "", "RESET "), pick(c, "a", "b", "size"),
			pick(c, "1", "010", "0x1F", "5000000000", "1e3", "inf", "text", "1.5x", "-7", ""))
	case 1:
		fmt.Fprintf(c, "[Energy]\n    measure = %s\n", pick(c, "on", "off", "anyone_per_node", "rotate_per_node:50", "maybe"))
	default:
		fmt.Fprintf(c, "[Manifest]\n    interval = %s\n", c.number())
	}
}

// execution is one region, run several times with one event.
type execution struct {
	region trace.Region
	event  trace.EventID
	text   string // in the original's notation: Domain@event@region@count
	count  int
}

// executions returns random executions with names of the vocabulary.
func (c *composer) executions(n int) []execution {
	var list []execution
	for range n {
		domain := pick(c, "OpenMP", "OpenMP", "MPI", "CUDA", "HIP")
		name := pick(c, someEvents[domain]...)
		where := pick(c, "0x10", "0x20", "0x400500", "0x999", "alpha")
		x := execution{count: 14, text: fmt.Sprintf("%s@%s@%s@%d", domain, name, where, 14)}
		x.region.Domain, _ = Upstream().Domain(domain)
		x.event, _ = Upstream().Event(x.region.Domain, name)
		if address, ok := parseAddress(where); ok {
			x.region.Address = address
		} else {
			x.region.Name = where
		}
		list = append(list, x)
	}
	return list
}
