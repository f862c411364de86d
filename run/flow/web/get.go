package web

import (
	"net/http"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func getType() *pipe.Type {
	return &pipe.Type{
		Name: "http_get",
		Doc:  "Fetches a web address for each datum.",
		In:   []pipe.Port{{Name: "url", Type: "string", Flags: pipe.Required, Doc: "Address, appended to the key base."}},
		Out: []pipe.Port{
			{Name: "body", Type: "string", Doc: "The server's answer."},
			{Name: "status", Type: "integer", Doc: "Status code of the answer."},
		},
		Keys:  requestKeys(),
		Judge: judgeTimeout,
		New:   func() pipe.Process { return &get{} },
	}
}

type get struct {
	client
	in *flow.In
}

func (g *get) Setup(s *flow.Setup) error {
	g.in = s.In("url")
	return g.client.Setup(s)
}

func (g *get) Step(s pipe.Step) error {
	return g.send(s, http.MethodGet, g.in.Take().Text(), "", nil)
}
