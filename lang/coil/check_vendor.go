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

// checkVendors holds vendors' sections against the schemas that are known for
// them. Findings are warnings: the language leaves such sections to their vendors.
func (m *Model) checkVendors() {
	if m.opts.Validator {
		return
	}
	for _, tables := range [][]schema.Section{vendorSections, m.opts.Vendors} {
		for i := range tables {
			if sec := m.section(tables[i].Name); sec != nil && sec.vendor {
				m.checkVendor(sec, &tables[i])
			}
		}
	}
	m.checkNVIDIA()
}

func (m *Model) checkVendor(sec *Section, table *schema.Section) {
	for i := range table.Keys {
		k := &table.Keys[i]
		s := sec.get(k.Name)
		if s == nil {
			if k.Required {
				m.report(vendorValue, sec.At, "`[%s]` lacks the key `%s` that its vendor requires", clip(sec.Name), k.Name)
			}
			continue
		}
		if why := vendorMistake(k, s); why != "" {
			m.report(vendorValue, s.Text, "`%s` takes %s, not `%s`", k.Name, why, clip(s.Text.Text()))
		}
	}
	for _, s := range sec.settings {
		if table.Key(s.Key) != nil {
			continue
		}
		near := m.meant(s.Key, table.KeyNames())
		switch {
		case !table.Open:
			m.report(vendorValue, s.Name, "`%s` is not a key of `[%s]`", clip(s.Key), clip(sec.Name)).Suggest(false, near)
		case near != "" && sec.get(near) == nil:
			m.report(vendorValue, s.Name, "`%s` is not a key that `[%s]` is known to have", clip(s.Key), clip(sec.Name)).Suggest(false, near)
		}
	}
}

// vendorMistake says what a key takes where the value is something else.
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

// checkNVIDIA holds what NVIDIA's sections say against the compute capability
// that the features name.
func (m *Model) checkNVIDIA() {
	if m.machine.pu != "GPU" || m.machine.arch == nil || m.machine.arch.Name != "NVIDIA" {
		return
	}
	for _, it := range m.items(targetSection, "Features") {
		if m.machine.isa == nil {
			return
		}
		f := m.machine.isa.Feature(it.Key)
		if f.Feature == nil {
			continue
		}
		cc, ok := target.ComputeCapability(f.Name)
		limits, known := target.NVIDIA(f.Name)
		if !ok || !known {
			continue
		}
		if s := m.get("NVIDIA_CUDA", "ComputeCapability"); s != nil {
			if want := fmt.Sprintf("%d.%d", cc/10, cc%10); strings.TrimRight(s.Value.Text, "af") != want {
				m.report(vendorValue, s.Text, "the compute capability of `%s` is %s, not `%s`", it.Text, want, clip(s.Value.Text)).At(it.Span, "the feature")
			}
		}
		m.atMost("MaxRegistersPerThread", limits.Registers, it)
		m.atMost("SharedMemorySize", limits.SharedOptIn, it)
		return
	}
}

func (m *Model) atMost(key string, most int, device Item) {
	s := m.get("NVIDIA_SpecialFeatures", key)
	if s == nil || s.Value.Type != schema.Int || s.Value.Int <= uint64(most) || key == "MaxRegistersPerThread" && s.Value.Int > 255 {
		return
	}
	m.report(vendorValue, s.Text, "`%s` is at most %d on `%s`, not `%s`", key, most, device.Text, clip(s.Value.Text)).At(device.Span, "the feature")
}
