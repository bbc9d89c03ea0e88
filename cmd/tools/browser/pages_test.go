package browser

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// programs is where journal and journal-hook are; make e2e-ui says it. Without it, and
// without a browser, nothing is driven.
var programs = os.Getenv("JOURNAL_E2E_BIN")

// journal is one user: a home with a journal directory, and the real programs.
type journal struct {
	testing.TB
	env    []string
	origin string
}

// needsBrowser skips where there is nothing to drive.
func needsBrowser(t testing.TB) {
	t.Helper()
	switch {
	case programs == "":
		t.Skip("make e2e-ui drives the pages")
	case executable() == "":
		t.Skip("no Chromium here: the pages are not driven")
	}
}

func newJournal(t testing.TB) *journal {
	t.Helper()
	home := t.TempDir()
	j := &journal{TB: t, env: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C", "JOURNAL_DIR=" + filepath.Join(home, "j"), "JOURNAL_COMMAND=journal", "JOURNAL_IDLE=5m", "TZ=UTC"}}
	t.Cleanup(func() { j.journal("", "stop") })
	return j
}

// journal runs the program and gives its stdout.
func (j *journal) journal(stdin string, args ...string) string {
	j.Helper()
	return j.exec("journal", stdin, args...)
}

func (j *journal) exec(name, stdin string, args ...string) string {
	j.Helper()
	c := exec.Command(filepath.Join(programs, name), args...)
	var out, errOut bytes.Buffer
	c.Env, c.Stdin, c.Stdout, c.Stderr = j.env, strings.NewReader(stdin), &out, &errOut
	if err := c.Run(); err != nil {
		j.Fatalf("%s %s: %v\n%s", name, args, err, errOut.String())
	}
	return out.String()
}

// hook runs one hook as the agent does.
func (j *journal) hook(fields map[string]any) {
	j.Helper()
	b, err := json.Marshal(fields)
	if err != nil {
		j.Fatal(err)
	}
	j.exec("journal-hook", string(b), "claude")
}

// play plays the recorded session of the demo.
func (j *journal) play() (session string) {
	j.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "journal", "testdata", "streams", "claude-2.1.329.jsonl"))
	if err != nil {
		j.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		j.exec("journal-hook", line, "claude")
		var about struct {
			Session string `json:"session_id"`
		}
		if json.Unmarshal([]byte(line), &about) == nil {
			session = about.Session
		}
	}
	return session
}

// serve starts journal ui, and gives an address that lets a browser in.
func (j *journal) serve(args ...string) (enter string) {
	j.Helper()
	c := exec.Command(filepath.Join(programs, "journal"), append([]string{"ui"}, args...)...)
	c.Env = j.env
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		j.Fatal(err)
	}
	j.Cleanup(func() {
		c.Process.Signal(os.Interrupt)
		c.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		j.Fatal(err)
	}
	enter = strings.TrimSpace(line)
	j.origin, _, _ = strings.Cut(enter, "/enter")
	return enter
}

// key presses a key where nothing is focused.
func (b *browser) key(key string) {
	b.Helper()
	b.run(chromedp.KeyEvent(key))
}

// at waits until the page shows the state after a sequence.
func (b *browser) at(seq string) {
	b.Helper()
	b.until(fmt.Sprintf(`document.querySelector('[data-moment]').dataset.seq === %q`, seq))
}

// click clicks the first element of a selector, wherever it is.
func (b *browser) click(selector string) {
	b.Helper()
	b.until(fmt.Sprintf("document.querySelector(%q)", selector))
	js[any](b, fmt.Sprintf("document.querySelector(%q).click()", selector))
}

// empty empties a field as a person does.
func (b *browser) empty(selector string) {
	b.Helper()
	js[any](b, fmt.Sprintf(`(field => { field.value = ''; field.dispatchEvent(new Event('input', {bubbles: true})) })(document.querySelector(%q))`, selector))
}

