package broker

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/pentode-dev/pentode/internal/golden"
)

// startNATS starts the NATS server with which our broker is compared.
func startNATS(t *testing.T) *place {
	t.Helper()
	key, public := newKey(t)
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true, MaxPayload: payloadLimit, MaxSubs: subscriptionLimit,
		TLS: true, TLSTimeout: 10, AuthTimeout: 20, TLSConfig: options(), Nkeys: []*server.NkeyUser{{Nkey: public}}, DisableShortFirstPing: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(golden.Patience) {
		t.Fatal("NATS's server does not begin")
	}
	return &place{nil, s.Addr().(*net.TCPAddr).String(), key}
}

// subscriptionLimit is the subscription limit of a client in this table.
const subscriptionLimit = 5

// A behaviour is what two clients send, and what they get. Each line of a script begins with the name of
// the client that sends the rest; it is sent after all earlier lines were carried out.
type behaviour struct {
	name   string
	words  string // further fields that client a sends with CONNECT
	script []string
	want   map[string]string // the lines that each client gets, separated by |
}

var large = strings.Repeat("x", 100_000)

var behaviours = []behaviour{
	{"order", "", []string{"b SUB x 7", "a PUB x 1\r\n1\r\nPUB x 1\r\n2", "a PUB x 0\r\n\r\nPUB x 1\r\n4"}, map[string]string{"b": "MSG x 7 1|1|MSG x 7 1|2|MSG x 7 0||MSG x 7 1|4"}},
	{"a reply", "", []string{"b SUB x 7", "a PUB x back.1 2\r\nhi"}, map[string]string{"b": "MSG x 7 back.1 2|hi"}},
	{"any token", "", []string{"b SUB x.* 7", "a PUB x 0\r\n\r\nPUB x.y 0\r\n\r\nPUB x.y.z 0\r\n"}, map[string]string{"b": "MSG x.y 7 0|"}},
	{"a token within", "", []string{"b SUB x.*.z 7", "a PUB x.y.z 0\r\n\r\nPUB x.y.y 0\r\n"}, map[string]string{"b": "MSG x.y.z 7 0|"}},
	{"any tokens", "", []string{"b SUB x.> 7", "a PUB x 0\r\n\r\nPUB x.y 0\r\n\r\nPUB x.y.z 0\r\n"}, map[string]string{"b": "MSG x.y 7 0||MSG x.y.z 7 0|"}},
	{"everything", "", []string{"b SUB > 7", "a PUB x 0\r\n\r\nPUB x.y 0\r\n"}, map[string]string{"b": "MSG x 7 0||MSG x.y 7 0|"}},
	{"a star in a token", "", []string{"b SUB x* 7", "a PUB xy 0\r\n\r\nPUB x* 0\r\n"}, map[string]string{"b": "MSG x* 7 0|"}},
	{"published to any token", "", []string{"b SUB x.* 7\r\nSUB x.y 8", "a PUB x.* 0\r\n"}, map[string]string{"b": "MSG x.* 7 0|"}},
	{"an empty token", "", []string{"b SUB x.*.y 7\r\nSUB x.> 8\r\nSUB *.x 9\r\nSUB x.* 10\r\nSUB > 11", "a PUB x..y 0\r\n\r\nPUB .x 0\r\n\r\nPUB x. 0\r\n"}, nil},
	{"echo", "", []string{"a SUB x 1", "a PUB x 0\r\n"}, map[string]string{"a": "MSG x 1 0|"}},
	{"no echo", `,"echo":false`, []string{"a SUB x 1", "b SUB x 7", "a PUB x 0\r\n", "b PUB x 1\r\nb"}, map[string]string{"a": "MSG x 1 1|b", "b": "MSG x 7 0||MSG x 7 1|b"}},
	{"no echo in a group", `,"echo":false`, []string{"a SUB x g 1", "b SUB x g 7", "a PUB x 0\r\n\r\nPUB x 0\r\n"}, map[string]string{"b": "MSG x 7 0||MSG x 7 0|"}},
	{"groups", "", []string{"b SUB x g 7", "a SUB x h 8", "a PUB x 0\r\n\r\nPUB y 0\r\n"}, map[string]string{"a": "MSG x 8 0|", "b": "MSG x 7 0|"}},
	{"listened no more", "", []string{"b SUB x 7\r\nUNSUB 7", "a PUB x 0\r\n"}, nil},
	{"listened to something else", "", []string{"b SUB x 7\r\nUNSUB 8", "a PUB x 0\r\n"}, map[string]string{"b": "MSG x 7 0|"}},
	{"at most two", "", []string{"b SUB x 7\r\nUNSUB 7 2", "a PUB x 1\r\n1\r\nPUB x 1\r\n2\r\nPUB x 1\r\n3"}, map[string]string{"b": "MSG x 7 1|1|MSG x 7 1|2"}},
	{"at most two, one has come", "", []string{"b SUB x 7", "a PUB x 1\r\n1", "b UNSUB 7 2", "a PUB x 1\r\n2\r\nPUB x 1\r\n3"}, map[string]string{"b": "MSG x 7 1|1|MSG x 7 1|2"}},
	{"at most one, one has come", "", []string{"b SUB x 7", "a PUB x 1\r\n1", "b UNSUB 7 1", "a PUB x 1\r\n2"}, map[string]string{"b": "MSG x 7 1|1"}},
	{"again after the most", "", []string{"b SUB x 7\r\nUNSUB 7 1", "a PUB x 1\r\n1", "b SUB y 7", "a PUB y 1\r\n2"}, map[string]string{"b": "MSG x 7 1|1|MSG y 7 1|2"}},
	{"one name twice", "", []string{"b SUB x 7\r\nSUB y 7", "a PUB x 0\r\n\r\nPUB y 0\r\n"}, map[string]string{"b": "MSG x 7 0|"}},
	{"too many", "", []string{"b SUB a 1\r\nSUB b 2\r\nSUB c 3\r\nSUB d 4\r\nSUB e 5\r\nSUB x 6", "a PUB x 0\r\n\r\nPUB a 0\r\n"}, map[string]string{"b": "-ERR 'maximum subscriptions exceeded'|MSG a 1 0|"}},
	{"nobody listens", `,"headers":true,"no_responders":true`, []string{"a SUB back.* 1", "a PUB x.y back.5 2\r\nhi"}, map[string]string{"a": "HMSG back.5 1 35 35|NATS/1.0 503|Nats-Subject: x.y||"}},
	{"nobody listens to what needs no answer", `,"headers":true,"no_responders":true`, []string{"a SUB back.* 1", "a PUB x 2\r\nhi"}, nil},
	{"nobody listens, which nobody asked", `,"headers":true`, []string{"a SUB back.* 1", "a PUB x back.5 2\r\nhi"}, nil},
	{"nobody else listens", `,"headers":true,"no_responders":true,"echo":false`, []string{"a SUB back.* 1\r\nSUB x 2", "a PUB x back.5 2\r\nhi"}, map[string]string{"a": "HMSG back.5 1 33 33|NATS/1.0 503|Nats-Subject: x||"}},
	{"nobody listens for the answer", `,"headers":true,"no_responders":true`, []string{"a PUB x back.5 2\r\nhi"}, nil},
	{"a header", `,"headers":true`, []string{"a SUB x 1", "a HPUB x 12 14\r\nNATS/1.0\r\n\r\nhi", "a HPUB x r 12 12\r\nNATS/1.0\r\n\r\n"}, map[string]string{"a": "HMSG x 1 12 14|NATS/1.0||hi|HMSG x 1 r 12 12|NATS/1.0||"}},
	{"a header for who knows none", `,"headers":true`, []string{"b SUB x 7", "a HPUB x 12 14\r\nNATS/1.0\r\n\r\nhi"}, map[string]string{"b": "MSG x 7 2|hi"}},
	{"a large message", "", []string{"b SUB x 7", "a SUB x 1", "a PUB x 100000\r\n" + large}, map[string]string{"a": "MSG x 1 100000|xxxxxxxxxx…100000", "b": "MSG x 7 100000|xxxxxxxxxx…100000"}},
	{"a large message with a header", `,"headers":true`, []string{"b SUB x 7", "a SUB x 1", "a HPUB x 12 100012\r\nNATS/1.0\r\n\r\n" + large}, map[string]string{"a": "HMSG x 1 12 100012|NATS/1.0||xxxxxxxxxx…100000", "b": "MSG x 7 100000|xxxxxxxxxx…100000"}},
	{"the largest message", "", []string{"a SUB x 1", fmt.Sprintf("a PUB x %d\r\n%s", payloadLimit, strings.Repeat("x", payloadLimit))}, map[string]string{"a": "MSG x 1 1048576|xxxxxxxxxx…1048576"}},
	{"every line is answered", `,"verbose":true`, []string{"a SUB x 1\r\nPUB y 0\r\n\r\nUNSUB 1\r\nUNSUB 1"}, map[string]string{"a": "+OK|+OK|+OK|+OK|+OK"}},
	{"subjects that are none", `,"verbose":true`, []string{"a SUB x..y 1\r\nSUB .x 2\r\nSUB x. 3\r\nSUB x.>.y 4\r\nSUB *.> 5"}, map[string]string{"a": "+OK|-ERR 'Invalid Subject'|-ERR 'Invalid Subject'|-ERR 'Invalid Subject'|-ERR 'Invalid Subject'|+OK"}},
	{"a pedant", `,"pedantic":true`, []string{"a SUB x.* 1", "a PUB x.* 0\r\n"}, map[string]string{"a": "-ERR 'Invalid Publish Subject'|MSG x.* 1 0|"}},
	{"other ways to write", "", []string{"a sub  x\t1 ", "a Pub\tx  2  \r\nhi"}, map[string]string{"a": "MSG x 1 2|hi"}},
	{"pings", "", []string{"a PING\r\nPONG"}, map[string]string{"a": ""}},
	{"too large", "", []string{fmt.Sprintf("a PUB x %d", payloadLimit+1)}, map[string]string{"a": "-ERR 'Maximum Payload Violation'|closed"}},
	{"too large with a header", `,"headers":true`, []string{fmt.Sprintf("a HPUB x 12 %d", payloadLimit+1)}, map[string]string{"a": "-ERR 'Maximum Payload Violation'|closed"}},
	{"an unknown word", "", []string{"a HELP"}, map[string]string{"a": "-ERR 'Unknown Protocol Operation'|closed"}},
	{"a message is longer than it says", "", []string{"a PUB x 1\r\nabc"}, map[string]string{"a": "-ERR 'Unknown Protocol Operation'|closed"}},
	{"a long line", "", []string{"a SUB " + strings.Repeat("x", maxLine) + " 1"}, map[string]string{"a": "-ERR 'maximum control line exceeded'|closed"}},
}

