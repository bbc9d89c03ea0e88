package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"journal/cmd/journal/cli"
	"journal/cmd/testkit/testutil"
)

// uiProcess is a journal ui that runs, and a browser that it let in.
type uiProcess struct {
	*world
	*http.Client
	origin string
	stop   func() // ends it
	said   *strings.Builder
}

// startUI starts journal ui and lets a browser in by the address that it prints.
func (w *world) startUI(args ...string) (p uiProcess, first string) {
	w.Helper()
	c := w.command(append([]string{"ui"}, args...)...)
	out, err := c.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	var errOut strings.Builder
	c.Stderr = &errOut
	if err := c.Start(); err != nil {
		w.Fatal(err)
	}
	stop := sync.OnceFunc(func() {
		c.Process.Signal(os.Interrupt)
		if err := c.Wait(); err != nil {
			w.Errorf("journal ui ends with %v: %s", err, errOut.String())
		}
	})
	w.Cleanup(stop)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		w.Fatalf("journal ui prints %q: %v, %s", line, err, errOut.String())
	}
	address, err := url.Parse(strings.TrimSpace(line))
	if err != nil || address.Hostname() != "127.0.0.1" {
		w.Fatalf("the address is %q (%v)", line, err)
	}
	p = uiProcess{w, &http.Client{}, "http://" + address.Host, stop, &errOut}
	p.Jar, _ = cookiejar.New(nil)
	body := p.get(address.RequestURI())
	leads := regexp.MustCompile(`url=([^"]*)`).FindStringSubmatch(body)
	if leads == nil {
		w.Fatalf("the address gives %q", body)
	}
	return p, leads[1]
}

// get gives a page that is there.
func (p uiProcess) get(path string) string {
	p.Helper()
	answer, err := p.Get(p.origin + path)
	if err != nil {
		p.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		p.Fatalf("%s ends with %d: %s (%v)", path, answer.StatusCode, b, err)
	}
	return string(b)
}

// The pages show what hooks told, go on with them, and through the next owner; the note is
// the one thing that they write, and the owner records it in the session's project.
func TestUI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play(recorded, 1, false)
	p, path := w.startUI("--session", "10cf")
	for part, want := range map[string]string{
		"":              "Make the rate limiter a token bucket",
		"/compactions":  "2, manual",
		"/talk":         `data-copies="cd &#39;/home/dev/project&#39; &amp;&amp; claude --resume 10cf952f-`,
		"/recovery":     "word for word as it was given",
		"/state?at=12":  `data-seq="12"`,
		"/chart?lost=1": `class="compaction offered"`,
	} {
		if body := p.get(path + part); !strings.Contains(body, want) {
			t.Errorf("%s does not say %q:\n%.3000s", path+part, want, body)
		}
	}
	if body := p.get("/sessions"); !strings.Contains(body, path) {
		t.Errorf("the list does not lead to %s", path)
	}

	w.run("", "stop") // the next owner answers
	heard := p.listen(path)
	session := path[strings.LastIndexByte(path, '/')+1:]
	w.hook(`{"session_id":"` + session + `","hook_event_name":"UserPromptSubmit","prompt":"a word of today","cwd":"/home/dev/project"}`)
	if got := heard(); !strings.Contains(got, `"events"`) {
		t.Errorf("the page is told %q", got)
	}

	items := regexp.MustCompile(`data-item="([^"]+)"`).FindStringSubmatch(p.get(path + "/compactions"))
	form := regexp.MustCompile(`name="form" content="(\w+)"`).FindStringSubmatch(p.get(path))[1]
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.origin+path+"/note", strings.NewReader(url.Values{"items": {items[1]}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Journal-Form", form)
	answer, err := p.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("the note ends with %d", answer.StatusCode)
	}
	out, _, _ := w.run("", "log", "--session", session, "--type", "note.recorded", "--json")
	project := strings.Split(path, "/")[2]
	if !strings.Contains(out, items[1]) || !strings.Contains(out, `"project":"`+project+`"`) {
		t.Errorf("recorded is %s", out)
	}
}

// A session of a transcript has ended on the page as it has in journal sessions (S0.10).
func TestUIOfTranscript(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "aaaa.jsonl")
	row := `{"type":"user","uuid":"u1","sessionId":"aaaa","cwd":"/p","timestamp":"2026-03-01T10:00:00Z","message":{"role":"user","content":"an old request"}}`
	if err := os.WriteFile(path, []byte(row+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.imported(path)
	if out, _, _ := w.run("", "sessions", "--all"); !strings.Contains(out, "ended") {
		t.Errorf("journal sessions says %s", out)
	}
	p, _ := w.startUI()
	if body := p.get("/sessions"); !strings.Contains(body, "an old request") || !strings.Contains(body, "<span>ended</span>") {
		t.Errorf("the page says %s", body)
	}
}

// listen hears what a page is told from now on; what it gives waits for the next message.
func (p uiProcess) listen(path string) func() string {
	p.Helper()
	base, path, _ := strings.Cut(path, "/p/")
	parts := strings.Split("/p/"+path, "/") // "", p, project, s, session
	ctx, cancel := context.WithTimeout(p.Context(), testutil.Patience)
	p.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.origin+base+"/live?"+url.Values{"project": {parts[2]}, "session": {parts[4]}}.Encode(), nil)
	if err != nil {
		p.Fatal(err)
	}
	answer, err := p.Do(r)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	next := func(prefix string) string {
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), prefix) {
				return lines.Text()
			}
		}
		p.Fatalf("no message comes: %v", lines.Err())
		return ""
	}
	next("data: ") // it listens
	return func() string { return next("data: ") }
}

// The address is the same each time, and who was let in is so again, until browsers are forgotten.
func TestUIAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play(recorded, 1, false)
	p, path := w.startUI("--session", "10cf")
	p.stop()
	again, _ := w.startUI()
	if again.origin != p.origin {
		t.Errorf("the second address is %s, the first %s", again.origin, p.origin)
	}
	if body := p.get(path); !strings.Contains(body, "token bucket") {
		t.Errorf("the page is %.300s", body)
	}
	// A port that is taken is said.
	other, _ := w.startUI("--session", "10cf")
	if other.stop(); !strings.Contains(other.said.String(), "is taken") {
		t.Errorf("of the port it says %q", other.said.String())
	}
	if out, errOut, code := w.run("", "ui", "--forget-browsers"); code != 0 || !strings.Contains(out, "3 browsers") {
		t.Errorf("forgetting ends with %d: %s %s", code, out, errOut)
	}
	answer, err := p.Get(p.origin + path)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden {
		t.Errorf("a forgotten browser is answered with %d", answer.StatusCode)
	}
}

// It listens on the loopback alone, and begins with no session that there is not.
func TestUIRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, errOut, code := w.run("", "ui", "--listen", "0.0.0.0:0"); code != cli.ExitUsage || !strings.Contains(errOut, "loopback") {
		t.Errorf("all addresses: %d, %s", code, errOut)
	}
	if _, errOut, code := w.run("", "ui"); code != cli.ExitError || !strings.Contains(errOut, "there is no journal") {
		t.Errorf("without a journal: %d, %s", code, errOut)
	}
	w.play(recorded, 1, false)
	if _, errOut, code := w.run("", "ui", "--session", "ffff"); code != cli.ExitError || !strings.Contains(errOut, "no session") {
		t.Errorf("an unknown session: %d, %s", code, errOut)
	}
}
