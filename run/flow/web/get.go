package web

import "github.com/pentode-dev/pentode/run/flow"

func getType() *flow.Type {
	return &flow.Type{
		Name: "http_get",
		Doc:  "Fetches an address for every datum it gets.",
		In:   []flow.Port{{Name: "url", Type: "string", Flags: flow.Required, Doc: "Address, appended to the key base."}},
		Out: []flow.Port{
			{Name: "body", Type: "string", Doc: "What the server answered."},
			{Name: "status", Type: "integer", Doc: "Status code of the answer."},
		},
		Keys: requestKeys(),
	}
}

func requestKeys() []flow.Key {
	return []flow.Key{
		{Name: "timeout", Kind: flow.Double, Default: "30", Tunable: true, Doc: "Seconds until a request is given up."},
		{Name: "max_body", Kind: flow.Unsigned, Default: "16777216", Doc: "Largest answer accepted, in bytes."},
		{Name: "error_mode", Kind: flow.String, Default: "abort", Choices: []string{"abort", "pass"}, Doc: "What to do when a request fails or its status is 400 or more: fail, or emit an error datum."},
		{Name: "header", Kind: flow.Any, Doc: "header:NAME = value adds a header."},
		{Name: "base", Kind: flow.String, Doc: "Start of every address."},
	}
}