// Every part of the pages does what it is for, in a real browser, with real hooks.
func TestPages(t *testing.T) {
	needsBrowser(t)
	j := newJournal(t)
	session := j.play()
	j.hook(map[string]any{"session_id": session, "hook_event_name": "SessionStart", "source": "resume", "cwd": "/home/dev/project"})
	j.journal("", "decide", "--session", session, "keep the bucket a struct")
	j.journal("", "port", "define", "limiter", "--session", session, "--title", "Token bucket", "--item", "write it", "--item", "zero value")
	enter := j.serve()
	b := newBrowser(t, "en")
	b.size(1280, 800, false)
	b.open(enter)

	// The pages begin with today: what was asked, and what is unfinished.
	b.until(`document.querySelector('.unfinished li.going [data-copies]')?.dataset.copies.includes('claude --resume') && document.querySelector('.did .asked')`)
	b.until(`[...document.querySelectorAll('.figures b')].every(e => e.textContent !== '…')`) // what was lost came
	b.click("header nav a[href='/sessions']")

	// Sessions: what each lost comes by itself; the list is searched as one types.
	b.until(`document.querySelector('[data-lost] svg')`)
	b.until(`document.querySelector('.dot')`)
	b.run(chromedp.SendKeys("main input[name=q]", "nothing like it"))
	b.until(`!document.querySelector('.card')`)
	b.empty("main input[name=q]")
	b.run(chromedp.SendKeys("main input[name=q]", "bucket"))
	b.until(`document.querySelectorAll('.card').length === 1`)
	b.click(".card-link")
	b.until(`document.querySelector('main.session [aria-selected=true]')`)
	path := js[string](b, "location.pathname")

	t.Run("time travel", func(t *testing.T) {
		b.until(`document.querySelector('.compaction text').textContent.startsWith('?')`) // the audit came; no transcript shows that a text arrived
		last := js[string](b, `document.querySelector('[data-moment]').dataset.seq`)
		b.key("k")
		b.until(`document.querySelector('[data-moment]').dataset.seq !== ` + fmt.Sprintf("%q", last))
		b.until(`new URL(location).searchParams.get('at')`)
		if js[bool](b, `location.href.includes('token')`) {
			t.Error("the address holds the token")
		}
		b.key("j")
		b.at(last)
		js[any](b, `document.activeElement.blur()`)
		b.key(kb.Home)
		b.until(`document.querySelector('[data-slider]').value === '0'`)
		b.until(`document.querySelector('[data-moment]').dataset.place === '0'`)
		b.key("c")
		stop := js[string](b, `document.querySelectorAll('.compaction')[0].dataset.place`)
		b.until(`document.querySelector('[data-moment]').dataset.place === ` + fmt.Sprintf("%q", stop))
		b.until(`document.querySelector('.panel.changed')`)
		// A drag over the chart ends where it is let go, and what changed is told since it began.
		box := js[[]float64](b, `(() => { const r = document.querySelector('.plot').getBoundingClientRect(); return [r.left, r.top, r.width, r.height] })()`)
		drag := func(kind input.MouseType, share float64) chromedp.Action {
			return input.DispatchMouseEvent(kind, box[0]+share*box[2], box[1]+box[3]/2).WithButton(input.Left).WithButtons(1)
		}
		b.run(drag(input.MousePressed, 0.2))
		for share := 0.2; share < 0.9; share += 0.02 {
			b.run(drag(input.MouseMoved, share))
		}
		b.run(drag(input.MouseReleased, 0.5))
		b.until(`Math.abs(document.querySelector('[data-moment]').dataset.place / (document.querySelector('main').dataset.total - 1) - 0.88) < 0.05`)
		// The address leads there again.
		b.until(`new URL(location).searchParams.get('at') === document.querySelector('[data-moment]').dataset.seq`)
		place := js[string](b, `document.querySelector('[data-moment]').dataset.place`)
		b.open(js[string](b, "location.href"))
		if got := js[string](b, `document.querySelector('[data-moment]').dataset.place`); got != place {
			t.Errorf("the address leads to place %s, want %s", got, place)
		}
	})

	t.Run("conversation", func(t *testing.T) {
		b.open(j.origin + path)
		b.click(".views a[href*='/talk']")
		b.until(`document.querySelector('.talked .prompt') && document.querySelector('.talked .answer')`)
		js[any](b, `document.querySelector('.talked .compaction details[data-lazy]').open = true`)
		b.until(`document.querySelector('.talked .compaction pre')`)
		if said := js[string](b, `document.querySelector('[data-copies]').dataset.copies`); !strings.HasSuffix(said, "claude --resume "+session) {
			t.Errorf("what goes on with it is %q", said)
		}
		b.click(".talked .compaction a.seq")
		b.until(`document.querySelector('main.session [aria-selected=true]')`)
	})

	t.Run("search", func(t *testing.T) {
		b.open(j.origin + "/search?q=refilled")
		b.until(`document.querySelectorAll('.searched mark').length === 2`)
		b.click(".hit")
		b.until(`document.querySelector('main.session [aria-selected=true]')`)
	})

	t.Run("losses", func(t *testing.T) {
		b.open(j.origin + path)
		b.until(`document.querySelector('.compaction text').textContent.startsWith('?')`)
		b.run(chromedp.Click(".plot a .target"))
		b.until(`document.querySelector('main.compactions')`)
		b.open(j.origin + path)
	})

	t.Run("texts", func(t *testing.T) {
		js[any](b, `document.querySelector('#recovery').open = true`)
		b.until(`document.querySelector('#recovery pre')`)
		if said := js[string](b, `document.querySelector('#recovery').textContent`); !strings.Contains(said, "word for word") {
			t.Errorf("the recovery says %.600s", said)
		}
		js[any](b, `document.querySelector('#whole').open = true`)
		b.until(`document.querySelector('#whole dl')`)
	})

	t.Run("events", func(t *testing.T) {
		all := js[int](b, `+document.querySelector('.row').getAttribute('aria-setsize')`)
		b.click("[data-kind=command]")
		b.until(`document.querySelector('.row') && [...document.querySelectorAll('.row .type')].every(e => e.title.startsWith('command.') && e.textContent === 'Ran')`)
		if some := js[int](b, `+document.querySelector('.row').getAttribute('aria-setsize')`); some == 0 || some >= all {
			t.Errorf("%d of %d events are commands", some, all)
		}
		b.click("[data-kind=command]")
		b.until(fmt.Sprintf(`document.querySelector('.row')?.getAttribute('aria-setsize') === '%d'`, all))
		b.click("[data-internal]") // one switch shows what tells a person nothing
		b.until(fmt.Sprintf(`+document.querySelector('.row')?.getAttribute('aria-setsize') > %d`, all))
		b.click("[data-internal]")
		b.until(fmt.Sprintf(`document.querySelector('.row')?.getAttribute('aria-setsize') === '%d'`, all))
		b.key("/")
		b.until(`document.activeElement === document.querySelector('[data-find] input[name=q]')`)
		b.empty("[data-find] input[name=q]") // the protocol types the key into what it focused, as no keyboard does
		b.run(chromedp.SendKeys("[data-find] input[name=q]", "bucket"))
		b.until(`document.querySelector('.found .hit')`)
		seq := js[string](b, `document.querySelector('.found .hit').dataset.at`)
		b.click(".found .hit")
		b.at(seq)
		b.empty("[data-find] input[name=q]")
		b.until(`document.querySelector('[aria-selected=true]')`)
	})

	t.Run("search from any page", func(t *testing.T) {
		b.open(j.origin + path)
		b.run(chromedp.SendKeys("main input[name=q]", kb.Escape))
		js[any](b, `document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "k", ctrlKey: true, bubbles: true}))`)
		b.until(`document.activeElement.matches('.everything input')`)
		b.run(chromedp.SendKeys(".everything input", "bucket"))
		b.until(`document.querySelectorAll('.suggest a').length > 1`)
		b.run(chromedp.SendKeys(".everything input", kb.ArrowDown))
		b.until(`document.activeElement.matches('.suggest a[href*="/s/"]')`)
		b.empty(".everything input")
		b.run(chromedp.SendKeys(".everything input", "refilled"+kb.Enter))
		b.until(`location.pathname === '/search' && document.querySelectorAll('.searched mark').length === 2`)
	})

	t.Run("live", func(t *testing.T) {
		b.open(j.origin + path)
		n := js[int](b, `+document.querySelector('main').dataset.total`)
		j.hook(map[string]any{"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": "<b>as it comes</b>", "cwd": "/home/dev/project"})
		b.until(`document.querySelector('.now .what').textContent.includes('<b>as it comes</b>')`)
		b.until(fmt.Sprintf(`+document.querySelector('[data-slider]').max === %d`, n))
		b.until(`[...document.querySelectorAll('.row .what')].some(e => e.textContent.includes('<b>as it comes</b>'))`)
		// Who looks at the past stays there.
		b.key("k")
		b.until(`new URL(location).searchParams.get('at')`)
		seq := js[string](b, `document.querySelector('[data-moment]').dataset.seq`)
		j.hook(map[string]any{"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": "one more", "cwd": "/home/dev/project"})
		b.until(fmt.Sprintf(`+document.querySelector('[data-slider]').max === %d`, n+1))
		if now := js[string](b, `document.querySelector('[data-moment]').dataset.seq`); now != seq {
			t.Errorf("the page went to #%s", now)
		}
	})

	t.Run("compactions", func(t *testing.T) {
		b.open(j.origin + path + "/compactions")
		b.click(".known [data-restore]")
		b.until(`document.querySelector('#ask').open && document.querySelector('[data-preview]').textContent`)
		b.shoot("ask-1280-light", false)
		b.click("[data-cancel]")
		if out := j.journal("", "log", "--session", session, "--type", "note.recorded", "--json"); out != "" {
			t.Errorf("a note that was not wanted is recorded: %s", out)
		}
		b.open(j.origin + "/compactions")
		b.click(".survivals summary")
		b.click(".survivals [data-restore]")
		b.until(`document.querySelector('#ask').open`)
		b.click("[data-confirm]")
		b.until(`document.querySelector('#said').textContent.includes('#') && document.querySelector('#said a')`)
		if out := j.journal("", "log", "--session", session, "--type", "note.recorded", "--json"); strings.Count(out, "\n") != 1 {
			t.Errorf("recorded is %s", out)
		}
	})

	t.Run("projects", func(t *testing.T) {
		b.open(j.origin + "/projects")
		b.until(`document.querySelector('.card-use').textContent.includes('2 open tasks') && document.querySelector('[data-lost] svg')`)
		b.run(chromedp.Click(".card-link"))
		b.until(`document.querySelector('main.project')`)
		b.until(`document.body.textContent.includes('Token bucket')`)
	})

	t.Run("tasks", func(t *testing.T) { tasks(b, j.origin) })

	t.Run("axis", func(t *testing.T) {
		b.open(j.origin + path)
		b.click("[data-clock]")
		b.until(`document.querySelector('.chart').dataset.xs && document.querySelector('[data-slider]').max === '100'`)
		b.key(kb.Home)
		b.until(`document.querySelector('[data-moment]').dataset.place === '0' && document.querySelector('[data-slider]').value === '0'`)
		b.shoot("clock-1280-light", false)
		b.click("[data-clock]")
		b.until(`!document.querySelector('.chart').dataset.xs && document.querySelector('[data-slider]').value === '0'`)
	})

	t.Run("looks", func(t *testing.T) { looks(t, b, j.origin, path) })

	t.Run("another browser", func(t *testing.T) {
		other := newBrowser(t, "en")
		other.run(chromedp.Navigate("data:text/html,<title>elsewhere</title>"))
		js[any](other, `fetch(`+fmt.Sprintf("%q", j.origin+path)+`, {credentials: 'include'}).then(() => { throw new Error('read') }, () => 0)`)
		other.run(chromedp.Navigate(enter))
		if said := js[string](other, "document.body.textContent"); strings.Contains(said, "bucket") || !strings.Contains(said, "was used") {
			t.Errorf("an address that was used says %q", said)
		}
		other.mu.Lock()
		other.complaints = nil // a browser says so of a page that is refused
		other.mu.Unlock()
	})
}

