package pinsight_test

import (
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang/pinsight"
)

var language = pinsight.New(pinsight.Options{})

func TestGolden(t *testing.T) { golden.Run(t, language, "testdata") }

func TestCodes(t *testing.T) { golden.Codes(t, language, "testdata", "x.pinsight") }

func TestGoldenStyle(t *testing.T) { golden.Canonical(t, language, "canonical.pinsight") }

func Fuzz(f *testing.F) { golden.Fuzz(f, language, "testdata", "x.pinsight") }

func TestSplice(t *testing.T) { golden.Splice(t, language, "testdata", "x.pinsight") }
