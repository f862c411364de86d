package web

import (
	"net/http"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
)

func postType() *flow.Type {
	return &flow.Type{
		Name: "http_post",
		Doc:  "Sends every datum it gets to one address.",
		In:   []flow.Port{{Name: "body", Type: flow.AnyType, Flags: flow.Required, Doc: "What to send; numbers are sent as digits."}},
		Out: []flow.Port{
			{Name: "body", Type: "string", Doc: "What the server answered."},
			{Name: "status", Type: "integer", Doc: "Status code of the answer."},
		},
		Keys: append(requestKeys(),
			flow.Key{Name: "url", Kind: flow.String, Required: true, Doc: "Address, appended to the key base."},
			flow.Key{Name: "content_type", Kind: flow.String, Default: "text/plain; charset=utf-8", Doc: "What the body is."},
		),
		Judge: judgeTimeout,
		New:   func() flow.Process { return &post{} },
	}
}

type post struct {
	client
	url, contentType string
	in               *flow.In
}

func (p *post) Setup(s *flow.Setup) error {
	p.in, p.url, p.contentType = s.In("body"), s.Value("url"), s.Value("content_type")
	return p.client.Setup(s)
}

func (p *post) Step(s flow.Step) error {
	return p.send(s, http.MethodPost, p.url, p.contentType, strings.NewReader(p.in.Take().Text()))
}
