package browser

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// large is a journal directory with a long session, and the session: DIR:SESSION. What it
// measures is told and not judged: other work on the machine counts.
var large = os.Getenv("JOURNAL_UI_LARGE")

// spread tells the middle and the end of some times in milliseconds.
func spread(all []float64) string {
	slices.Sort(all)
	return fmt.Sprintf("p50 %.0f ms, p90 %.0f ms, p95 %.0f ms, least %.0f ms, most %.0f ms of %d",
		all[len(all)/2], all[len(all)*9/10], all[len(all)*95/100], all[0], all[len(all)-1], len(all))
}

// TestSpeed measures what a person waits for, in a browser.
func TestSpeed(t *testing.T) {
	needsBrowser(t)
	dir, session, ok := strings.Cut(large, ":")
	if !ok {
		t.Skip("JOURNAL_UI_LARGE=DIR:SESSION names a long session")
	}
	j := newJournal(t)
	j.env = append(j.env, "JOURNAL_DIR="+dir)
	b := newBrowser(t, "en")
	b.size(1280, 800, false)

	var first, shown, again []float64
	paint := func() float64 {
		return js[float64](b, `new Promise(done => { const look = () => { const p = performance.getEntriesByName('first-contentful-paint')[0]; p ? done(p.startTime) : setTimeout(look, 5) }; look() })`)
	}
	path := ""
	for range 5 {
		enter := j.serve() // which read nothing yet
		b.open(enter)
		if path == "" {
			b.open(j.origin + "/sessions")
			path = js[string](b, fmt.Sprintf(`[...document.querySelectorAll('.card-link')].find(a => a.href.includes(%q)).pathname`, session))
		}
		b.open(j.origin + path)
		first = append(first, paint())
		shown = append(shown, js[float64](b, `new Promise(done => new PerformanceObserver(list => done(list.getEntries().at(-1).startTime)).observe({type: 'largest-contentful-paint', buffered: true}))`))
		b.open(j.origin + path)
		again = append(again, paint())
		b.run(chromedp.Navigate("about:blank")) // before its server ends
	}
	b.open(j.origin + path)
	t.Logf("%s events: first paint of a session that was not read: %s", js[string](b, "document.querySelector('main').dataset.total"), spread(first))
	t.Logf("until all of it is painted: %s", spread(shown))
	t.Logf("first paint of one that was: %s", spread(again))

	n := js[int](b, `+document.querySelector('main').dataset.total`)
	var drags []float64
	for range 40 {
		drags = append(drags, js[float64](b, fmt.Sprintf(`new Promise(done => {
			const slider = document.querySelector('[data-slider]'), state = document.querySelector('[data-state]'), from = performance.now();
			const seen = new MutationObserver(() => { if (document.querySelector('[data-moment]')?.dataset.place === slider.value) { seen.disconnect(); requestAnimationFrame(() => done(performance.now() - from)) } });
			seen.observe(state, {childList: true});
			slider.value = %d; slider.dispatchEvent(new Event('input', {bubbles: true}));
		})`, rand.IntN(n-2)+1)))
	}
	t.Logf("drag to any place, until it is drawn: %s", spread(drags))

	// Dragged through from end to end: how long what blocks the page takes, and how old a place is when its state is drawn.
	through := js[struct{ Tasks, Waits []float64 }](b, `new Promise(done => {
		const slider = document.querySelector('[data-slider]'), state = document.querySelector('[data-state]'), tasks = [], waits = [], set = new Map(), steps = 240; let i = 0;
		new PerformanceObserver(list => { for (const one of list.getEntries()) tasks.push(one.duration) }).observe({type: 'longtask'});
		new MutationObserver(() => { const at = set.get(document.querySelector('[data-moment]')?.dataset.place); if (at) requestAnimationFrame(() => waits.push(performance.now() - at)) }).observe(state, {childList: true});
		const step = () => {
			slider.value = Math.round((slider.max - 1) * i / steps); set.set(slider.value, performance.now());
			slider.dispatchEvent(new Event('input', {bubbles: true}));
			i++ < steps ? requestAnimationFrame(step) : setTimeout(() => done({Tasks: tasks.concat(0), Waits: waits}), 1000);
		};
		requestAnimationFrame(step);
	})`)
	t.Logf("dragged through all of it: tasks of over 50 ms: %s; until a place is drawn: %s", spread(through.Tasks), spread(through.Waits))

	// Scrolled through from end to end, no frame is late.
	frames := js[[]float64](b, `new Promise(done => {
		const list = document.querySelector('[data-rows]'), all = [], steps = 240; let last = performance.now(), i = 0;
		const step = () => { const now = performance.now(); all.push(now - last); last = now; list.scrollTop = list.scrollHeight * i / steps; i++ < steps ? requestAnimationFrame(step) : done(all.slice(2)) };
		requestAnimationFrame(step);
	})`)
	t.Logf("frames while all of the list is scrolled through in four seconds: %s", spread(frames))

	hooks := func(n int) (took []float64) {
		for range n {
			from := time.Now()
			j.hook(map[string]any{"session_id": "feedfeed-0000-4000-8000-000000000001", "hook_event_name": "UserPromptSubmit", "prompt": "go on", "cwd": "/home/dev/project"})
			took = append(took, float64(time.Since(from).Microseconds())/1000)
		}
		return took
	}
	hooks(5)
	t.Logf("owner's memory with one page: %s; hooks: %s", j.memory(), spread(hooks(40)))
	b.listeners(9, j.origin+"/live?"+url.Values{"project": {strings.Split(path, "/")[2]}, "session": {session}}.Encode())
	t.Logf("with ten pages: hooks: %s; owner's memory: %s", spread(hooks(40)), j.memory())

	b.open(j.origin + "/p/" + strings.Split(path, "/")[2] + "/s/" + session)
	var late []float64
	for i := range 10 {
		js[any](b, `(window.heard = 0, new MutationObserver(() => { window.heard = window.heard || Date.now() }).observe(document.querySelector('[data-state]'), {childList: true}))`)
		cwd := js[string](b, `[...document.querySelectorAll('dt')].find(e => e.textContent === 'root')?.nextElementSibling.textContent ?? ''`)
		j.hook(map[string]any{"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": fmt.Sprint("live ", i), "cwd": cwd})
		ended := time.Now().UnixMilli()
		b.until(`window.heard`)
		late = append(late, max(0, js[float64](b, `window.heard`)-float64(ended)))
	}
	b.run(chromedp.Navigate("about:blank"))
	t.Logf("a hook's event on the page after the hook ended: %s", spread(late))
}

// listeners are as many more pages that hear what happens, with the cookie of the browser.
func (b *browser) listeners(n int, address string) {
	b.Helper()
	var cookies []*network.Cookie
	b.run(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		cookies, err = network.GetCookies().Do(ctx)
		return err
	}))
	for range n {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address, nil)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range cookies {
			r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil || answer.StatusCode != http.StatusOK {
			b.Fatalf("%v, %v", answer, err)
		}
		go io.Copy(io.Discard, answer.Body) // until the test ends
	}
}

// memory tells what the owner of the log holds of the machine's memory.
func (j *journal) memory() string {
	j.Helper()
	out := j.journal("", "status")
	for word := range strings.FieldsSeq(out) {
		if pid, err := strconv.Atoi(strings.Trim(word, "(),")); err == nil && pid > 1 {
			b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
			if err != nil {
				continue
			}
			for line := range strings.Lines(string(b)) {
				if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
					return strings.TrimSpace(rest)
				}
			}
		}
	}
	return "unknown"
}
