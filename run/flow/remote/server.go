package remote

import (
	"cmp"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// A Server is a NATS server inside this program, for one run. Only who has
// the run's ticket can connect.
type Server struct {
	Ticket Ticket
	nats   *server.Server
}

// ServerOptions say where a server listens.
type ServerOptions struct {
	Run       string // its name; empty: a new one
	Host      string // address to listen on; empty: loopback only
	Advertise string // name that sites on other machines reach it by; empty: Host
}

// messageBytes is the largest message of a server of ours.
const messageBytes = 4 << 20

// readyLimit is how long a server may take to begin.
const readyLimit = 20 * time.Second

// Serve starts a server.
func Serve(o ServerOptions) (*Server, error) {
	cert, err := certificate()
	if err != nil {
		return nil, fmt.Errorf("the run's certificate cannot be made: %w", err)
	}
	user, err := nkeys.CreateUser()
	if err != nil {
		return nil, fmt.Errorf("the run's key cannot be made: %w", err)
	}
	public, _ := user.PublicKey() // of a key that was just made
	seed, _ := user.Seed()
	host := cmp.Or(o.Host, "127.0.0.1")
	s, err := server.NewServer(&server.Options{
		Host: host, Port: server.RANDOM_PORT, NoLog: true, NoSigs: true,
		MaxPayload: messageBytes + headSize, TLS: true, TLSTimeout: 10,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}},
		Nkeys:     []*server.NkeyUser{{Nkey: public}},

		// A client that needs more than two seconds to connect would take the first ping for an error.
		DisableShortFirstPing: true,
	})
	if err != nil {
		return nil, fmt.Errorf("the server of the run cannot be made: %w", err)
	}
	s.Start()
	if !s.ReadyForConnections(readyLimit) {
		s.Shutdown()
		return nil, errors.New("the server of the run does not begin to listen on `" + host + "`")
	}
	port := s.Addr().(*net.TCPAddr).Port
	return &Server{nats: s, Ticket: Ticket{
		Run: cmp.Or(o.Run, rand.Text()), Cert: cert.Certificate[0], Seed: seed,
		URL: "tls://" + net.JoinHostPort(cmp.Or(o.Advertise, host), strconv.Itoa(port)),
	}}, nil
}

// Here is the ticket as this machine uses it.
func (s *Server) Here() *Ticket {
	t := s.Ticket
	t.URL = "tls://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(s.nats.Addr().(*net.TCPAddr).Port))
	return &t
}

// Close ends the server.
func (s *Server) Close() {
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
}
