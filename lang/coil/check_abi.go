package coil

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/run/target/table"
)

// abi checks the settings for calls: the calling convention, its registers and its
// numbers.
func (c *checker) abi() {
	if s := c.good(abiSection, "StackAlignment"); s != nil && s.Value.Int > target.MaxStackAlignment {
		c.report(largeValue, s.Text, "COIL's binary form holds a stack alignment of at most %d", target.MaxStackAlignment)
	}
	if s := c.good(abiSection, "RedZoneSize"); s != nil && s.Value.Int > target.MaxRedZone {
		c.report(largeValue, s.Text, "COIL's binary form holds a red zone of at most %d bytes", target.MaxRedZone)
	}
	if c.machine.mode == nil {
		return
	}
	abi := c.convention()
	if abi != nil && !abi.Any {
		c.abiNumber(abi, "StackAlignment", "a stack alignment", abi.Stack, target.MaxStackAlignment)
		c.abiNumber(abi, "RedZoneSize", "a red zone", abi.RedZone, target.MaxRedZone)
	}
	c.registers(abi, "ParameterRegisters")
	c.registers(abi, "ReturnRegisters")
}

// convention returns the ABI, or nil if it is custom or not given.
func (c *checker) convention() *table.ABI {
	s := c.good(abiSection, "Name")
	if s == nil {
		return nil
	}
	name, arch, bits := s.Value.Text, c.machine.arch.Name, c.machine.mode.Bits
	abi, homes := c.tables.ABI(name, c.machine.pu, arch, bits)
	switch {
	case abi != nil:
		c.spelling(s.Text, s.Value.quoted, name, abi.Name)
		c.abiNeeds(s, abi)
	case len(homes) > 0:
		d := c.report(abiArch, s.Text, "`%s` is the ABI of %s, not of %s in mode %d", name, strings.Join(homes, " and of "), arch, bits)
		c.because(d, targetSection, "Architecture")
		if there := c.tables.ABIsOn(c.machine.pu, arch, bits); len(there) > 0 {
			d.Helped("possible are %s, or a name of your own", and(there))
		}
	default:
		d := c.report(customABI, s.Text, "`%s` is not a known ABI; it is taken for your own", name)
		if near := c.nearest(name, c.tables.ABIsOn(c.machine.pu, arch, bits)); near != "" {
			d.Helped("%s", problem.DidYouMean(near))
		}
	}
	return abi
}

// abiNumber reports a number that contradicts the convention. A number over the limit
// has its own message.
func (c *checker) abiNumber(abi *table.ABI, key, what string, want int, limit uint64) {
	s := c.good(abiSection, key)
	if s == nil || s.Value.Int == uint64(want) || s.Value.Int > limit {
		return
	}
	d := c.report(abiNumbers, s.Text, "the ABI `%s` has %s of %d bytes, not %d", abi.Name, what, want, s.Value.Int).
		Helped("leave `%s` out; with another number it is your own ABI and needs its own name", key)
	c.because(d, abiSection, "Name")
}

// abiNeeds reports missing features that an ABI requires.
func (c *checker) abiNeeds(s *Setting, abi *table.ABI) {
	has, sure := c.has()
	if !sure {
		return
	}
	var lacks []string
	for _, key := range abi.Needs {
		f := c.machine.isa.Feature(key)
		if need, _ := c.machine.isa.Meaning([]string{key}); f.Feature != nil && !need.Within(has) {
			lacks = append(lacks, f.Name)
		}
	}
	if len(lacks) > 0 && !c.machine.isa.Open {
		c.report(abiNeeds, s.Text, "the ABI `%s` needs `%s`, which the target does not name", abi.Name, strings.Join(lacks, "`, `")).
			Helped("add it to `Features` in `[Target]`")
	}
}

// registers checks a list of registers, first alone and then against the convention.
func (c *checker) registers(abi *table.ABI, key string) {
	s := c.good(abiSection, key)
	if s == nil || len(s.Value.Items) == 0 {
		return
	}
	mode := c.machine.mode
	if mode.NoRegisters {
		c.report(noRegisters, s.Text, "%s has no registers that a program could name", c.machine.arch.Name).
			Helped("leave `%s` out", key)
		return
	}
	if abi != nil && abi.Any || len(mode.Registers) == 0 {
		return
	}
	seen := map[string]Item{}
	names := make([]string, 0, len(s.Value.Items))
	fine := true
	for _, it := range s.Value.Items {
		name := strings.ToLower(it.Key)
		switch first, there := seen[name]; {
		case !mode.HasRegister(it.Key):
			if fine = false; c.crowded() {
				return
			}
			c.unknownRegister(it)
		case there:
			c.report(repeatedElement, it.Span, "the register `%s` is listed twice", it.Text).At(first.Span, "here before")
		default:
			c.registerSpelling(it)
		}
		seen[name] = it
		names = append(names, name)
	}
	if abi == nil || !fine {
		return
	}
	want := abi.Parameters
	if key == "ReturnRegisters" {
		want = abi.Returns
	}
	if !slices.EqualFunc(names, want, strings.EqualFold) {
		d := c.report(abiRegisters, s.Text, "the ABI `%s` has other registers here", abi.Name)
		if len(want) == 0 {
			d.Helped("it has none: everything is on the stack")
		} else {
			d.Helped("they are `%s`; with other registers it is your own ABI and needs its own name", strings.Join(want, ","))
		}
		c.because(d, abiSection, "Name")
	}
}

// registerSpelling reports a register that is not written in its usual case.
func (c *checker) registerSpelling(it Item) {
	if it.Text == strings.ToLower(it.Text) || c.crowded() {
		return
	}
	names := c.machine.mode.RegisterNames()
	if i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, it.Text) }); i >= 0 {
		_, quoted := unquote(it.Raw)
		c.spelling(it.Span, quoted, it.Text, names[i])
	}
}

func (c *checker) unknownRegister(it Item) {
	mode := c.machine.mode
	d := c.report(unknownRegister, it.Span, "`%s` is not a register of %s in mode %d", it.Text, c.machine.arch.Name, mode.Bits)
	if list := c.registerRange(it.Text); list != nil {
		d.Helped("registers are listed one by one: `%s`", strings.Join(list, ","))
		return
	}
	c.because(d, targetSection, c.refusing(it))
	if near := c.nearest(it.Text, mode.RegisterNames()); near != "" && len(it.Text) > 2 {
		d.Suggest(false, near)
	}
}

// refusing returns the key to blame for an unknown register: Mode if another mode of
// the architecture has the register, else Architecture.
func (c *checker) refusing(it Item) string {
	for _, bits := range c.machine.arch.Bits() {
		if _, mode := c.machine.arch.Mode(bits); mode != c.machine.mode && mode.HasRegister(it.Key) {
			return "Mode"
		}
	}
	return "Architecture"
}

// registerRange expands `r8-r15`. It returns nil if a text is not a range of
// registers.
func (c *checker) registerRange(text string) []string {
	low, high, ok := strings.Cut(strings.ToLower(text), "-")
	if !ok || len(text) > 16 {
		return nil
	}
	low, high = strings.TrimSpace(low), strings.TrimSpace(high)
	if !c.machine.mode.HasRegister(low) || !c.machine.mode.HasRegister(high) {
		return nil
	}
	if list := table.Expand([]string{low + ".." + high}); len(list) > 1 {
		return list
	}
	return nil
}
