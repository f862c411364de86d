package coil_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/run/target"
)

// TestPlatform checks that the platform section has its own keys and values and must fit the
// machine. The documented validator ignores the section.
func TestPlatform(t *testing.T) {
	section := func(lines string) string { return with("[Linker]\nOutputFormat = ELF\n\n[Pentode_Platform]\n" + lines) }
	for _, c := range []struct {
		lines string
		want  []string
	}{
		{"OS = Linux\nOSVersion = 5.10\nLibc = musl\nLibcVersion = 1.2.3\nCodeModel = Medium\nPositionIndependence = PIE\nFloatABI = Hard\nTLSModel = InitialExec\nAtomicWidth = 64", nil},
		{"OS = Windows", []string{"error platform"}},
		{"OS = Plan9", []string{"error enum"}},
		{"OSVersion = new\nOS = Linux", []string{"error type"}},
		{"AtomicWidth = 24", []string{"error enum"}},
		{"AtomicWidth = 128", []string{"error platform"}},
		{"Colour = red", []string{"warning unknown-key"}},
	} {
		files := source.Map{"x.coilcfg": section(c.lines)}
		t.Run(strings.ReplaceAll(c.lines, "\n", " "), func(t *testing.T) {
			expect(t, resolved(language, files), c.want...)
			expect(t, resolved(coil.New(coil.Options{Validator: true}), files))
		})
	}
	expect(t, resolved(language, source.Map{"x.coilcfg": with("[Pentode_Plattform]\nOS = Linux")}), "warning unknown-section")
	misspelt := strings.Replace(section("AtomicWidth = 128"), "Mode = 64\n", "Mode = 64\nFeatures = CX1\n", 1)
	expect(t, resolved(language, source.Map{"x.coilcfg": misspelt}), "error feature-unknown") // one mistake, one message

	got := read(t, source.NewFile("x.coilcfg", section("OS = Linux\nLibc = musl\nTLSModel = LocalExec\nAtomicWidth = 32"))).Platform
	if want := (target.Platform{OS: "Linux", Libc: "musl", TLSModel: "LocalExec", AtomicWidth: 32}); got != want {
		t.Errorf("%+v, want %v", got, want)
	}
}
