package remote

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/pentode-dev/pentode/run/flow"
)

// BenchmarkReport receives the reports of a run with a thousand working sites, each of which sends
// to the next.
func BenchmarkReport(b *testing.B) {
	const n = 1000
	c := &Coordinator{limits: Limits{}.filled(), sites: map[string]*member{}, order: Order{Phase: Running}, begun: time.Now()}
	var messages []*nats.Msg
	size := 0
	for i := range n {
		name := fmt.Sprintf("site%d", i)
		c.options.Sites = append(c.options.Sites, name)
		r := Report{
			Site: name, Instance: "6XWZQ2YJ7SVV4KQ3T2P5N7B4MA", Host: "node" + name, Phase: Running, Age: time.Hour,
			Edges: []EdgeReport{{Edge: i, Sends: true, Messages: 1e6, Taken: 1e6}, {Edge: (i + 1) % n, Messages: 1e6, Taken: 1e6}},
		}
		if i%4 == 0 { // every fourth report has figures
			p := flow.ProcessStats{Name: name, Type: "multiplication", Site: name}
			e := flow.EdgeStats{From: name + ".product", To: name + ".factor1"}
			r.Stats = &flow.Stats{Processes: []flow.ProcessStats{p}, Edges: []flow.EdgeStats{e, e}}
		}
		text, err := json.Marshal(r)
		if err != nil {
			b.Fatal(err)
		}
		size += len(text)
		messages = append(messages, &nats.Msg{Data: text})
	}
	for _, m := range messages {
		c.hear(m)
	}
	i := 0
	for b.Loop() {
		c.hear(messages[i%n])
		i++
	}
	b.ReportMetric(float64(size)/n, "bytes/report")
}