// tasks are what somebody new wants to know, each with three clicks or one query from the first page.
func tasks(b *browser, origin string) {
	b.Helper()
	ask := func(words string) {
		b.open(origin + "/")
		b.run(chromedp.SendKeys(".everything input", words+kb.Enter))
		b.until(`location.pathname === '/search' && document.querySelector('.searched .hit')`)
	}
	// What did I spend this week?
	b.open(origin + "/")
	b.click("header nav a[href='/cost']")
	b.until(`document.querySelector('main.cost [aria-current=page]').textContent.startsWith('7') && document.querySelector('main.cost .figures b')`)
	// Where was it decided?
	ask("keep the bucket a struct")
	b.until(`document.querySelector('.hit b').title === 'decision.recorded'`)
	// What did the compaction lose? It is restored.
	b.open(origin + "/")
	b.click("header nav a[href='/compactions']")
	b.click(".survivals summary")
	b.click(".survivals [data-restore]")
	b.until(`document.querySelector('#ask').open && document.querySelector('[data-preview]').textContent && document.querySelector('[data-confirm]')`)
	// How do I go on with the unfinished session?
	b.open(origin + "/")
	b.until(`document.querySelector('.unfinished [data-copies]').dataset.copies.includes('--resume')`)
	// What changed in this file?
	ask("limiter.go")
	b.run(chromedp.Evaluate(`[...document.querySelectorAll('.hit')].find(e => e.querySelector('b').title === 'file.written').click()`, nil))
	b.until(`document.querySelector('.now .diff')`)
}

