package remote

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// A Ticket has everything that a program needs to join a run as a site: the address of the server,
// how to verify the server, and the key of the run. It is secret and valid for one run.
type Ticket struct {
	Run  string `json:"run"`
	URL  string `json:"url"`
	Cert []byte `json:"cert,omitempty"` // certificate of the server; empty: verify as the URL requires
	Seed []byte `json:"seed,omitempty"` // seed of the run's key; empty: authenticate as the URL requires
	Led  bool   `json:"led,omitempty"`  // the launcher coordinates the run; else the program of the first site does
}

// TicketVariable is the environment variable that gives a program its ticket.
const TicketVariable = "PENTODE_TICKET"

// String returns the ticket as one word.
func (t *Ticket) String() string {
	text, _ := json.Marshal(t) // cannot fail: the ticket has only strings, bytes and a bool
	return base64.RawURLEncoding.EncodeToString(text)
}

// ParseTicket parses what String returns.
func ParseTicket(text string) (*Ticket, error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	t := &Ticket{}
	if err == nil {
		err = json.Unmarshal(raw, t)
	}
	if err != nil || t.Run == "" || t.URL == "" {
		return nil, errors.New("the ticket of the run is damaged")
	}
	return t, nil
}

// options returns the connection options that the ticket requires.
func (t *Ticket) options() ([]nats.Option, error) {
	var list []nats.Option
	if len(t.Cert) > 0 {
		list = append(list, nats.Secure(t.tls()))
	}
	if len(t.Seed) > 0 {
		key, err := nkeys.FromSeed(t.Seed)
		if err != nil {
			return nil, errors.New("the ticket of the run is damaged")
		}
		public, err := key.PublicKey()
		if err != nil {
			return nil, errors.New("the ticket of the run is damaged")
		}
		list = append(list, nats.Nkey(public, key.Sign))
	}
	return list, nil
}

// tls returns a configuration that accepts only the run's certificate, which it compares byte by
// byte. Thus names and the clocks of the machines do not matter.
func (t *Ticket) tls() *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true,
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 || !bytes.Equal(s.PeerCertificates[0].Raw, t.Cert) {
				return errors.New("the server does not belong to this run")
			}
			return nil
		},
	}
}

// certificate makes a certificate for the server of one run.
func certificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Unix(0, 0),
		NotAfter:     time.Now().AddDate(100, 0, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
