package remote_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/remote"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// serverVariable makes the test program a server.
const serverVariable = "PENTODE_TEST_SERVER"

// A node is a server; it belongs to a cluster if it knows other servers or they know it.
type node struct {
	Name      string
	Clustered bool
	Routes    []string // addresses of the servers started before it
}

// beServer runs a server until the test has ended. It prints its address and the address of its cluster
// when they are ready. The system chooses the ports, because another program may take a port that was
// free before.
func beServer(text string) {
	var n node
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		panic(err)
	}
	o := &server.Options{ServerName: n.Name, Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true, Routes: server.RoutesFromStr(strings.Join(n.Routes, ","))}
	if n.Clustered {
		o.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: server.RANDOM_PORT, PoolSize: -1}
	}
	s, err := server.NewServer(o)
	if err != nil {
		panic(err)
	}
	s.Start()
	if !golden.Comes(func() bool { return s.ReadyForConnections(time.Second) && s.NumRoutes() >= len(n.Routes) }) {
		panic("the server does not reach the others")
	}
	cluster := ""
	if n.Clustered {
		cluster = "nats://" + s.ClusterAddr().String()
	}
	fmt.Println(s.ClientURL(), cluster)
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test has ended
}

// startServer starts a server in its own process.
func startServer(t *testing.T, n node) (url, cluster string, server *exec.Cmd) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	server = exec.Command(self)
	server.Env = append(os.Environ(), serverVariable+"="+string(text))
	server.Stderr = os.Stderr
	if _, err := server.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the server %s does not start: %v", n.Name, err)
	}
	url, cluster, _ = strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	return url, cluster, server
}

// cluster starts three servers that know each other.
func cluster(t *testing.T) (urls []string, servers []*exec.Cmd) {
	var routes []string
	for i := range 3 {
		url, route, server := startServer(t, node{fmt.Sprintf("n%d", i), true, routes})
		urls, servers, routes = append(urls, url), append(servers, server), append(routes, route)
	}
	return urls, servers
}