// play carries out a script, and returns the lines that each client gets.
func (b *behaviour) play(t *testing.T, p *place) map[string]string {
	t.Helper()
	clients := map[string]*talk{"a": p.dial(t, b.words), "b": p.dial(t, "")}
	got := map[string][]string{}
	for _, step := range b.script {
		who, text, _ := strings.Cut(step, " ")
		clients[who].send(text + "\r\n")
		got[who] = append(got[who], clients[who].answers()...)
	}
	lines := map[string]string{}
	for _, who := range []string{"a", "b"} {
		if !slices.Contains(got[who], "closed") {
			got[who] = append(got[who], clients[who].answers()...)
		}
		clients[who].raw.Close()
		if len(got[who]) > 0 {
			lines[who] = strings.Join(got[who], "|")
		}
	}
	return lines
}

// TestBehaviours: clients get the same lines from our broker as from the NATS server.
func TestBehaviours(t *testing.T) {
	ours, theirs := start(t, func(l *limits) { l.subscriptions = subscriptionLimit }), startNATS(t)
	for _, b := range behaviours {
		maps.DeleteFunc(b.want, func(_, lines string) bool { return lines == "" })
		for name, p := range map[string]*place{"our broker": ours, "NATS's server": theirs} {
			got := b.play(t, p)
			for _, who := range []string{"a", "b"} {
				if got[who] != b.want[who] {
					t.Errorf("%s: %s: %s gets\n%s\nwant\n%s", b.name, name, who, got[who], b.want[who])
				}
			}
		}
	}
}

