package broker

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/pentode-dev/pentode/internal/golden"
)

func TestMain(m *testing.M) { golden.Main(m) }

// A place is a server that a test talks to.
type place struct {
	*Broker // nil: a NATS server
	address string
	key     nkeys.KeyPair
}

// payloadLimit is the largest message in tests.
const payloadLimit = 1 << 20

// certificate returns the certificate of all servers in these tests.
var certificate = sync.OnceValue(func() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(1, 0, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
})

func options() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate()}}
}

func newKey(t testing.TB) (key nkeys.KeyPair, public string) {
	t.Helper()
	key, err := nkeys.CreateUser()
	if err == nil {
		public, err = key.PublicKey()
	}
	if err != nil {
		t.Fatal(err)
	}
	return key, public
}

// start starts a broker, with the usual limits unless a test changes them.
func start(t testing.TB, change func(*limits)) *place {
	t.Helper()
	key, public := newKey(t)
	l := usual
	if change != nil {
		change(&l)
	}
	b, err := Listen(Options{Host: "127.0.0.1", TLS: options(), Key: public, MaxPayload: payloadLimit, limits: l})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return &place{b, net.JoinHostPort("127.0.0.1", strconv.Itoa(b.Port())), key}
}

// A talk is a connection whose lines a test writes itself.
type talk struct {
	t     testing.TB
	raw   net.Conn
	conn  net.Conn
	in    *bufio.Reader
	nonce string
}

// meet connects, and reads the first line of the server.
func (p *place) meet(t testing.TB) *talk {
	t.Helper()
	raw, err := net.Dial("tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	_ = raw.SetDeadline(time.Now().Add(golden.Patience))
	k := &talk{t: t, raw: raw, conn: raw, in: bufio.NewReader(raw)}
	text, ok := strings.CutPrefix(k.line(), "INFO ")
	var info struct {
		Nonce   string `json:"nonce"`
		TLS     bool   `json:"tls_required"`
		Auth    bool   `json:"auth_required"`
		Headers bool   `json:"headers"`
		Payload int    `json:"max_payload"`
		Proto   int    `json:"proto"`
	}
	if err := json.Unmarshal([]byte(text), &info); !ok || err != nil || info.Nonce == "" || !info.TLS || !info.Auth || !info.Headers || info.Payload != payloadLimit || info.Proto != 1 {
		t.Fatalf("the server begins with %q, want INFO with a nonce, and that it asks for TLS and a key", text)
	}
	k.nonce = info.Nonce
	return k
}

// secure begins TLS.
func (k *talk) secure() *talk {
	k.t.Helper()
	if err := k.handshake(); err != nil {
		k.t.Fatal(err)
	}
	return k
}

func (k *talk) handshake() error {
	conn := tls.Client(k.raw, &tls.Config{InsecureSkipVerify: true})
	k.conn, k.in = conn, bufio.NewReader(conn)
	return conn.Handshake()
}

// proof returns the fields that a CONNECT must have to be admitted.
func (k *talk) proof(key nkeys.KeyPair) string {
	k.t.Helper()
	public, err := key.PublicKey()
	if err != nil {
		k.t.Fatal(err)
	}
	signature, err := key.Sign([]byte(k.nonce))
	if err != nil {
		k.t.Fatal(err)
	}
	return fmt.Sprintf(`"nkey":%q,"sig":%q`, public, base64.RawURLEncoding.EncodeToString(signature))
}

// dial connects as a client, with further fields of CONNECT.
func (p *place) dial(t testing.TB, words string) *talk {
	t.Helper()
	k := p.meet(t).secure()
	k.send("CONNECT {" + k.proof(p.key) + `,"verbose":false,"pedantic":false,"protocol":1` + words + "}\r\n")
	return k
}

func (k *talk) send(text string) {
	k.t.Helper()
	if _, err := io.WriteString(k.conn, text); err != nil {
		k.t.Fatal(err)
	}
}

// line returns the next line, or "closed" at the end.
func (k *talk) line() string {
	k.t.Helper()
	line, err := k.in.ReadString('\n')
	if e, ok := err.(net.Error); ok && e.Timeout() {
		k.t.Fatalf("nothing comes after %q", line)
	}
	if err != nil {
		return "closed"
	}
	return strings.TrimSuffix(line, "\r\n")
}

// answers returns all lines received until now.
func (k *talk) answers() (list []string) {
	k.t.Helper()
	_, _ = io.WriteString(k.conn, "PING\r\n") // it may be closed
	for {
		line := k.line()
		switch {
		case line == "PONG":
			return list
		case strings.HasPrefix(line, "INFO "):
			continue
		}
		if len(line) > 100 {
			line = line[:10] + "…" + strconv.Itoa(len(line))
		}
		list = append(list, line)
		if line == "closed" {
			return list
		}
	}
}