// TestServerKilled checks that a run continues if one of three clustered servers is killed, and that
// every datum arrives once and in order.
func TestServerKilled(t *testing.T) {
	need.Slow(t)
	need.Rounds(t, 3, func(t *testing.T, round int) {
		urls, servers := cluster(t)
		const n = 90_000
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
		at := func(i int) *remote.Ticket { // each prefers a different server
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
	})
}

// A proxy is between a site and the server and can block all traffic.
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

// counting returns a pair that moves n numbers; now is called with the number of arrived data.
func counting(n int, now func(got int)) *flow.Pipeline {
	got := 0
	return pair(source(func(i int) (flow.Datum, bool) { return flow.OfInt(int64(i)), i < n }), sink(func(d flow.Datum, _ flow.Stamp) bool {
		if d.Int() != int64(got) {
			return false
		}
		got++
		now(got)
		return true
	}))
}

// parties are the members of a run: its sites, and "" for the coordinator.
var parties = []string{"b", "a", ""}

// separately runs the sites a and b of a pipeline; each party has its own ticket.
func separately(t *testing.T, p *flow.Pipeline, limits remote.Limits, ticket func(party string) *remote.Ticket) (ended map[string]error) {
	t.Helper()
	c, err := remote.Coordinate(remote.CoordinatorOptions{Ticket: ticket(""), Sites: []string{"a", "b"}, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var a, b error
	var over sync.WaitGroup
	over.Go(func() {
		a = runSite(remote.SiteOptions{Name: "a", Ticket: ticket("a"), Limits: limits}, p, flow.Options{})
	})
	over.Go(func() {
		b = runSite(remote.SiteOptions{Name: "b", Ticket: ticket("b"), Limits: limits}, p, flow.Options{})
	})
	over.Wait()
	return map[string]error{"": c.Wait(), "a": a, "b": b}
}

// countless is a number of data that no run reaches.
const countless = 1 << 40

// lost are limits after which a party soon counts as lost, but not just because the machine is busy.
var lost = remote.Limits{Lost: 6 * time.Second}

// TestServerLost checks that every party ends with an error if the only server is killed.
func TestServerLost(t *testing.T) {
	need.Slow(t)
	need.Rounds(t, 1, func(t *testing.T, _ int) {
		t.Parallel() // it mostly waits
		url, _, server := startServer(t, node{Name: "alone"})
		p := counting(countless, func(got int) {
			if got == 10_000 {
				_ = server.Process.Kill()
			}
		})
		for party, err := range separately(t, p, lost, func(string) *remote.Ticket { return &remote.Ticket{Run: "r", URL: url, Led: true} }) {
			if err == nil || err.Error() != "the server of the run was lost" {
				t.Errorf("%s: %v", party, err)
			}
		}
	})
}

// walled runs a pipeline with a proxy between one party and the server.
func walled(t *testing.T, server *remote.Server, cut string, limits remote.Limits, pipeline func(wall *proxy) *flow.Pipeline) map[string]error {
	t.Helper()
	_, address, _ := strings.Cut(server.Ticket.URL, "//")
	wall := newProxy(t, address)
	near := ticket(server)
	near.Led = true
	far := *near
	far.URL = "tls://" + wall.listener.Addr().String()
	return separately(t, pipeline(wall), limits, func(party string) *remote.Ticket {
		if party == cut {
			return &far
		}
		return near
	})
}

// TestPartition checks that a short network outage only delays a run.
func TestPartition(t *testing.T) {
	need.Slow(t)
	const n = 100_000
	need.Rounds(t, 3, func(t *testing.T, round int) {
		arrived := 0
		ended := walled(t, serve(t), parties[round%3], remote.Limits{Lost: time.Minute}, func(wall *proxy) *flow.Pipeline {
			return counting(n, func(got int) {
				if arrived = got; got == 10_000 {
					wall.set(true)
					time.AfterFunc(300*time.Millisecond, func() { wall.set(false) })
				}
			})
		})
		if ended[""] != nil || ended["a"] != nil || ended["b"] != nil || arrived != n {
			t.Errorf("%q was cut off: %d data, %v; want ended[\"\"] nil, ended[\"a\"] nil, ended[\"b\"] nil and arrived = %v", parties[round%3], arrived, ended, n)
		}
	})
}

// TestPartitionStays checks that a lasting network outage ends the run on both sides, with an error that
// names the lost site.
func TestPartitionStays(t *testing.T) {
	need.Slow(t)
	noCoordinator := "the coordinator of the run has sent nothing for " + lost.Lost.String()
	need.Rounds(t, 3, func(t *testing.T, round int) {
		t.Parallel() // it mostly waits
		cut := parties[round%3]
		away := "`: it has not reported for " + lost.Lost.String() + "; it logged nothing"
		want := map[string]string{"": "site `" + cut + away, "a": "site `" + cut + away, "b": "site `" + cut + away}
		want[cut] = noCoordinator
		if cut == "" { // without the coordinator, both sites are lost
			want = map[string]string{"": away, "a": noCoordinator, "b": noCoordinator}
		}
		ended := walled(t, serve(t), cut, lost, func(wall *proxy) *flow.Pipeline {
			return counting(countless, func(got int) {
				if got == 10_000 {
					wall.set(true)
				}
			})
		})
		for party, err := range ended {
			if err == nil || !strings.HasSuffix(err.Error(), want[party]) {
				t.Errorf("%q was cut off: %q says %v", cut, party, err)
			}
		}
	})
}

// TestSlowConsumer: many producers send to a site that does not read for a while. The waiting data stay
// below the limit at which a server drops a client, and arrive in the end.
func TestSlowConsumer(t *testing.T) {
	need.Slow(t)
	const edges, n = 8, 12
	array := flow.Of(&tensor.Tensor{Kind: tensor.Uint8, Shape: []int{1 << 20}, Data: make([]byte, 1<<20)})
	need.Rounds(t, 1, func(t *testing.T, _ int) {
		server := serve(t)
		var arrived atomic.Int64
		ended := walled(t, server, "b", remote.Limits{Lost: time.Minute}, func(wall *proxy) *flow.Pipeline {
			p := flow.New(pipe.NewRegistry(
				source(func(i int) (flow.Datum, bool) { return array, i < n }),
				sink(func(flow.Datum, flow.Stamp) bool {
					if arrived.Add(1) == edges {
						wall.set(true)
						time.AfterFunc(500*time.Millisecond, func() { wall.set(false) })
					}
					return true
				})))
			for i := range edges {
				from, to := fmt.Sprintf("from%d", i), fmt.Sprintf("to%d", i)
				p.AddProcess(from, "source", pipe.Set(pipe.SiteKey, "a"))
				p.AddProcess(to, "sink", pipe.Set(pipe.SiteKey, "b"))
				p.Connect(from+".out", to+".in")
			}
			return p
		})
		if ended[""] != nil || ended["a"] != nil || ended["b"] != nil || arrived.Load() != edges*n || server.Dropped() != nil {
			t.Errorf("%d arrays, %v; dropped: %q; want %d arrays, every end without an error, and nothing dropped", arrived.Load(), ended, server.Dropped(), edges*n)
		}
	})
}

// TestClocks: a party whose clock is wrong is admitted, and the start of a site is known on the
// coordinator's clock.
func TestClocks(t *testing.T) {
	server := serve(t)
	for _, off := range []time.Duration{-time.Hour, time.Hour, -50 * 365 * 24 * time.Hour, 90 * 365 * 24 * time.Hour} {
		if err := remote.Dial(t, &server.Ticket, server.Ticket.SetClock(off)).Flush(); err != nil {
			t.Errorf("%v off: %v", off, err)
		}
	}
	ticket := ticket(server)
	c, err := remote.Coordinate(remote.CoordinatorOptions{Ticket: ticket, Sites: []string{"a", "b"}, Limits: quick})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p := counting(10, func(int) {})
	var earliest [2]time.Time
	var over sync.WaitGroup
	for i, name := range []string{"a", "b"} {
		over.Go(func() {
			time.Sleep(time.Duration(i) * 50 * time.Millisecond) // the second site begins later
			earliest[i] = time.Now()
			if err := runSite(remote.SiteOptions{Name: name, Ticket: ticket, Limits: quick}, p, flow.Options{}); err != nil {
				t.Error(err)
			}
		})
	}
	over.Wait()
	for i, site := range []string{"a", "b"} {
		if began := c.Began()[site]; began.Before(earliest[i]) || began.After(time.Now()) {
			t.Errorf("site %s was started at %v, and counts from %v on, want between the start and now", site, earliest[i], began)
		}
	}
}
