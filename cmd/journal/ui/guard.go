package ui

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"journal/cmd/journal/page"
	"journal/events/text"
)

// policy lets a page load only files of this server. Scripts and styles are files of their own, so that no text of the log can
// become one.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types journal"

// guard admits browsers that come by an address that journal ui printed, one browser per address. It keeps out pages of other
// sites: they have no cookie, use another host name (DNS rebinding), and do not know the token of a form.
type guard struct {
	hosts  []string                    // accepted values of the header Host
	cookie string                      // name of the cookie
	secret string                      // key of the forms' tokens
	cross  *http.CrossOriginProtection // detects requests that pages of other sites made

	browsers browsers
	say      func(*http.Request) page.Say

	mu     sync.Mutex
	tokens map[string]token // the unused ones, by their digests
}

// token admits one browser.
type token struct {
	made time.Time
	to   string // path of the page that the browser then opens
}

// tokenLife is the time for which an address with a token is valid.
const tokenLife = 15 * time.Minute

// newGuard returns a guard for requests to hosts. Each host is a name or an address with a port, the same for all.
func newGuard(c Config, hosts []string) *guard {
	_, port, _ := net.SplitHostPort(hosts[0]) // no error: it has a port
	return &guard{
		hosts: hosts, secret: rand.Text(), cross: http.NewCrossOriginProtection(), tokens: map[string]token{},
		cookie:   "journal-" + port, // cookies ignore ports: each server of a host needs its own name
		browsers: browsers{dir: c.Dir, life: c.Remember},
	}
}

// enter makes a token, and returns the path and query by which it admits one browser, which then opens the path to.
func (g *guard) enter(to string) string {
	name := rand.Text()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tokens[text.Digest(name)] = token{time.Now(), to}
	return "/enter?token=" + name
}

// wrap returns a handler by which only admitted browsers reach next.
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
		case !slices.Contains(g.hosts, r.Host):
			g.refuse(w, r, http.StatusMisdirectedRequest, "refused-host")
		case r.URL.Path == "/favicon.ico": // the page that admits a browser has none
			w.WriteHeader(http.StatusNoContent)
		case r.URL.Path == "/enter" && r.Method == http.MethodGet:
			g.admit(w, r)
		case !g.admitted(r):
			g.refuse(w, r, http.StatusForbidden, "refused-browser")
		case r.Method != http.MethodGet && r.Method != http.MethodHead && !g.validForm(r):
			g.refuse(w, r, http.StatusForbidden, "refused-form")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// refuse answers a request with the reason why it is refused, and what to do: a page for a person, a line for a script. The page
// loads nothing, because a stranger gets none of the pages' files.
func (g *guard) refuse(w http.ResponseWriter, r *http.Request, code int, name string) {
	answer, kind := g.say(r)(name, nil), "text/plain"
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		answer, kind = fmt.Sprintf(`<!doctype html><html lang="%s"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>journal</title><main><h1>journal</h1><p>%s</p></main>`,
			g.say(r)("lang", nil), html.EscapeString(answer)), "text/html"
	}
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	w.WriteHeader(code)
	fmt.Fprintln(w, answer)
}

// admit sets a browser's cookie in exchange for a token, which is invalid from then on. The answer is a page that opens the
// wanted one: a redirect would not do, because a browser sends a strict cookie only if no other site led to the request.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) {
	to, ok := g.redeem(r.URL.Query().Get("token"))
	if !ok {
		g.refuse(w, r, http.StatusForbidden, "refused-address")
		return
	}
	value, old := rand.Text(), ""
	if c, err := r.Cookie(g.cookie); err == nil {
		old = c.Value
	}
	g.browsers.admit(value, old)
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int(g.browsers.life / time.Second)})
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=%s"><title>journal</title>`, html.EscapeString(to))
}

// redeem returns the path to which a token leads, and invalidates the token. ok is false if it is not valid.
func (g *guard) redeem(name string) (to string, ok bool) {
	digest := text.Digest(name)
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.tokens[digest]
	delete(g.tokens, digest)
	return t.to, time.Since(t.made) < tokenLife // a missing token is a zero value, made long ago
}

// admitted reports whether a request is from an admitted browser.
func (g *guard) admitted(r *http.Request) bool {
	c, err := r.Cookie(g.cookie)
	return err == nil && g.browsers.admitted(c.Value)
}

// validForm reports whether a page of this server, in an admitted browser, sent a form.
func (g *guard) validForm(r *http.Request) bool {
	return g.cross.Check(r) == nil && hmac.Equal([]byte(r.Header.Get("X-Journal-Form")), []byte(g.formToken(r)))
}

// formToken returns the token of all forms of a browser; empty if the browser has no cookie.
func (g *guard) formToken(r *http.Request) string {
	c, err := r.Cookie(g.cookie)
	if err != nil {
		return ""
	}
	mac := hmac.New(sha256.New, []byte(g.secret))
	mac.Write([]byte(c.Value))
	return hex.EncodeToString(mac.Sum(nil))
}
