package cli

import (
	"bytes"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/trace/forecast"
	"github.com/pentode-dev/pentode/runs/traced"
)

// TestTracedWithin: at the end of a run, a message says how well --overhead was kept, and which
// overhead no rate could reduce.
func TestTracedWithin(t *testing.T) {
	for _, test := range []struct {
		of   traced.Overhead
		want string
	}{
		{traced.Overhead{Share: 0.01}, "the program ended within a second, too early to compare with 1 %, and no rate was changed\n"},
		{
			traced.Overhead{Share: 0.01, Measured: true, Log: "traced/overhead.log", Made: 1, Kept: forecast.Kept{Windows: 30, Over: 1},
				Edit: []source.Change{{File: source.NewFile("trace_config.txt", ""), Text: "[Lexgion(User:step)]\n    tracing_rate = 8\n"}}},
			"in 1 of 30 seconds tracing took more than 1 %; 1 change of a rate in `traced/overhead.log`\n" +
				"this change sets the same rates from the start:\n" +
				"diff trace_config.txt trace_config.txt\n--- trace_config.txt\n+++ trace_config.txt\n@@ -0,0 +1,2 @@\n+[Lexgion(User:step)]\n+    tracing_rate = 8\n",
		},
		{
			traced.Overhead{Share: 0.01, Log: "traced/overhead.log", Kept: forecast.Kept{Windows: 1, Over: 1, Stuck: 1, Worst: forecast.Load{Thread: "thread 0 of process 7", Share: 0.06, Against: 0.05, Fixed: 0.01}}},
			"the cost of an event on this machine is unknown, so the cost on other machines is assumed; `pentode trace forecast --calibrate` measures it\n" +
				"in 1 of 1 second tracing took more than 1 %; 0 changes of rates in `traced/overhead.log`\n" +
				"in 1 of these no rate keeps 1 %: at worst tracing took about 6 % of thread 0 of process 7, 5 % for skipped events, which cost time until their domain is OFF, and 1 % for events without a rate\n",
		},
	} {
		var said bytes.Buffer
		(&app{err: &said}).tracedWithin(&test.of)
		if said.String() != test.want {
			t.Errorf("it said\n%s\nwant\n%s", said.String(), test.want)
		}
	}
}