// Many compactions, days apart: no labels of the chart touch.
func TestManyCompactions(t *testing.T) {
	needsBrowser(t)
	j := newJournal(t)
	id := "5e551011-0000-4000-8000-000000000057"
	var rows []string
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	row := func(pause time.Duration, kind, rest string) {
		at = at.Add(pause)
		n := fmt.Sprintf("00000000-0000-4000-8000-%012d", len(rows))
		rows = append(rows, fmt.Sprintf(`{"type":%q,"uuid":%q,"sessionId":%q,"timestamp":%q,"cwd":"/home/dev/project","version":"2.1.329",%s}`, kind, n, id, at.Format("2006-01-02T15:04:05.000Z"), rest))
	}
	for i := range 57 {
		pause := 10 * time.Minute
		if i%19 == 18 {
			pause = 14 * time.Hour
		}
		row(pause, "user", fmt.Sprintf(`"message":{"role":"user","content":"request %d"}`, i))
		row(time.Minute, "assistant", fmt.Sprintf(`"message":{"role":"assistant","model":"claude-opus-5-5","usage":{"input_tokens":%d},"content":[{"type":"text","text":"answer %d"}],"stop_reason":"end_turn"}`, 40_000+i*1000, i))
		row(time.Minute, "system", `"subtype":"compact_boundary","content":"Conversation compacted","compactMetadata":{"trigger":"auto","preTokens":150000}`)
		row(time.Minute, "user", `"isCompactSummary":true,"message":{"role":"user","content":"a summary that says little"}`)
	}
	file := filepath.Join(t.TempDir(), id+".jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	j.journal("", "import", file)
	b := newBrowser(t, "en")
	for i, width := range []int64{390, 1440} {
		b.size(width, 900, i == 0)
		b.open(j.serve("--session", id))
		b.until(`document.querySelectorAll('.plot .compaction').length === 57 && [...document.querySelectorAll('.plot .compaction text')].some(e => e.textContent.startsWith('−'))`)
		b.settle()
		touching := js[int](b, `(() => { const boxes = s => [...document.querySelectorAll(s)].filter(e => e.getAttribute('display') !== 'none').map(e => e.getBoundingClientRect()).sort((a, b) => a.left - b.left);
			return ['.plot .compaction text', '.tick text'].reduce((n, s) => n + boxes(s).filter((box, i, all) => i && box.left < all[i - 1].right).length, 0) })()`)
		if touching != 0 {
			t.Errorf("at %d pixels %d labels touch", width, touching)
		}
		if n := js[int](b, `document.querySelectorAll('.tick.pause').length`); n != 2 {
			t.Errorf("%d pauses are marked, want 2", n)
		}
		b.shoot(fmt.Sprintf("many-%d", width), false)
	}
}

// hostile are texts that hooks bring.
var hostile = []string{
	`<script>document.title='owned'</script>`, `"><img src=x onerror="document.title='owned'">`, "\x1b[31mred\x1b[2J\x07", "user\u202egnp.exe", strings.Repeat("x", 1<<20), `javascript:document.title='owned'`,
}

// What hooks bring is text in a browser too.
func TestHostile(t *testing.T) {
	needsBrowser(t)
	j := newJournal(t)
	id := "5e551011-0000-4000-8000-000000000001"
	for i, text := range hostile {
		for _, h := range []map[string]any{
			{"hook_event_name": "UserPromptSubmit", "prompt": text},
			{"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": fmt.Sprint("toolu_", i), "tool_input": map[string]any{"command": text}, "tool_response": map[string]any{"stdout": text}},
			{"hook_event_name": "PostToolUse", "tool_name": "TodoWrite", "tool_use_id": fmt.Sprint("toolu_t", i), "tool_input": map[string]any{"todos": []any{map[string]any{"content": text, "status": "pending", "activeForm": text}}}},
			{"hook_event_name": "Stop", "last_assistant_message": text},
		} {
			h["session_id"], h["cwd"] = id, "/home/dev/project"
			j.hook(h)
		}
	}
	b := newBrowser(t, "en")
	b.size(1280, 800, false)
	b.open(j.serve("--session", id))
	n := js[int](b, `+document.querySelector('main').dataset.total`)
	for place := range n {
		html := js[string](b, fmt.Sprintf(`fetch(location.pathname + '/state?place=%d').then(a => a.text())`, place))
		if strings.ContainsAny(html, "\x1b\u202e\x07") {
			t.Errorf("the state at %d holds what is not seen", place)
		}
	}
	b.shoot("hostile-1280-light", false)
	for _, path := range []string{"/", "/sessions", js[string](b, "location.pathname"), js[string](b, "location.pathname") + "/compactions"} {
		b.open(j.origin + path)
		if title := js[string](b, "document.title"); strings.Contains(title, "owned") && !strings.Contains(title, "<script>") {
			t.Errorf("%s: a text has become a script: %s", path, title)
		}
		if n := js[int](b, `document.scripts.length + document.images.length + document.querySelectorAll('[onerror], [onload]').length`); n != 1 {
			t.Errorf("%s holds %d elements that act, want the one script", path, n)
		}
		if wide := js[bool](b, `document.documentElement.scrollWidth > innerWidth`); wide {
			t.Errorf("%s is wider than the screen", path)
		}
	}
}

// settle waits until nothing moves.
func (b *browser) settle() {
	b.Helper()
	js[any](b, `new Promise(done => { const wait = () => { const last = performance.getEntriesByType('resource').length; setTimeout(() => performance.getEntriesByType('resource').length === last ? done() : wait(), 400) }; wait() })`)
}
