package remote_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/remote"
)

// clusterVariable makes the test program a server of a cluster.
const clusterVariable = "PENTODE_TEST_SERVER"

// A node is a server of a cluster.
type node struct {
	Name          string
	Port, Cluster int
	Routes        []string
}

// beServer runs a server until the program is killed.
func beServer(text string) {
	var n node
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		panic(err)
	}
	s, err := server.NewServer(&server.Options{
		ServerName: n.Name, Host: "127.0.0.1", Port: n.Port, NoLog: true, NoSigs: true,
		Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: n.Cluster, PoolSize: -1},
		Routes:  server.RoutesFromStr(strings.Join(n.Routes, ",")),
	})
	if err != nil {
		panic(err)
	}
	s.Start()
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test is gone
}

// ports are free ones.
func ports(t *testing.T, n int) (list []int) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		list = append(list, l.Addr().(*net.TCPAddr).Port)
	}
	return list
}

// cluster starts three servers that know each other, each in a process of its
// own.
func cluster(t *testing.T) (urls []string, servers []*exec.Cmd) {
	free := ports(t, 6)
	var routes []string
	for _, port := range free[3:] {
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", port))
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for i, port := range free[:3] {
		text, err := json.Marshal(node{fmt.Sprintf("n%d", i), port, free[3+i], routes})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), clusterVariable+"="+string(text))
		cmd.Stderr = os.Stderr
		if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		servers = append(servers, cmd)
		url := fmt.Sprintf("127.0.0.1:%d", port)
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			if c, err := net.Dial("tcp", url); err == nil {
				c.Close()
				break
			} else if time.Now().After(end) {
				t.Fatal(err)
			}
		}
		urls = append(urls, "nats://"+url)
	}
	return urls, servers
}

// TestServerKilled: when one of three clustered servers is killed, the run
// goes on, and every datum arrives once and in order.
func TestServerKilled(t *testing.T) {
	rounds := 1
	if golden.Full() {
		rounds = 5
	}
	for round := range rounds {
		urls, servers := cluster(t)
		const n = 300_000
		next := int64(0)
		var once sync.Once
		p := pair(source(func(i int) (flow.Datum, bool) { return flow.OfInt(int64(i)), i < n }),
			sink(func(d flow.Datum, _ flow.Stamp) bool {
				if d.Int() != next {
					t.Errorf("%d came where %d was expected", d.Int(), next)
					return false
				}
				if next++; next == n/3 {
					once.Do(func() { _ = servers[round%3].Process.Kill() })
				}
				return true
			}))
		sites := []string{"a", "b"}
		limits := remote.Limits{Beat: 20 * time.Millisecond, Lost: time.Minute}
		at := func(i int) *remote.Ticket { // each prefers another server
			list := append(urls[i:len(urls):len(urls)], urls[:i]...)
			return &remote.Ticket{Run: fmt.Sprintf("round%d", round), URL: strings.Join(list, ",")}
		}
		c, err := remote.Coordinate(remote.CoordinatorOptions{Ticket: at(2), Sites: sites, Limits: limits})
		if err != nil {
			t.Fatal(err)
		}
		var over sync.WaitGroup
		for i, name := range sites {
			over.Go(func() {
				if err := runSite(remote.SiteOptions{Name: name, Ticket: at(i), Limits: limits}, p, flow.Options{}); err != nil {
					t.Errorf("site %s: %v", name, err)
				}
			})
		}
		over.Wait()
		if err := c.Wait(); err != nil || next != n {
			t.Errorf("%d data, %v", next, err)
		}
		c.Close()
	}
}

// A proxy stands between a site and the server, and can hold everything back.
type proxy struct {
	listener net.Listener
	mu       sync.Mutex
	open     *sync.Cond
	cut      bool
	conns    []net.Conn
	copying  sync.WaitGroup
}

func newProxy(t *testing.T, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l}
	p.open = sync.NewCond(&p.mu)
	p.copying.Go(func() {
		for {
			a, err := l.Accept()
			if err != nil {
				return
			}
			b, err := net.Dial("tcp", to)
			if err != nil {
				a.Close()
				return
			}
			p.mu.Lock()
			p.conns = append(p.conns, a, b)
			p.mu.Unlock()
			p.copying.Go(func() { p.copy(a, b) })
			p.copying.Go(func() { p.copy(b, a) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.set(false)
		p.mu.Lock()
		for _, c := range p.conns {
			c.Close()
		}
		p.mu.Unlock()
		p.copying.Wait()
	})
	return p
}

func (p *proxy) copy(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		p.mu.Lock()
		for p.cut {
			p.open.Wait()
		}
		p.mu.Unlock()
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) set(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	p.open.Broadcast()
}

// TestPartition: a network that is cut for a moment delays a run; one that
// stays cut ends it on both sides, with the site that is away.
func TestPartition(t *testing.T) {
	for _, heals := range []bool{true, false} {
		if !heals && !golden.Full() {
			continue // it takes the time after which a site counts as lost
		}
		server := serve(t)
		_, address, _ := strings.Cut(server.Ticket.URL, "//")
		wall := newProxy(t, address)
		near := ticket(server)
		far := *near
		far.URL = "tls://" + wall.listener.Addr().String()
		limits := remote.Limits{Beat: 20 * time.Millisecond, Lost: time.Minute}
		if !heals {
			limits.Lost = 3 * time.Second
		}
		n := 100_000
		if !heals {
			n = 1 << 40
		}
		got := 0
		p := pair(source(func(i int) (flow.Datum, bool) { return flow.OfInt(int64(i)), i < n }), sink(func(flow.Datum, flow.Stamp) bool {
			if got++; got == 10_000 {
				wall.set(true)
				if heals {
					time.AfterFunc(300*time.Millisecond, func() { wall.set(false) })
				}
			}
			return true
		}))
		c, err := remote.Coordinate(remote.CoordinatorOptions{Ticket: near, Sites: []string{"a", "b"}, Limits: limits})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 2)
		go func() {
			ended <- runSite(remote.SiteOptions{Name: "a", Ticket: near, Limits: limits}, p, flow.Options{})
		}()
		go func() {
			ended <- runSite(remote.SiteOptions{Name: "b", Ticket: &far, Limits: limits}, p, flow.Options{})
		}()
		err = c.Wait()
		first, second := <-ended, <-ended
		switch {
		case heals && (err != nil || first != nil || second != nil || got != n):
			t.Errorf("%d data, %v, %v, %v", got, err, first, second)
		case !heals && (err == nil || err.Error() != "site `b`: it has not been heard for 3s; it said nothing"):
			t.Errorf("%v", err)
		case !heals && (first == nil || second == nil):
			t.Errorf("a site did not see it: %v, %v", first, second)
		}
		c.Close()
	}
}
