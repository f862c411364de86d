package pdi_test

import (
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang/pdi"
)

var language = pdi.New(pdi.Options{})

func TestGolden(t *testing.T) { golden.Run(t, language, "testdata") }

func TestCodes(t *testing.T) { golden.Codes(t, language, "testdata", "x.yml") }

func TestCanonical(t *testing.T) { golden.Canonical(t, language, "canonical.yml") }

func Fuzz(f *testing.F) { golden.Fuzz(f, language, "testdata", "x.yml") }

func TestSplice(t *testing.T) { golden.Splice(t, language, "testdata", "x.yml") }
