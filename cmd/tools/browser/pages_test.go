package browser

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
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

// programs is the directory of journal and journal-hook, as make e2e-ui sets it.
var programs = os.Getenv("JOURNAL_E2E_BIN")

// journal is one user: a home with a journal directory, and the real programs.
type journal struct {
	testing.TB
	env    []string
	origin string // of the pages that were served last
}

// needsBrowser skips a test without the programs, or without a browser.
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

// journal runs the program and returns its stdout.
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

// serve starts journal ui, and returns an address that lets a browser in.
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

// at waits until the page shows the state after an event.
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

// empty empties a field, as a person does.
func (b *browser) empty(selector string) {
	b.Helper()
	js[any](b, fmt.Sprintf(`(field => { field.value = ''; field.dispatchEvent(new Event('input', {bubbles: true})) })(document.querySelector(%q))`, selector))
}

// TestPages: every part of the pages works in a real browser, with events of real hooks.
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

	// The first page is today: what was asked, and what is unfinished.
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

// chat is a transcript of Claude Code that is being written.
type chat struct {
	id   string
	at   time.Time
	n    int // rows
	rows strings.Builder
}

func (c *chat) row(pause time.Duration, kind, rest string) {
	c.at = c.at.Add(pause)
	c.n++
	fmt.Fprintf(&c.rows, `{"type":%q,"uuid":"%s-%d","sessionId":%q,"timestamp":%q,"cwd":"/home/dev/project","version":"2.1.329",%s}`+"\n", kind, c.id, c.n, c.id, c.at.Format("2006-01-02T15:04:05.000Z"), rest)
}

