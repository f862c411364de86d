package coil

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/schema"
)

// vendorSections are the example sections of the language's document.
var vendorSections = []schema.Section{
	{Name: "NVIDIA_SpecialFeatures", Open: true, Doc: "The resources of an NVIDIA GPU for a block of threads.", Keys: []schema.Key{
		{Name: "SharedMemorySize", Type: schema.Int, Min: schema.At(0), Doc: "Shared memory of a block, in bytes."},
		{Name: "MaxRegistersPerThread", Type: schema.Int, Min: schema.At(1), Max: schema.At(255), Doc: "Registers of one thread."},
		{Name: "WarpSize", Type: schema.Int, Min: schema.At(32), Max: schema.At(32), Doc: "Threads that run together."},
	}},
	{Name: "NVIDIA_CUDA", Open: true, Doc: "CUDA's view of an NVIDIA GPU.", Keys: []schema.Key{
		{Name: "ComputeCapability", Type: schema.String, Format: `^[0-9]+\.[0-9]+[af]?$`, Example: "7.0", Doc: "The generation: 7.0 is SM_70."},
		{Name: "SharedMemoryBankSize", Type: schema.Int, Enum: []string{"4", "8"}, Doc: "Bytes of one bank."},
		{Name: "WarpScheduling", Type: schema.String, Doc: "How warps are chosen."},
	}},
	{Name: "ARM_NEON", Open: true, Doc: "The abilities of ARM's vector unit.", Keys: []schema.Key{
		{Name: "FP16", Type: schema.Bool, Doc: "Half-precision arithmetic."},
		{Name: "Dot", Type: schema.Bool, Doc: "Dot products."},
		{Name: "FMA", Type: schema.Bool, Doc: "Fused multiply and add."},
	}},
}

// knownVendors are vendors whose sections are accepted without a schema.
var knownVendors = []string{"NVIDIA", "ARM", "AMD", "Intel", "Apple", "Qualcomm", "IBM", "TI", "COIL"}

func (m *Model) vendorNames() []string {
	names := slices.Clone(knownVendors)
	for _, s := range m.opts.Vendors {
		vendor, _, _ := strings.Cut(s.Name, "_")
		names = append(names, vendor)
	}
	return names
}

func (m *Model) knowsVendor(name string) bool {
	return slices.Contains(knownVendors, name) || slices.ContainsFunc(m.opts.Vendors, func(s schema.Section) bool {
		return strings.HasPrefix(s.Name, name+"_")
	})
}

// WithVendors adds the sections of the vendor's schema that `coil.vendor-schema` in pentode.toml names.
func (o Options) WithVendors(r io.Reader) (Options, error) {
	more, err := VendorSchema(r)
	o.Vendors = slices.Concat(o.Vendors, more)
	return o, err
}

// isVendor reports whether a section's name begins with a vendor and an underscore.
func isVendor(name string) bool {
	vendor, rest, ok := strings.Cut(name, "_")
	if !ok || vendor == "" || rest == "" || !isLetter(vendor[0]) {
		return false
	}
	for i := 1; i < len(vendor); i++ {
		if !isLetter(vendor[i]) && !isDigit(vendor[i]) {
			return false
		}
	}
	return true
}

// VendorSchema reads sections from a JSON Schema of draft-07, the form in which the language's document
// gives its own schema: the `properties` of the root are sections, and their properties are keys. It
// supports the keywords type, enum, minimum, maximum, required, description and additionalProperties.
func VendorSchema(r io.Reader) ([]schema.Section, error) {
	var root struct {
		Properties map[string]jsonSection `json:"properties"`
	}
	if err := json.NewDecoder(io.LimitReader(r, 4<<20)).Decode(&root); err != nil {
		return nil, fmt.Errorf("it is not a JSON Schema: %s", plainJSON(err))
	}
	if len(root.Properties) == 0 {
		return nil, errors.New("it has no `properties`, which are the sections")
	}
	var list []schema.Section
	for _, name := range slices.Sorted(maps.Keys(root.Properties)) {
		if !isVendor(name) {
			return nil, fmt.Errorf("`%s` is not a vendor's section: its name begins with the vendor and `_`", problem.Clip(name, problem.Short))
		}
		s, err := root.Properties[name].section(name)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func plainJSON(err error) string {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("a mistake at byte %d", syntax.Offset)
	case errors.As(err, &typ):
		return fmt.Sprintf("`%s` has the wrong type", typ.Field)
	}
	return "it ends too early"
}

type jsonSection struct {
	Description string             `json:"description"`
	Properties  map[string]jsonKey `json:"properties"`
	Required    []string           `json:"required"`
	Additional  *bool              `json:"additionalProperties"`
}

type jsonKey struct {
	Type        string   `json:"type"`
	Description string   `json:"description"`
	Enum        []any    `json:"enum"`
	Minimum     *float64 `json:"minimum"`
	Maximum     *float64 `json:"maximum"`
}

var jsonTypes = map[string]schema.Type{
	"": schema.String, "string": schema.String, "integer": schema.Int, "number": schema.Float, "boolean": schema.Bool, "array": schema.List,
}

func (s jsonSection) section(name string) (schema.Section, error) {
	out := schema.Section{Name: name, Doc: s.Description, Open: s.Additional == nil || *s.Additional}
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		k := s.Properties[key]
		typ, ok := jsonTypes[k.Type]
		if !ok {
			return out, fmt.Errorf("`%s.%s` has the type `%s`; known are string, integer, number, boolean and array", name, problem.Clip(key, problem.Short), problem.Clip(k.Type, problem.Short))
		}
		row := schema.Key{Name: key, Type: typ, Doc: k.Description, Required: slices.Contains(s.Required, key)}
		for _, e := range k.Enum {
			row.Enum = append(row.Enum, fmt.Sprint(e))
		}
		if k.Minimum != nil {
			row.Min = schema.At(*k.Minimum)
		}
		if k.Maximum != nil {
			row.Max = schema.At(*k.Maximum)
		}
		out.Keys = append(out.Keys, row)
	}
	return out, nil
}