// TestRefused: a client without the key gets nothing but the reason, from both servers.
func TestRefused(t *testing.T) {
	ours, theirs := start(t, nil), startNATS(t)
	stranger, _ := newKey(t)
	for name, first := range map[string]func(k *talk, key nkeys.KeyPair) string{
		"no key":        func(*talk, nkeys.KeyPair) string { return "CONNECT {}" },
		"a wrong key":   func(k *talk, _ nkeys.KeyPair) string { return "CONNECT {" + k.proof(stranger) + "}" },
		"a wrong nonce": func(k *talk, key nkeys.KeyPair) string { k.nonce = "x"; return "CONNECT {" + k.proof(key) + "}" },
		"a damaged proof": func(k *talk, key nkeys.KeyPair) string {
			return "CONNECT {" + strings.Replace(k.proof(key), `sig":"`, `sig":"!`, 1) + "}"
		},
		"something before the key": func(k *talk, key nkeys.KeyPair) string { return "PING" },
		"a message before the key": func(k *talk, key nkeys.KeyPair) string { return "PUB x 0\r\n" },
		"a key that is none":       func(*talk, nkeys.KeyPair) string { return `CONNECT {"nkey":"UX","sig":"x"}` },
		"a name instead of a key":  func(*talk, nkeys.KeyPair) string { return `CONNECT {"user":"u","pass":"p"}` },
	} {
		for server, p := range map[string]*place{"our broker": ours, "NATS's server": theirs} {
			k := p.meet(t).secure()
			k.send(first(k, p.key) + "\r\n")
			if got := strings.Join(k.answers(), "|"); got != "-ERR 'Authorization Violation'|closed" {
				t.Errorf("%s: %s answers %q, want an authorization violation", name, server, got)
			}
		}
	}
	for name, text := range map[string]string{"no TLS": "CONNECT {}\r\nPING\r\n", "garbage": "\x00\xff\x00\xffgarbage\r\n\r\n"} {
		for server, p := range map[string]*place{"our broker": ours, "NATS's server": theirs} {
			k := p.meet(t)
			k.send(text)
			if got := k.answers(); slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "MSG") || s == "+OK" }) || got[len(got)-1] != "closed" {
				t.Errorf("%s: %s answers %q, want the end", name, server, got)
			}
		}
	}
	golden.Until(t, "the connections of strangers end", func() bool { n, _ := ours.Left(); return n == 0 })
}

