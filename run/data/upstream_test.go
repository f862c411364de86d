package data_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/golden"
)

// TestUpstreamErrors reports what is wrong with a tree in the words of the original program.
func TestUpstreamErrors(t *testing.T) {
	datatest.UpstreamErrors(t, golden.Root(t), nil, func(tree string) bool {
		return !strings.Contains(tree, "plugins:") && !strings.Contains(tree, "include:")
	})
}
