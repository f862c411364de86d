package coil_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/coil"
)

const acme = `{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"ACME_Tuning": {
  "required": ["Speed"], "additionalProperties": false,
  "properties": {"Speed": {"type": "integer", "minimum": 1, "maximum": 9}, "Mood": {"enum": ["calm", "keen"]}, "Ratio": {"type": "number"}, "On": {"type": "boolean"}}}}}`

// TestVendorSchema: a section is checked against its vendor's own schema. The
// findings are warnings, and the documented validator reports none.
func TestVendorSchema(t *testing.T) {
	sections, err := coil.VendorSchema(strings.NewReader(acme))
	if err != nil {
		t.Fatal(err)
	}
	l := coil.New(coil.Options{Vendors: sections})
	for text, want := range map[string][]string{
		"Speed = 3\nMood = keen\nRatio = 0.5\nOn = yes": nil,
		"Speed = 10":  {"warning vendor"},
		"Mood = calm": {"warning vendor"},
		"Speed = 3\nMood = angry\nRatio = x\nOn = maybe": {"warning vendor", "warning vendor", "warning vendor"},
		"Speed = 3\nSped = 4":                            {"warning vendor"},
	} {
		expect(t, resolved(l, source.Map{"x.coilcfg": with("[ACME_Tuning]\n" + text)}), want...)
	}
	validator := coil.New(coil.Options{Vendors: sections, Validator: true})
	expect(t, resolved(validator, source.Map{"x.coilcfg": with("[ACME_Tuning]\nSpeed = 10", "[NVIDIA_CUDA]\nSharedMemoryBankSize = x")}))
}

func TestVendorSchemaRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{`: "it is not a JSON Schema", `[]`: "it is not a JSON Schema", `{}`: "no `properties`",
		`{"properties": {"Target": {}}}`:                                    "not a vendor's section",
		`{"properties": {"A_B": {"properties": {"x": {"type": "tuple"}}}}}`: "has the type `tuple`",
	} {
		if _, err := coil.VendorSchema(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
