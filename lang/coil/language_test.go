package coil_test

import (
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang/coil"
)

// language looks for folders as --check-paths does, on a machine that has all
// but one.
var language = coil.New(coil.Options{PathExists: func(path string) bool { return path != "/does/not/exist" }})

func TestGolden(t *testing.T) { golden.Run(t, language, "testdata") }

func TestCodes(t *testing.T) { golden.Codes(t, language, "testdata", "x.coilcfg") }

func TestGoldenStyle(t *testing.T) { golden.Canonical(t, language, "canonical.coilcfg") }

func Fuzz(f *testing.F) { golden.Fuzz(f, language, "testdata", "x.coilcfg") }

func TestSplice(t *testing.T) { golden.Splice(t, language, "testdata", "x.coilcfg") }