// TestOnPurpose shows where our broker intentionally differs from the NATS server: it gives the reason and
// ends the connection.
func TestOnPurpose(t *testing.T) {
	p := start(t, nil)
	for _, text := range []string{
		"", "PUB x", "PUB x -1", "PUB x 1 2 3", "PUB x 99999999999", "HPUB x 0 0", "SUB x", "SUB x g 1 2", "SUB x 123456789012345678901", "UNSUB", "UNSUB 1 x", "UNSUB 1 2 3",
		"CONNECT {}", "INFO {}", "+OK", "-ERR 'x'",
	} {
		k := p.dial(t, "")
		k.send(text + "\r\n")
		if got := strings.Join(k.answers(), "|"); got != "-ERR 'Unknown Protocol Operation'|closed" {
			t.Errorf("%q: %q, want that it is not understood", text, got)
		}
	}
	k := p.dial(t, `,"headers":true`)
	k.send("HPUB x 5 4\r\n")
	if got := strings.Join(k.answers(), "|"); got != "-ERR 'Unknown Protocol Operation'|closed" {
		t.Errorf("a header larger than its message: %q, want that it is not understood", got)
	}
	k = p.dial(t, "")
	k.send("SUB " + strings.Repeat("x", maxSubject+1) + " 1\r\n")
	if got := strings.Join(k.answers(), "|"); got != "-ERR 'Invalid Subject'" {
		t.Errorf("a long subject: %q, want that it is none", got)
	}
}

// TestGroup: each message goes to one member of a group, and every member gets some.
func TestGroup(t *testing.T) {
	p := start(t, nil)
	from := p.dial(t, "")
	members := []*talk{p.dial(t, ""), p.dial(t, ""), p.dial(t, "")}
	for _, k := range members {
		k.send("SUB x.* g 1\r\n")
		k.answers()
	}
	const n = 300
	from.send(strings.Repeat("PUB x.y 1\r\nm\r\n", n))
	from.answers()
	sum := 0
	for i, k := range members {
		got := len(k.answers()) / 2
		if sum += got; got == 0 {
			t.Errorf("member %d gets none of %d messages, want some", i, n)
		}
	}
	if sum != n {
		t.Errorf("the group gets %d messages, want %d", sum, n)
	}
}

// TestTimeLimits: a client must show its key in time, and must answer pings.
func TestTimeLimits(t *testing.T) {
	p := start(t, func(l *limits) { l.admission = 100 * time.Millisecond })
	if got := p.meet(t).line(); got != "closed" {
		t.Errorf("a stranger that begins no TLS gets %q, want the end", got)
	}
	for admission := 200 * time.Millisecond; ; admission *= 2 { // until there is enough time for TLS
		k := start(t, func(l *limits) { l.admission = admission }).meet(t)
		if k.handshake() != nil && admission < golden.Patience {
			continue
		}
		if got := k.line(); got != "-ERR 'Authentication Timeout'" {
			t.Errorf("a stranger that shows no key gets %q, want that it took too long", got)
		}
		break
	}
	p = start(t, func(l *limits) { l.ping = 50 * time.Millisecond })
	k := p.dial(t, "")
	var got []string
	for len(got) == 0 || got[len(got)-1] != "closed" {
		got = append(got, k.line())
	}
	if s := strings.Join(got, "|"); s != "PING|PING|PING|-ERR 'Stale Connection'|closed" {
		t.Errorf("a client that answers no ping gets %q, want three and the end", s)
	}
	k = start(t, func(l *limits) { l.ping, l.pings = 100*time.Millisecond, 8 }).dial(t, "")
	for range 15 {
		if got := k.line(); got != "PING" {
			t.Fatalf("a client that answers pings gets %q, want another", got)
		}
		k.send("PONG\r\n")
	}
}
