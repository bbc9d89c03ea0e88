package ui_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"journal/events"
)

// Nobody gets anything but the browser that an address was given to, each address once.
func TestWhoIsLetIn(t *testing.T) {
	t.Parallel()
	s := newSite(t, newMemory(t, work...))
	path := "/p/p-1/s/s"
	secret := func(code int, body string) {
		t.Helper()
		if code < 400 || strings.Contains(body, "bucket") || strings.Contains(body, "limiter") || strings.Contains(body, "<script") {
			t.Errorf("a stranger gets %d: %.300s", code, body)
		}
	}
	for _, p := range []string{"/", path, path + "/state?at=3", path + "/event?seq=2", "/live", "/enter", "/enter?token=", "/enter?token=00", "/assets/x/ui.js"} {
		secret(s.ask(http.MethodGet, p, nil, nil))
	}
	secret(s.ask(http.MethodGet, path, nil, http.Header{"Cookie": {"journal-" + port(s) + "=00"}}))

	address := s.pages.Enter(path)
	code, body := s.ask(http.MethodGet, address, nil, nil)
	if code != http.StatusOK || !strings.Contains(body, `url=`+path) || strings.Contains(body, "token") {
		t.Fatalf("entering ends with %d: %s", code, body)
	}
	s.page(path, "token bucket")
	cookies := s.Jar.Cookies(must(url.Parse(s.URL)))
	if len(cookies) != 1 || strings.Contains(address, cookies[0].Value) {
		t.Errorf("cookies %v", cookies)
	}
	// The address is spent, whoever brings it.
	secret(s.ask(http.MethodGet, address, nil, http.Header{"Cookie": {""}}))

	// An address leads to no other site.
	for _, to := range []string{"https://evil.example/", "//evil.example/", "/\\evil.example"} {
		if _, body := s.ask(http.MethodGet, s.pages.Enter("/")+"&to="+url.QueryEscape(to), nil, nil); strings.Contains(body, "evil") {
			t.Errorf("an address leads to %s: %s", to, body)
		}
	}

	// Another name of this machine is somebody else's page (DNS rebinding), with the cookie too.
	for _, host := range []string{"evil.example", "evil.example:" + port(s), "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:" + port(s)} {
		secret(s.ask(http.MethodGet, path, nil, http.Header{"Host": {host}}))
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func port(s *site) string { return must(url.Parse(s.URL)).Port() }

// Every answer forbids what could make a script of a text, or show the page within another.
func TestHeaders(t *testing.T) {
	t.Parallel()
	s := newSite(t, newMemory(t, work...))
	for _, in := range []bool{false, true} {
		if in {
			s.let()
		}
		for _, path := range []string{"/", "/p/p-1/s/s", "/p/p-1/s/s/event?seq=2", "/nothing"} {
			answer, err := s.Get(s.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			h := answer.Header
			policy := h.Get("Content-Security-Policy")
			for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
				if !strings.Contains(policy, want) {
					t.Errorf("%s: the policy is %q", path, policy)
				}
			}
			if strings.Contains(policy, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %v", path, h)
			}
			if c := h.Get("Access-Control-Allow-Origin"); c != "" {
				t.Errorf("%s may be read by %s", path, c)
			}
		}
	}
}

// The one write needs the token of a page of ours, and comes from no other.
func TestNote(t *testing.T) {
	t.Parallel()
	s := newSite(t, newMemory(t, work...)).let()
	path := "/p/p-1/s/s"
	form := regexp.MustCompile(`name="form" content="(\w+)"`).FindStringSubmatch(s.page(path + "/compactions"))[1]
	items := url.Values{"items": {"decision-5"}}
	refused := func(method, path string, h http.Header) {
		t.Helper()
		if code, body := s.ask(method, path, items, h); code < 400 || len(s.notes) > 0 {
			t.Errorf("%s %v ends with %d: %s", method, h, code, body)
		}
	}
	refused(http.MethodPost, path+"/note", nil)
	refused(http.MethodPost, path+"/note", http.Header{"X-Journal-Form": {"00"}})
	refused(http.MethodPost, path+"/note", http.Header{"X-Journal-Form": {form}, "Origin": {"https://evil.example"}})
	refused(http.MethodPost, path+"/note", http.Header{"X-Journal-Form": {form}, "Sec-Fetch-Site": {"cross-site"}})
	refused(http.MethodPost, path+"/note", http.Header{"X-Journal-Form": {form}, "Origin": {"http://127.0.0.1:1"}})
	refused(http.MethodGet, path+"/note", http.Header{"X-Journal-Form": {form}})
	items.Set("items", "decision-99")
	refused(http.MethodPost, path+"/note", http.Header{"X-Journal-Form": {form}})
	items.Set("items", "decision-5 todo-4.2")
	code, body := s.ask(http.MethodPost, path+"/note", items, http.Header{"X-Journal-Form": {form}, "Origin": {s.URL}, "Sec-Fetch-Site": {"same-origin"}})
	if code != http.StatusOK || !strings.Contains(body, "#7") || len(s.notes) != 1 {
		t.Fatalf("the note ends with %d: %s (%d notes)", code, body, len(s.notes))
	}
	n := s.notes[0]
	if n.Target.Session != "s" || n.Target.Project != "p-1" || !strings.Contains(n.Text, "no goroutines") || !strings.Contains(n.Text, "zero value") || n.Heading == "" {
		t.Errorf("noted %+v", n)
	}
}

// hostile are texts as no friend writes them.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `</title></style><svg onload=alert(1)>`,
	`{{.}}${alert(1)}`, `javascript:alert(1)`, "\x1b]0;owned\x07\x1b[31mred\x1b[2J", "user\u202egnp.exe", "tag\U000e0041s", "a\x00b", "half \xff\xfe",
	strings.Repeat("x", 40_000), strings.Repeat("넓", 20_000) + "<b>x",
}

// What the log holds reaches the browser as text, on every page, however hostile it is.
func TestHostile(t *testing.T) {
	t.Parallel()
	var es []events.Event
	for _, text := range hostile {
		es = append(es,
			events.SessionStarted{Source: text, Root: text, Model: text}, events.PromptSubmitted{Text: text}, events.DecisionRecorded{Text: text},
			events.CommandRan{Command: text, Failed: true, Error: text, Output: text}, events.CommandRan{Command: text}, events.CommandRan{Command: text, Failed: true, Error: text},
			events.FileWritten{Path: text, Op: text}, events.TodosWritten{Todos: []events.Todo{{Text: text, Status: text}}},
			events.PhaseEntered{Skill: text, Phase: text, Name: text}, events.PortDefined{Port: text, Title: text, Items: []string{text}},
			events.NoteRecorded{Text: text, Heading: text}, events.SubagentStarted{AgentType: text}, events.TurnFailed{Error: text, Details: text},
			events.PlanApproved{Text: text}, events.QuestionAnswered{Question: text, Answer: text}, events.TurnEnded{Text: text},
			events.CompactionIntended{Trigger: text}, events.ContextRestarted{}, events.CompactionCompleted{Trigger: text, Summary: "<summary>" + text + "</summary>"},
		)
	}
	s := newSite(t, newMemory(t, es...)).let()
	path := "/p/p-1/s/s"
	n := len(es)
	pages := []string{"/", "/sessions", "/sessions?q=" + url.QueryEscape(hostile[0]), path, "/projects", "/p/p-1", path + "/compactions", path + "/talk", "/search?q=" + url.QueryEscape(hostile[0]), path + "/talk?before=60", path + "/chart?lost=1", "/search?part=1&project=p-1&session=s&q=" + url.QueryEscape(hostile[0])}
	for seq := 1; seq <= n; seq += 19 {
		pages = append(pages, fmt.Sprintf("%s/state?at=%d", path, seq), fmt.Sprintf("%s/event?seq=%d", path, seq), fmt.Sprintf("%s/rows?from=%d", path, seq))
	}
	pages = append(pages, fmt.Sprintf("%s/recovery?at=%d", path, n), path+"/compactions?c=18")
	for _, p := range pages {
		body := s.page(p)
		body = regexp.MustCompile(`<script type="module" src="/assets/\w+/ui.js"></script>`).ReplaceAllString(body, "")
		for _, bad := range []string{"<script", "<img", "<svg onload", "<b>x", "\x1b", "\x00", "\x07", "\u202e", "\U000e0041", "' onmouseover='", `href="javascript:`, "</title></style>"} {
			if i := strings.Index(body, bad); i >= 0 {
				t.Errorf("%s holds %q: …%.200s", p, bad, body[max(0, i-80):])
			}
		}
		if len(body) > 3<<20 {
			t.Errorf("%s has %d bytes", p, len(body))
		}
	}
}

// serve has the pages answer on a listener until the test ends.
func serve(t *testing.T, s *site, l net.Listener) {
	ctx, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.pages.Serve(ctx, l) }()
	t.Cleanup(func() {
		end()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// A listener of the loopback is open to all; what it is asked by another user of the machine
// it does not answer.
func TestAnotherUser(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serve(t, newSite(t, newMemory(t, work...)), l)
	asked := func(c net.Conn) string {
		defer c.Close()
		fmt.Fprintf(c, "GET / HTTP/1.0\r\nHost: x\r\n\r\n")
		b := make([]byte, 1)
		n, _ := c.Read(b) // nothing from a connection that was closed
		return string(b[:n])
	}
	own, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if asked(own) == "" {
		t.Error("the person gets no answer")
	}
	foreign, err := dialAs(65534, l.Addr().String())
	if err != nil {
		t.Skip("another user cannot be played here: ", err)
	}
	if got := asked(foreign); got != "" {
		t.Errorf("another user is answered: %q", got)
	}
}
