// Package guard protects the page: it decides which requests are answered, how many at a time, which files
// they can reach, and how a refusal is reported.
//
// The page is private. It listens on this machine only, the first visit needs the token in the printed address, a Guard
// checks every later request, and a Fence opens only files inside its folders.
package guard

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
)

// Guard decides which requests are answered.
//
// Every site that the user visits can send requests to a page on loopback: by its
// address, or by a host name that the site points to loopback. So the host of a request
// must be this machine, and requests of other origins are refused. Reading needs
// a cookie that other sites cannot make the browser send; changing also needs
// a token that only this page knows. Cookies ignore ports, so each server uses
// its own cookie name.
type Guard struct {
	Token  string // in the printed address
	cookie string // name of the cookie
	pass   string // its value
	change string // the token of changes
	hosts  []string
}

// New makes a guard with new secrets. Requests may name the host as loopback or as one of hosts.
func New(hosts []string) Guard {
	return Guard{
		Token: secret(), cookie: "pentode-" + secret()[:8], pass: secret(), change: secret(),
		hosts: append([]string{"localhost", "127.0.0.1", "::1"}, hosts...),
	}
}

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// changeHeader carries the token of changes.
const changeHeader = "Pentode-Token"

// Admit reports whether to answer a request. If not, it has already sent the
// refusal.
func (g *Guard) Admit(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch {
	case !g.ours(r.Host):
		Refuse(w, &Refusal{http.StatusMisdirectedRequest, "this page does not answer to that name; use the address that `pentode serve` prints"})
		return false
	case !sameOrigin(r):
		Refuse(w, Forbidden("another site may not use this page"))
		return false
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		Refuse(w, &Refusal{http.StatusMethodNotAllowed, "only GET and POST are allowed"})
		return false
	}
	if given := r.URL.Query().Get("token"); given != "" && r.URL.Path == "/" && r.Method == http.MethodGet {
		if !same(given, g.Token) {
			Refuse(w, Forbidden("the token is wrong; use the address that `pentode serve` prints"))
			return false
		}
		http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.pass, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return false
	}
	if c, err := r.Cookie(g.cookie); err != nil || !same(c.Value, g.pass) {
		Refuse(w, Forbidden("this page needs its token; use the address that `pentode serve` prints"))
		return false
	}
	if r.Method == http.MethodPost && !same(r.Header.Get(changeHeader), g.change) {
		Refuse(w, Forbidden("a change needs the token of the page; load it again"))
		return false
	}
	return true
}

// ours reports whether a host is this machine. It ignores the port, because the page may be reached
// through a tunnel with another port.
func (g *Guard) ours(host string) bool {
	u, err := url.Parse("http://" + host)
	return err == nil && u.Host == host && slices.Contains(g.hosts, u.Hostname())
}

// sameOrigin reports whether a request comes from this page, or from no page at all.
func sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return false
	}
	origin := r.Header.Get("Origin")
	return origin == "" && r.Method == http.MethodGet || origin == "http://"+r.Host
}

// Sign puts the token of changes into the page.
func (g *Guard) Sign(text []byte) []byte {
	return bytes.Replace(text, []byte("{{token}}"), []byte(g.change), 1)
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func secret() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
