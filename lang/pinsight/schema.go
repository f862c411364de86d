package pinsight

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/lang/pinsight/installed"
	"github.com/pentode-dev/pentode/run/trace"
)

// rateKeys are the keys that select which executions of a region are traced.
var rateKeys = []string{trace.StartKey, trace.MaxKey, trace.EveryKey}

var modes = []string{"OFF", "STANDBY", "MONITORING", "TRACING"}

// policyFormat matches a policy. Only the policy Rotate can have a time.
var policyFormat = "^(" + strings.Join(installed.Policies, "|") + ")$|^" + installed.Rotate + ":[0-9]+$"

// policyKey is a key of domains that observe devices.
var policyKey = &schema.Key{
	Name: installed.PolicyKey, Type: schema.Enum, Enum: installed.Policies, Format: policyFormat, Default: "off", Extension: true,
	Doc: "Which process of a node records the activity of its devices; with `rotate_per_node:MS` the processes take turns.",
}

// siteKey is a key of domains that launch kernels.
var siteKey = &schema.Key{
	Name: trace.SiteKey, Type: schema.Enum, Enum: []string{"on", "off"}, Default: "off", Extension: true,
	Doc: "Whether the trace records where each kernel was launched: function, file and line.",
}

// moduleKey is a key of the domain whose regions are functions of Python modules.
var moduleKey = &schema.Key{
	Name: trace.ModulesKey, Type: schema.String, Default: strings.Join(trace.DefaultModules(), ", "), Example: "__main__, solver.*", Extension: true,
	Doc: "The modules whose functions are traced: names with commas between them, in which `*` matches any text and `?` one letter. A function that a section names is traced in every module. An installed PInsight has no such key.",
}

// ownKeys returns the keys of D.default that only some domains have.
func (c *Catalog) ownKeys(d trace.DomainID) (list []*schema.Key) {
	if len(c.policies[d]) > 0 {
		list = append(list, policyKey)
	}
	switch c.Name(d) { // keys that depend on how these domains are traced
	case "CUDA":
		list = append(list, siteKey)
	case trace.Python:
		list = append(list, moduleKey)
	}
	return list
}

// ownKey returns the key with that name from ownKeys, or nil.
func (c *Catalog) ownKey(d trace.DomainID, key string) *schema.Key {
	for _, k := range c.ownKeys(d) {
		if k.Name == key {
			return k
		}
	}
	return nil
}

// ownKeyHome returns a domain for which ownKeys has the key, or "".
func ownKeyHome(key string) string {
	switch key {
	case policyKey.Name, siteKey.Name:
		return "CUDA"
	case moduleKey.Name:
		return trace.Python
	}
	return ""
}

var domainKeys = schema.Section{
	Name: "DOMAIN.default", Pattern: `\w+(\(\w+\))?\.default`,
	Doc: "Settings for all events and units of a domain. `[DOMAIN(GROUP).default]` does the same for one group of its events.",
	Keys: []schema.Key{
		{Name: trace.ModeKey, Type: schema.Enum, Enum: append(slices.Clone(modes), "MONITOR"), Default: "TRACING", Extension: true,
			Doc: "How much the domain does: nothing, stand by, count only, or trace."},
	},
}

var unitKeys = schema.Section{
	Name: "DOMAIN.KIND(SET)", Pattern: `\w+\.\w+\([^)]*\)(, \w+\.\w+\([^)]*\))*`,
	Doc: "Settings for some units of a domain: events only.",
}

var regionKeys = schema.Section{
	Name: "Lexgion(ADDRESS)", Pattern: `Lexgion\([^)]*\)`,
	Doc: "Settings for single regions of code, by address or name: events, and which executions are traced.",
	Keys: []schema.Key{
		{Name: trace.EveryKey, Type: schema.Int, Min: schema.At(1), Max: schema.At(1<<32 - 1), Default: "1",
			Doc: "Trace one execution out of this many: with 10 the executions 9, 19, 29 …, counted from 0."},
		{Name: trace.MaxKey, Type: schema.Int, Min: schema.At(-1), Max: schema.At(1<<31 - 1), Default: "-1",
			Doc: "Stop after this many traced executions; -1 means no limit."},
		{Name: trace.StartKey, Type: schema.Int, Min: schema.At(0), Max: schema.At(1<<32 - 1), Default: "0",
			Doc: "Trace nothing before this execution, counted from 0."},
		{Name: trace.BacktraceKey, Type: schema.Int, Min: schema.At(0), Max: schema.At(trace.MaxBacktrace), Default: "0",
			Doc: "Record this many of the calls that led to each traced execution, the innermost ones; 0 means none. An installed PInsight has no such key."},
		{Name: installed.EndActionKey, Type: schema.String, Extension: true, Example: "OpenMP:MONITORING, MPI:STANDBY",
			Doc: "The action when `max_num_traces` is reached: a mode for all domains, or for each; `INTROSPECT:PAUSE:SCRIPT` runs a script first."},
		{Name: installed.TimeoutKey, Type: schema.Int, Min: schema.At(0), Max: schema.At(1<<31 - 1), Default: "0", Extension: true,
			Doc: "End the window after this many seconds; 0 means never."},
		{Name: installed.TriggerKey, Type: schema.Enum, Enum: []string{"first", "all"}, Default: "first", Extension: true,
			Doc: "Whether the first region that reaches its limit ends the window, or the last."},
	},
}

