package web

import (
	"net/http"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func postType() *pipe.Type {
	return &pipe.Type{
		Name: "http_post",
		Doc:  "Sends each datum to one web address.",
		In:   []pipe.Port{{Name: "body", Type: pipe.AnyType, Flags: pipe.Required, Doc: "The data to send; numbers are sent as digits."}},
		Out: []pipe.Port{
			{Name: "body", Type: "string", Doc: "The server's answer."},
			{Name: "status", Type: "integer", Doc: "Status code of the answer."},
		},
		Keys: append(requestKeys(),
			pipe.Key{Name: "url", Kind: pipe.String, Required: true, Doc: "Address, appended to the key base."},
			pipe.Key{Name: "content_type", Kind: pipe.String, Default: "text/plain; charset=utf-8", Doc: "Type of the body."},
		),
		Judge: judgeTimeout,
		New:   func() pipe.Process { return &post{} },
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

func (p *post) Step(s pipe.Step) error {
	return p.send(s, http.MethodPost, p.url, p.contentType, strings.NewReader(p.in.Take().Text()))
}
