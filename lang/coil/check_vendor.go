package coil

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/run/target"
)

// vendorSections checks vendors' sections against their known schemas. Findings
// are warnings, since the language leaves such sections to the vendors.
func (c *checker) vendorSections() {
	if c.opts.Validator {
		return
	}
	for _, tables := range [][]schema.Section{vendorSections, c.opts.Vendors} {
		for i := range tables {
			if sec := c.section(tables[i].Name); sec != nil && sec.vendor {
				c.vendorSection(sec, &tables[i])
			}
		}
	}
	c.nvidia()
}

func (c *checker) vendorSection(sec *Section, table *schema.Section) {
	for i := range table.Keys {
		k := &table.Keys[i]
		s := sec.get(k.Name)
		if s == nil {
			if k.Required {
				c.report(vendorValue, sec.At, "`[%s]` lacks the key `%s` that its vendor requires", sec.Name, k.Name)
			}
			continue
		}
		if why := vendorMistake(k, s); why != "" {
			c.report(vendorValue, s.Text, "`%s` takes %s, not `%s`", k.Name, why, s.Text.Text())
		}
	}
	for _, s := range sec.settings {
		if table.Key(s.Key) != nil {
			continue
		}
		near := c.nearest(s.Key, table.KeyNames())
		switch {
		case !table.Open:
			c.report(vendorValue, s.Name, "`%s` is not a key of `[%s]`", s.Key, sec.Name).Suggest(false, near)
		case near != "" && sec.get(near) == nil:
			c.report(vendorValue, s.Name, "`%s` is not a key that `[%s]` is known to have", s.Key, sec.Name).Suggest(false, near)
		}
	}
}

// vendorMistake returns a phrase for the values that a key takes if the value
// is not one of them, or "".
func vendorMistake(k *schema.Key, s *Setting) string {
	text := s.Value.Text
	number, err := strconv.ParseFloat(text, 64)
	switch k.Type {
	case schema.Int:
		n, fits, ok := parseInt(text)
		if !ok || !fits || s.Value.quoted {
			return "a whole number"
		}
		number, err = float64(n), nil
	case schema.Float:
		if err != nil {
			return "a number"
		}
	case schema.Bool:
		if _, ok := parseBool(text); !ok || s.Value.quoted {
			return "true or false"
		}
		return ""
	}
	if (k.Type == schema.Int || k.Type == schema.Float) && (k.Min.Set && number < k.Min.Value || k.Max.Set && number > k.Max.Value) {
		if k.Min == k.Max {
			return strconv.FormatFloat(k.Min.Value, 'f', -1, 64)
		}
		return k.Range()
	}
	if len(k.Enum) > 0 && k.Type != schema.List && !slices.Contains(k.Enum, text) {
		return "one of " + and(k.Enum)
	}
	if k.Format != "" && !regexp.MustCompile(k.Format).MatchString(text) {
		return "a value such as " + k.Example
	}
	return ""
}

// nvidia checks NVIDIA's sections against the compute capability named in the
// features.
func (c *checker) nvidia() {
	if c.machine.pu != "GPU" || c.machine.arch == nil || c.machine.arch.Name != "NVIDIA" {
		return
	}
	for _, it := range c.items(targetSection, "Features") {
		if c.machine.isa == nil {
			return
		}
		f := c.machine.isa.Feature(it.Key)
		if f.Feature == nil {
			continue
		}
		cc, ok := target.ComputeCapability(f.Name)
		limits, known := target.NVIDIA(f.Name)
		if !ok || !known {
			continue
		}
		if s := c.Lookup("NVIDIA_CUDA", "ComputeCapability"); s != nil {
			if want := fmt.Sprintf("%d.%d", cc/10, cc%10); strings.TrimRight(s.Value.Text, "af") != want {
				c.report(vendorValue, s.Text, "the compute capability of `%s` is %s, not `%s`", it.Text, want, s.Value.Text).At(it.Span, "the feature")
			}
		}
		c.atMost("MaxRegistersPerThread", limits.Registers, it)
		c.atMost("SharedMemorySize", limits.SharedOptIn, it)
		return
	}
}

func (c *checker) atMost(key string, limit int, device Item) {
	s := c.Lookup("NVIDIA_SpecialFeatures", key)
	if s == nil || s.Value.Type != schema.Int || s.Value.Int <= uint64(limit) || key == "MaxRegistersPerThread" && s.Value.Int > 255 {
		return
	}
	c.report(vendorValue, s.Text, "`%s` is at most %d on `%s`, not `%s`", key, limit, device.Text, s.Value.Text).At(device.Span, "the feature")
}
