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

// A Ticket is what a site needs to take part in a run: the address of the server, how to recognize
// it, and the key that admits the site. It is secret, and made for one run.
type Ticket struct {
	Run  string `json:"run"`
	URL  string `json:"url"`
	Cert []byte `json:"cert,omitempty"` // certificate of the server; empty: as the URL says
	Seed []byte `json:"seed,omitempty"` // seed of the key; empty: as the URL says
	Led  bool   `json:"led,omitempty"`  // the launcher coordinates; else the first site does
}

// TicketVariable is the environment variable that passes a ticket to a program.
const TicketVariable = "PENTODE_TICKET"

// String returns the ticket as one word.
func (t *Ticket) String() string {
	text, _ := json.Marshal(t) // a struct of strings and bytes can always be encoded
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

// options returns the options for connecting with the ticket.
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

// tls returns how to verify the server. The run's certificate is compared byte by byte, so neither
// names nor the clocks of the machines matter.
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

// certificate makes a server certificate for one run.
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