var serviceKeys = []schema.Section{
	{Name: "Knob", Open: true, Doc: "Numbers and words for the program itself, by any name. An extension."},
	{Name: "Energy", Doc: "Energy measurement. An extension.", Keys: []schema.Key{
		{Name: "measure", Type: schema.Enum, Enum: installed.Policies, Format: policyFormat, Default: "off", Extension: true, Doc: "Which process of a node measures."},
	}},
	{Name: "Manifest", Doc: "The list of the parts of a trace. An extension.", Keys: []schema.Key{
		{Name: "interval", Type: schema.Int, Min: schema.At(0), Max: schema.At(1<<31 - 1), Default: "10", Extension: true, Doc: "Seconds between two writes; 0 means none."},
	}},
}

var serviceNames = []string{"Knob", "Energy", "Manifest"}

func serviceSchema(name string) *schema.Section {
	return &serviceKeys[slices.Index(serviceNames, name)]
}

// schemaOf returns the whole table, with the events of the catalogue.
func schemaOf(c *Catalog) *schema.Schema {
	s := &schema.Schema{
		Title: "PInsight trace configuration",
		Doc:   "Which events of a parallel program are traced, on which units, in which regions of code, and how often.",
	}
	states, region := []string{"on", "off"}, regionKeys
	for i, d := range c.Domains() {
		sec := schema.Section{Name: d.Name + ".default", Doc: domainKeys.Doc, Keys: slices.Clone(domainKeys.Keys)}
		for _, k := range d.Kinds {
			sec.Keys = append(sec.Keys, schema.Key{Name: d.Name + "." + k.Name, Type: schema.Set, Example: "(0-3)",
				Doc: "The units that are traced at all."})
		}
		for _, k := range c.ownKeys(trace.DomainID(i)) {
			sec.Keys = append(sec.Keys, *k)
		}
		for _, e := range d.Events {
			sec.Keys = append(sec.Keys, schema.Key{Name: e.Name, Type: schema.Enum, Enum: states, Default: trace.OnOff(e.On),
				Doc: "An event of the group " + e.Subdomain + "."})
		}
		s.Sections = append(s.Sections, sec)
	}
	bare, dotted := eventPatterns(c)
	events := schema.Key{Name: "EVENT", Pattern: dotted, Type: schema.Enum, Enum: states,
		Doc: "An event of any domain, also written `DOMAIN.EVENT`."}
	limits := schema.Key{Name: "units", Type: schema.String, Resolved: true, Doc: "The units that the third part of the header names."}
	removed := schema.Key{Name: "removed", Type: schema.Bool, Resolved: true, Doc: "Whether REMOVE removed the region."}
	units := unitKeys
	units.Keys = []schema.Key{{Name: "EVENT", Pattern: bare, Type: schema.Enum, Enum: states, Doc: "An event of the domain."}, limits}
	region.Keys = append(slices.Clone(region.Keys), events)
	global, perDomain := region, region
	region.Keys = append(slices.Clone(region.Keys), limits, removed)
	global.Name, global.Pattern, global.Doc = "Lexgion.default", "", "Settings for all regions of code."
	perDomain.Name, perDomain.Pattern, perDomain.Doc = "Lexgion(DOMAIN).default", `Lexgion\(\w+\)\.default`, "Settings for all regions of a domain."
	s.Sections = append(append(s.Sections, units, global, perDomain, region), serviceKeys...)
	return s
}

// eventPatterns returns regular expressions for the names of events: bare matches them without their domain,
// dotted with or without it.
func eventPatterns(c *Catalog) (bare, dotted string) {
	var names, full []string
	for i, d := range c.Domains() {
		own := strings.Join(c.EventNames(trace.DomainID(i)), "|")
		names = append(names, own)
		full = append(full, `(`+d.Name+`\.)?(`+own+`)`)
	}
	return strings.Join(names, "|"), strings.Join(full, "|")
}
