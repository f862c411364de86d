package data_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/golden"
)

// TestUpstreamErrors checks the errors of trees against the original program's messages.
func TestUpstreamErrors(t *testing.T) {
	datatest.UpstreamErrors(t, golden.Root(t), nil, func(tree string) bool {
		return !strings.Contains(tree, "plugins:") && !strings.Contains(tree, "include:")
	})
}
