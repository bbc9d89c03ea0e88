package browser

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/team/hub"
)

// member makes a journal one of a team's.
func (j *journal) member(h *hubtest.Hub, name string) {
	j.Helper()
	j.journal("", "team", "join", h.Member(j, name).Line())
}

// TestTeam: what others share has the same pages as one's own, and nothing is written there.
func TestTeam(t *testing.T) {
	needsBrowser(t)
	bob, alice, carol := newJournal(t), newJournal(t), newJournal(t)
	h := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
	alice.member(h, "alice")
	carol.member(h, "carol")
	bob.member(h, "bob")
	h.Start(t)
	h.Announced(t)
	session := alice.play()
	carol.hook(map[string]any{"session_id": "carols", "hook_event_name": "UserPromptSubmit", "prompt": "</bdi><img src=x onerror=alert(1)>\u202ehostile", "cwd": "/home/dev/project"})
	for _, j := range []*journal{alice, carol} {
		j.journal("", "team", "share", "--all", "--yes")
		testutil.Eventually(t, "the hub has the log", func() bool {
			out := j.journal("", "team", "status", "--json")
			return strings.Contains(out, `"copy": 1`) && strings.Contains(out, `"behind": 0`)
		})
	}
	bob.hook(map[string]any{"session_id": "bobs", "hook_event_name": "UserPromptSubmit", "prompt": "a word of mine", "cwd": "/home/dev/project"})
	dave := h.Member(t, "dave")
	h.Announced(t)
	hubtest.Forge(t, dave)

	b := newBrowser(t, "en")
	b.size(1280, 800, false)
	b.open(bob.serve("--team"))
	if path := js[string](b, "location.pathname"); path != "/t/" {
		t.Errorf("it begins at %s", path)
	}
	if said := js[string](b, "document.querySelector('main').innerText"); !strings.Contains(said, "dave") || !strings.Contains(said, "alice") || !strings.Contains(said, "carol") || strings.Contains(said, "a word of mine") {
		t.Errorf("the list says:\n%s", said)
	}
	// The list is searched in place.
	b.run(chromedp.SendKeys("main input[name=q]", "bucket"))
	b.until("document.querySelectorAll('.card').length === 1 && location.search.includes('q=bucket') && location.pathname === '/t/'")
	b.until("document.querySelector('[data-lost] .bar')")
	b.click(".card-link")
	b.until("location.pathname.startsWith('/t/alice/') && document.querySelector('[data-slider]')")
	path := js[string](b, "location.pathname")
	if !strings.HasSuffix(path, session) {
		t.Errorf("the session is %s, not %s", path, session)
	}
	if whose := js[string](b, "document.querySelector('.whose').innerText"); !strings.Contains(whose, "alice") {
		t.Errorf("it says of whose it is: %s", whose)
	}
	// Time travel, search and what compactions lost are as in one's own.
	before := js[string](b, "document.querySelector('main').dataset.at")
	b.key("k")
	b.until("new URL(location).searchParams.get('at') && new URL(location).searchParams.get('at') !== '" + before + "' && location.pathname === '" + path + "'")
	b.open(bob.origin + path + "/compactions")
	if js[bool](b, "!!document.querySelector('[data-confirm]')") || !js[bool](b, "!!document.querySelector('[data-copy]')") {
		t.Error("a note may be written, or nothing may be copied")
	}
	b.click(".known [data-restore]")
	b.until("document.querySelector('#ask').open && document.querySelector('[data-preview]').textContent")
	// It goes on with the copy.
	b.open(bob.origin + path)
	total := js[string](b, "document.querySelector('main').dataset.total")
	alice.hook(map[string]any{"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": "a word of today", "cwd": "/home/dev/project"})
	b.until("+document.querySelector('main').dataset.total > " + total + " && parseInt(document.querySelector('[data-events]').innerText) > " + total)

	place := path[:strings.Index(path, "/p/")]
	screens(t, b, bob.origin, map[string]string{"team": "/t/", "team-session": path, "team-member": place + "/", "team-project": strings.Split(path, "/s/")[0]})
	b.open(bob.origin + "/")
	if own := js[string](b, "document.querySelector('main').innerText"); !strings.Contains(own, "a word of mine") || strings.Contains(own, "bucket") {
		t.Errorf("the own list says:\n%s", own)
	}
}
