package main

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"journal/cmd/journal/cli"
	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/team/hub"
)

// teamed makes a member of a team out of a world.
func (w *world) teamed(h *hubtest.Hub, name string) {
	w.Helper()
	if _, errOut, code := w.run("", "team", "join", h.Member(w, name).Line()); code != 0 {
		w.Fatal(errOut)
	}
}

// shares gives a world's whole log to its team, and waits until the hub has it.
func (w *world) shares() {
	w.Helper()
	if _, errOut, code := w.run("", "team", "share", "--all", "--yes"); code != 0 {
		w.Fatal(errOut)
	}
	w.atHub()
}

// atHub waits until the hub has what a world gives.
func (w *world) atHub() {
	w.Helper()
	testutil.Eventually(w, "the hub has the log", func() bool {
		out, _, _ := w.run("", "team", "status", "--json")
		return strings.Contains(out, `"copy": 1`) && strings.Contains(out, `"behind": 0`)
	})
}

// What others share is listed with whose it is, and each session of theirs has the same pages, which go on
// with the copy and write nothing; who cannot be read is named, and one's own pages do not change.
func TestUITeam(t *testing.T) {
	t.Parallel()
	bob, alice := newWorld(t), newWorld(t)
	h := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
	alice.teamed(h, "alice")
	bob.teamed(h, "bob")
	h.Start(t)
	h.Announced(t)
	alice.play(recorded, 1, false)
	alice.hook(`{"session_id":"other","hook_event_name":"UserPromptSubmit","prompt":"<script>alert('hostile')</script>","cwd":"/home/dev/project"}`)
	alice.shares()
	bob.hook(`{"session_id":"bobs","hook_event_name":"UserPromptSubmit","prompt":"a word of mine","cwd":"/home/dev/project"}`)

	if _, errOut, code := newWorld(t).run("", "ui", "--team"); code != cli.ExitError || !strings.Contains(errOut, "journal team join INVITATION") {
		t.Errorf("without a team: %d, %s", code, errOut)
	}
	p, first := bob.startUI("--team")
	if first != "/t/" {
		t.Errorf("it begins with %s", first)
	}
	list := p.get("/t/")
	session := regexp.MustCompile(`href="(/t/alice/[0-9a-f]{8}/p/[^"/]+/s/10cf[^"/]+)"`).FindStringSubmatch(list)
	if session == nil || !strings.Contains(list, "Make the rate limiter a token bucket") || !strings.Contains(list, ">alice<") {
		t.Fatalf("the list is:\n%s", list)
	}
	if strings.Contains(list, "<script>alert") || strings.Contains(list, "a word of mine") {
		t.Errorf("the list has what it should not:\n%s", list)
	}
	path := session[1]
	for part, want := range map[string]string{
		"":              "alice, on device",
		"/compactions":  "2, manual",
		"/recovery":     "token bucket",
		"/state?at=12":  `data-seq="12"`,
		"/chart?lost=1": `class="compaction offered"`,
	} {
		body := p.get(path + part)
		if !strings.Contains(body, want) {
			t.Errorf("%s does not say %q:\n%.3000s", path+part, want, body)
		}
		if leads := regexp.MustCompile(`(?:href|action|data-path)="(/p/[^"]*|/projects[^"]*|/\?[^"]*)"`).FindStringSubmatch(body); leads != nil && leads[1] != "/projects" {
			t.Errorf("%s leads into the own log: %s", path+part, leads[1])
		}
	}
	if body := p.get(path + "/compactions"); strings.Contains(body, "data-note") || !strings.Contains(body, "data-copy") {
		t.Errorf("what was lost may not be copied, or may be written:\n%.2000s", body)
	}
	form := regexp.MustCompile(`name="form" content="(\w+)"`).FindStringSubmatch(p.get(path))[1]
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.origin+path+"/note", strings.NewReader("items=x"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Journal-Form", form)
	answer, err := p.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusMethodNotAllowed && answer.StatusCode != http.StatusNotFound {
		t.Errorf("a note in a colleague's session ends with %d", answer.StatusCode)
	}
	if own := p.get("/sessions"); !strings.Contains(own, "a word of mine") || strings.Contains(own, "token bucket") {
		t.Errorf("the own list is:\n%s", own)
	}
	if of := p.get(path[:strings.Index(path, "/p/")] + "/sessions"); !strings.Contains(of, `href="`+path+`"`) {
		t.Errorf("alice's list is:\n%s", of)
	}

	heard := p.listen(path)
	alice.hook(`{"session_id":"` + path[strings.LastIndexByte(path, '/')+1:] + `","hook_event_name":"UserPromptSubmit","prompt":"a word of today","cwd":"/home/dev/project"}`)
	if got := heard(); !strings.Contains(got, `"events"`) {
		t.Errorf("the page is told %q", got)
	}
	// Begun with a session of hers, and with one of nobody's.
	if _, first := bob.startUI("--team", "--session", "alice/10cf"); first != path {
		t.Errorf("it begins with %s, not with %s", first, path)
	}
	if _, _, code := bob.run("", "ui", "--team", "--session", "carol/10cf"); code != cli.ExitError {
		t.Errorf("a session of nobody: %d", code)
	}
	for _, nobody := range []string{"/t/carol/00000000/", "/t/alice/00000000/", "/t/bob/00000000/"} {
		if answer, err := p.Get(p.origin + nobody); err != nil || answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s ends with %v (%v)", nobody, answer.Status, err)
		}
	}
	// What dave has there he did not sign: he is named, and the rest is shown.
	dave := h.Member(t, "dave")
	h.Announced(t)
	hubtest.Forge(t, dave)
	fresh, _ := bob.startUI("--team")
	if list := fresh.get("/t/"); !strings.Contains(list, "what dave shares") || !strings.Contains(list, path) {
		t.Errorf("the list is:\n%s", list)
	}
	// Without the hub the list says so, and one's own pages go on.
	h.StopAll()
	lost, _ := bob.startUI("--team")
	if list := lost.get("/t/"); !strings.Contains(list, "reach the hub of acme") {
		t.Errorf("the list is:\n%s", list)
	}
	if own := lost.get("/sessions"); !strings.Contains(own, "a word of mine") {
		t.Errorf("the own list is:\n%s", own)
	}
}
