package ui

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// policy lets a page load what this server gives and nothing else. Scripts and styles are
// files of their own, so that no text of the log can ever become one.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types journal"

// guard lets in browsers that came by an address of ours, each by its own, and keeps out
// pages of other sites: they have no cookie, and know neither a host's name that is ours
// (DNS rebinding) nor the token of a form.
type guard struct {
	hosts  map[string]bool
	cookie string
	secret [32]byte
	cross  *http.CrossOriginProtection

	mu       sync.Mutex
	tokens   map[[32]byte]time.Time // digests of addresses that nobody used yet, and when they were given
	browsers map[[32]byte]bool      // digests of cookies
}

// tokenLife is how long an address waits for its browser.
const tokenLife = 15 * time.Minute

func newGuard(hosts []string) *guard {
	g := &guard{hosts: map[string]bool{}, cross: http.NewCrossOriginProtection(), tokens: map[[32]byte]time.Time{}, browsers: map[[32]byte]bool{}}
	port := ""
	for _, h := range hosts {
		g.hosts[h] = true
		_, port, _ = strings.Cut(h[strings.LastIndexByte(h, ']')+1:], ":")
	}
	// Cookies know no ports: two servers of one host each need a name of their own.
	g.cookie = "journal-" + port
	rand.Read(g.secret[:])
	return g
}

func random() string {
	var b [32]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// enter gives the path and query of an address for one browser.
func (g *guard) enter(to string) string {
	token := random()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tokens[sha256.Sum256([]byte(token))] = time.Now()
	return "/enter?" + url.Values{"token": {token}, "to": {to}}.Encode()
}

// wrap gives a handler that only browsers reach that were let in.
func (g *guard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !g.hosts[r.Host]:
			refuse(w, http.StatusMisdirectedRequest, "This server is reached by its own address alone.")
		case r.URL.Path == "/favicon.ico": // the page that lets a browser in has none
			w.WriteHeader(http.StatusNoContent)
		case r.URL.Path == "/enter" && r.Method == http.MethodGet:
			g.admit(w, r)
		case !g.knows(r):
			refuse(w, http.StatusForbidden, "This address belongs to another browser. “journal ui” gives this one an address of its own.")
		case r.Method != http.MethodGet && r.Method != http.MethodHead && !g.meant(r):
			refuse(w, http.StatusForbidden, "This form is none of ours.")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func refuse(w http.ResponseWriter, code int, says string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	fmt.Fprintln(w, says)
}

// admit gives a browser a cookie for the token that it brings, which is spent then. It goes
// on from a page of ours: a browser sends a strict cookie only where no other site led to.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) {
	if !g.spend(r.URL.Query().Get("token")) {
		refuse(w, http.StatusForbidden, "This address was used, or is too old. “journal ui” gives another.")
		return
	}
	value := random()
	g.mu.Lock()
	g.browsers[sha256.Sum256([]byte(value))] = true
	g.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	to := r.URL.Query().Get("to")
	if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.Contains(to, "\\") {
		to = "/"
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=%s"><title>journal</title>`, html.EscapeString(to))
}

// spend says whether a token is good, once.
func (g *guard) spend(token string) bool {
	digest := sha256.Sum256([]byte(token))
	g.mu.Lock()
	defer g.mu.Unlock()
	given, ok := g.tokens[digest]
	delete(g.tokens, digest)
	return ok && time.Since(given) < tokenLife
}

// knows says whether a request is of a browser that was let in. Digests are compared, so
// that how long it takes tells nothing.
func (g *guard) knows(r *http.Request) bool {
	c, err := r.Cookie(g.cookie)
	if err != nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.browsers[sha256.Sum256([]byte(c.Value))]
}

// meant says whether a form was sent by a page of ours.
func (g *guard) meant(r *http.Request) bool {
	return g.cross.Check(r) == nil && hmac.Equal([]byte(r.Header.Get("X-Journal-Form")), []byte(g.form(r)))
}

// form is the token of the forms of a browser.
func (g *guard) form(r *http.Request) string {
	c, err := r.Cookie(g.cookie)
	if err != nil {
		return ""
	}
	mac := hmac.New(sha256.New, g.secret[:])
	mac.Write([]byte(c.Value))
	return hex.EncodeToString(mac.Sum(nil))
}
