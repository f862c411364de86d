package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A client sends the requests of one process and outputs the answers.
type client struct {
	base    string
	timeout time.Duration
	limit   int64
	pass    bool
	header  http.Header
	body    *flow.Out
	status  *flow.Out
	http    http.Client
}

func requestKeys() []pipe.Key {
	return []pipe.Key{
		{Name: "timeout", Kind: pipe.Double, Default: "30", Tunable: true, Doc: "Seconds after which a request fails."},
		{Name: "max_body", Kind: pipe.Unsigned, Default: "16777216", Doc: "Largest answer accepted, in bytes."},
		{Name: "error_mode", Kind: pipe.String, Default: "abort", Choices: []string{"abort", "pass"}, Doc: "Reaction to a request that fails or has a status of 400 or more: abort fails the process, pass sends an error datum."},
		{Name: "header", Kind: pipe.Any, Doc: "header:NAME = value adds a header."},
		{Name: "base", Kind: pipe.String, Doc: "Start of every address."},
	}
}

func (c *client) Setup(s *flow.Setup) error {
	c.base, c.limit, c.pass = s.Value("base"), s.Int("max_body"), s.Value("error_mode") == "pass"
	c.body, c.status = s.Out("body"), s.Out("status")
	c.header = http.Header{}
	for key, set := range s.Config() {
		if name, ok := strings.CutPrefix(key, "header:"); ok {
			c.header.Set(name, set.Value)
		}
	}
	c.http.Transport = &http.Transport{Proxy: http.ProxyFromEnvironment}
	return c.Reconfigure(s)
}

func (c *client) Reconfigure(s *flow.Setup) error {
	c.timeout = time.Duration(s.Float("timeout") * float64(time.Second))
	return nil
}

func judgeTimeout(v pipe.Values) error {
	if seconds := v.Float("timeout"); !(seconds > 0) || seconds > 1e6 {
		return v.Errorf("timeout", "key `timeout` is %v, but must be a number of seconds larger than 0", seconds)
	}
	return nil
}

// send makes one request and pushes the answer.
func (c *client) send(s pipe.Step, method, address, contentType string, payload io.Reader) error {
	var answer []byte
	var code int
	var err error
	s.Await(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, c.timeout)
		defer cancel()
		answer, code, err = c.do(ctx, method, address, contentType, payload)
	})
	if err == nil && code >= 400 {
		err = fmt.Errorf("the server answered %d %s", code, http.StatusText(code))
	}
	if err != nil && s.Context().Err() != nil {
		return s.Context().Err()
	}
	if err != nil {
		err = fmt.Errorf("the request to `%s` failed: %w", c.base+address, plain(err))
		if !c.pass {
			return err
		}
		c.body.Push(flow.OfError(err.Error()))
	} else {
		c.body.Push(flow.OfText(string(answer)))
	}
	if code == 0 {
		c.status.Push(flow.OfEmpty())
	} else {
		c.status.Push(flow.OfInt(int64(code)))
	}
	return nil
}

func (c *client) do(ctx context.Context, method, address, contentType string, payload io.Reader) ([]byte, int, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+address, payload)
	if err != nil {
		return nil, 0, err
	}
	for name, values := range c.header {
		req.Header[name] = values
	}
	if contentType != "" && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, c.limit+1))
	if err == nil && int64(len(answer)) > c.limit {
		err = fmt.Errorf("the answer is larger than max_body, %d bytes", c.limit)
	}
	return answer, res.StatusCode, err
}

// plain returns the cause of a request error, without the method and the address, because the
// message around it already names them.
func plain(err error) error {
	var u *url.Error
	var dns *net.DNSError
	var sys *os.SyscallError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("there was no answer in time")
	case errors.As(err, &dns):
		return fmt.Errorf("the host `%s` cannot be found", dns.Name)
	case errors.As(err, &sys):
		return sys.Err
	case errors.As(err, &u):
		return u.Err
	}
	return err
}

func (c *client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}