// turn is a request with its calls, and the answer.
func (c *chat) turn(t testing.TB, pause time.Duration, request, answer string, calls, tokens int) {
	t.Helper()
	quoted := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	assistant := func(content, more string) {
		c.row(time.Second/2, "assistant", fmt.Sprintf(`"message":{"id":"m-%s-%d","role":"assistant","model":"claude-opus-5-5","usage":{"input_tokens":%d,"output_tokens":7},"content":[%s]%s}`, c.id, c.n, tokens, content, more))
	}
	c.row(pause, "user", `"message":{"role":"user","content":`+quoted(request)+`}`)
	for range calls {
		use := fmt.Sprintf("toolu_%d", c.n)
		assistant(fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Bash","input":{"command":"make step-%d"}}`, use, c.n), "")
		c.row(time.Second/2, "user", fmt.Sprintf(`"toolUseResult":{"stdout":"ok","stderr":""},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"ok"}]}`, use))
	}
	assistant(`{"type":"text","text":`+quoted(answer)+`}`, `,"stop_reason":"end_turn"`)
}

// write writes the transcript into a directory.
func (c *chat) write(t testing.TB, dir string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, c.id+".jsonl"), []byte(c.rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// attacks are texts that attack whoever shows them as markdown.
var attacks = []string{
	"<script>document.title='owned'</script>", "a <img src=x onerror=\"document.title='owned'\"> b", "![seen](https://evil.example/x.png)", "[go](javascript:document.title='owned')",
	"[go](java&#115;cript:document.title='owned') <javascript:alert(1)>", "[go](data:text/html,x) [go](//evil.example) [a]\n\n[a]: javascript:alert(1)", `[go](https://a.example "onmouseover=alert(1)")`,
	"<style>*{display:none}</style>\n\n<iframe src=https://evil.example></iframe>", "</bdi></div></main><h1>owned</h1>", "&#x202e;gnp.exe \x1b[2J", strings.Repeat(">", 300) + " deep", strings.Repeat("- ", 300) + "deep",
	"```\n" + strings.Repeat("wide", 1000) + "\n```", strings.Repeat("|wide cell", 40) + "|\n" + strings.Repeat("|-", 40) + "|\n", strings.Repeat("long", 500),
}

// TestLarge: an empty log; then one of 1,800 sessions, and of a session with 10,000 events and 57 compactions, days apart, whose
// texts attack.
func TestLarge(t *testing.T) {
	needsBrowser(t)
	const sessions, compactions, calls = 1800, 57, 90
	j, axe := newJournal(t), axeSource(t)
	j.journal("", "pause") // then there is a log, without a session
	j.journal("", "resume")
	b := newBrowser(t, "en")
	b.open(j.serve())
	lists := map[string]string{"today": "/", "sessions": "/sessions", "survey": "/compactions", "cost": "/cost", "search": "/search?q=step", "projects": "/projects"}
	for name, path := range lists {
		b.look(axe, "empty-"+name, j.origin+path, 390, true)
	}

	dir := t.TempDir()
	for i := range sessions {
		c := chat{id: fmt.Sprintf("5e551011-0000-4000-8001-%012d", i), at: time.Now().UTC().Add(-time.Duration(i+1) * 4 * time.Hour)}
		c.turn(t, 0, fmt.Sprintf("light lantern-%d", i), "It is lit.", 0, 20_000)
		c.write(t, dir)
	}
	long := chat{id: "5e551011-0000-4000-8000-000000000057", at: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	for i := range compactions {
		pause := 10 * time.Minute
		if i%19 == 18 {
			pause = 14 * time.Hour
		}
		text := attacks[i%len(attacks)]
		long.turn(t, pause, fmt.Sprintf("request %d\n\n%s", i, text), text, calls, 40_000+i*1000)
		long.row(time.Minute, "system", `"subtype":"compact_boundary","content":"Conversation compacted","compactMetadata":{"trigger":"auto","preTokens":150000}`)
		long.row(time.Minute, "user", `"isCompactSummary":true,"message":{"role":"user","content":"a summary that says little"}`)
	}
	for _, text := range attacks {
		long.turn(t, time.Minute, text, text, 0, 30_000)
	}
	long.write(t, dir)
	j.journal("", "import", dir)

	// The list has all of them, a part at a time; it is searched as one types.
	b.size(1440, 900, false)
	b.open(j.origin + "/sessions")
	if n := js[string](b, `document.querySelector('[data-total]').textContent.replace(/\D/g, '')`); n != fmt.Sprint(sessions+1) {
		t.Errorf("the list counts %s sessions", n)
	}
	js[any](b, `scrollTo(0, document.body.scrollHeight)`)
	b.until(`document.querySelectorAll('.card').length > 40`)
	b.run(chromedp.SendKeys("main input[name=q]", long.id[:8]+" request"))
	b.until(`document.querySelectorAll('.card').length === 1`)
	path := js[string](b, `document.querySelector('.card-link').pathname`)

	for i, width := range []int64{390, 1440} {
		b.size(width, 900, i == 0)
		b.open(j.origin + path)
		b.until(fmt.Sprintf(`document.querySelectorAll('.plot .compaction').length === %d && [...document.querySelectorAll('.plot .compaction text')].some(e => e.textContent.startsWith('−'))`, compactions))
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
	if n := js[int](b, `+document.querySelector('main').dataset.total`); n < 10_000 {
		t.Errorf("the session has %d events", n)
	}
	b.key(kb.Home)
	b.until(`document.querySelector('[data-moment]').dataset.place === '0' && document.querySelector('[aria-posinset="1"]')`)

	// Every row that the list requests is of the filter and the lane of the page.
	b.open(j.origin + path + "?kind=command&lane=a1")
	b.until(`document.querySelector('main.session [aria-selected=true]')`)
	b.key(kb.Home)
	b.until(`document.querySelector('[aria-posinset="1"]')`)
	b.settle()
	if !js[bool](b, `[...document.querySelectorAll('.row .type')].every(e => e.title === 'command.ran')`) {
		t.Error("rows that are requested later are not filtered")
	}
	if !js[bool](b, `performance.getEntriesByType('resource').filter(e => e.name.includes('/rows?')).every(e => e.name.includes('lane=a1'))`) {
		t.Error("rows are requested without the lane, so that they are marked for another")
	}

	pages := maps.Clone(lists)
	maps.Copy(pages, map[string]string{"session": path, "talk": path + "/talk", "earlier": path + "/talk?before=9000", "losses": path + "/compactions", "project": strings.Split(path, "/s/")[0]})
	for name, at := range pages {
		for _, width := range []int64{390, 1440} {
			b.look(axe, "large-"+name, j.origin+at, width, width == 390)
			b.harmless()
		}
	}
}

// harmless fails if a text of the log acts on the page, or loads anything from elsewhere.
func (b *browser) harmless() {
	b.Helper()
	for _, found := range js[[]string](b, `[...document.querySelectorAll('main *')].filter(e => ['script', 'img', 'style', 'iframe', 'object', 'embed', 'link', 'meta', 'base'].includes(e.localName) ||
		[...e.attributes].some(a => a.name.startsWith('on')) || e.matches('.md a') && !(e.protocol.startsWith('http') && e.rel === 'noreferrer')).map(e => e.outerHTML.slice(0, 200))
		.concat(performance.getEntriesByType('resource').map(e => e.name).filter(name => !name.startsWith(location.origin)))`) {
		b.Errorf("%s has what a text brought: %s", js[string](b, "location.pathname"), found)
	}
	if js[bool](b, `document.title === 'owned' || document.querySelectorAll('h1').length !== 1`) {
		b.Errorf("%s is owned by a text", js[string](b, "location.pathname"))
	}
}

// hostile are texts that hooks bring.
var hostile = []string{
	`<script>document.title='owned'</script>`, `"><img src=x onerror="document.title='owned'">`, "\x1b[31mred\x1b[2J\x07", "user\u202egnp.exe", strings.Repeat("x", 1<<20), `javascript:document.title='owned'`,
}

// TestHostile: what hooks bring is text in a browser too.
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

// settle waits until the page has requested nothing for 400 ms.
func (b *browser) settle() {
	b.Helper()
	js[any](b, `new Promise(done => { const wait = () => { const last = performance.getEntriesByType('resource').length; setTimeout(() => performance.getEntriesByType('resource').length === last ? done() : wait(), 400) }; wait() })`)
}
