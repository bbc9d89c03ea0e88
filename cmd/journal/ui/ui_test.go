package ui_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/journal/config"
	"journal/cmd/journal/ui"
	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
	"journal/projections"
	"journal/replay"
	"journal/replay/recovery"
)

// memory is a log in memory: the pages read any.
type memory struct {
	mu   sync.Mutex
	all  replay.Slice
	more chan struct{}
}

func newMemory(t testing.TB, es ...events.Event) *memory {
	m := &memory{more: make(chan struct{})}
	for _, e := range es {
		m.put(t, "s", e)
	}
	return m
}

// put appends an event of a session of the project p, a second after the one before.
func (m *memory) put(t testing.TB, session string, e events.Event) {
	m.putAll(t, e, projections.Target{Project: "p-1", Session: session})
}

// putAll appends an event for each of some sessions, at once.
func (m *memory) putAll(t testing.TB, e events.Event, of ...projections.Target) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, about := range of {
		seq := uint64(len(m.all) + 1)
		env := eventstest.Wrap(t, e, events.Meta{Project: about.Project, Session: about.Session, Agent: "claude", At: (1_800_000_000 + int64(seq)) * 1e9, Seq: seq})
		env.Seq = seq
		m.all = append(m.all, env)
	}
	close(m.more)
	m.more = make(chan struct{})
}

func (m *memory) slice() (replay.Slice, chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.all), m.more
}

func (m *memory) Stream() string { return "JOURNAL_1" }

func (m *memory) Stats(context.Context) (journal.Stats, error) {
	all, _ := m.slice()
	return journal.Stats{Last: uint64(len(all))}, nil
}

func (m *memory) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	all, _ := m.slice()
	return all.Events(ctx, span, sel...)
}

func (m *memory) Messages(_ context.Context, span events.Span) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		all, _ := m.slice()
		for _, e := range all[span.After:span.Until] {
			r, err := journal.NewRecord(e)
			if r.Seq = e.Seq; !yield(r, err) {
				return
			}
		}
	}
}

func (m *memory) Follow(ctx context.Context, after uint64, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for {
			all, more := m.slice()
			for _, e := range all[min(after, uint64(len(all))):] {
				if after = e.Seq; !yield(e, nil) {
					return
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-more:
			}
		}
	}
}

// site is a server of pages about a log, and a browser that was let in.
type site struct {
	testing.TB
	*httptest.Server
	pages *ui.Server
	notes []ui.Note
	*http.Client
}

func newSite(t testing.TB, log ui.Log, change ...func(*ui.Config)) *site {
	t.Helper()
	s := &site{TB: t, Server: httptest.NewUnstartedServer(nil), Client: &http.Client{}}
	s.Client.Jar, _ = cookiejar.New(nil)
	c := ui.Config{
		Open: func(context.Context) (ui.Log, func(), error) { return log, func() {}, nil },
		Lost: func(error) bool { return false },
		Fold: func() projections.Config { return projections.Config{} },
		Note: func(_ context.Context, n ui.Note) (uint64, error) {
			s.notes = append(s.notes, n)
			return 7, nil
		},
		Recovery: func(r recovery.Recovery, _, lang string) (recovery.Text, error) {
			tmpl, err := recovery.Template(lang, "")
			if err != nil {
				return recovery.Text{}, err
			}
			return recovery.Render(r, tmpl, recovery.Limit{})
		},
		Lang:   "en",
		Zone:   time.UTC,
		Logger: slog.New(slog.DiscardHandler),
		Cost:   config.Config{}.Cost,
		Now:    func() time.Time { return time.Unix(1_800_000_060, 0) },
	}
	for _, f := range change {
		f(&c)
	}
	s.pages = ui.New(c, s.Listener.Addr().String())
	s.Config.Handler = s.pages.Handler()
	s.Start()
	t.Cleanup(func() {
		s.pages.Close()
		s.CloseClientConnections()
		s.Server.Close()
	})
	return s
}

// let lets the browser in.
func (s *site) let() *site {
	s.Helper()
	if code, body := s.ask(http.MethodGet, s.pages.Enter("/"), nil, nil); code != http.StatusOK {
		s.Fatalf("entering ends with %d: %s", code, body)
	}
	return s
}

// ask makes a request.
func (s *site) ask(method, path string, form url.Values, header http.Header) (code int, body string) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, s.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, values := range header {
		if r.Header[name] = values; name == "Host" {
			r.Host = values[0]
		}
	}
	answer, err := s.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		s.Fatal(err)
	}
	return answer.StatusCode, string(b)
}

// page returns a page that is there, with some words on it.
func (s *site) page(path string, words ...string) string {
	s.Helper()
	code, body := s.ask(http.MethodGet, path, nil, nil)
	if code != http.StatusOK {
		s.Errorf("%s ends with %d: %s", path, code, body)
	}
	for _, w := range words {
		if !strings.Contains(body, w) {
			s.Errorf("%s does not say %q:\n%.4000s", path, w, body)
		}
	}
	return body
}

// work is a session with a compaction.
var work = []events.Event{
	events.SessionStarted{Source: "startup", Root: "/home/dev/limiter"},                                                           // 1
	events.PromptSubmitted{Text: "Make the limiter a token bucket"},                                                               // 2
	events.UsageSampled{Percent: 40, Tokens: 80_000, Window: 200_000},                                                             // 3
	events.TodosWritten{Todos: []events.Todo{{Text: "write it", Status: "in_progress"}, {Text: "zero value", Status: "pending"}}}, // 4
	events.DecisionRecorded{Text: "no goroutines in the limiter"},                                                                 // 5
	events.CommandRan{Command: "go test ./limiter", Failed: true, Error: "FAIL TestBurst"},                                        // 6
	events.FileWritten{Path: "/home/dev/limiter/bucket.go", Op: "write"},                                                          // 7
	events.CommandRan{Command: "go test ./limiter"},                                                                               // 8
	events.CompactionIntended{Trigger: "auto"},                                                                                    // 9
	events.ContextRestarted{}, // 10
	events.CompactionCompleted{Trigger: "auto", Summary: "<analysis>hm</analysis><summary>The person asked: Make the limiter a token bucket. Decided: no goroutines in the limiter.</summary>"}, // 11
	events.TodosWritten{Todos: []events.Todo{{Text: "write it", Status: "completed"}, {Text: "zero value", Status: "pending"}}},                                                                 // 12
	events.CommandRan{Command: "go test ./limiter", Failed: true, Error: "FAIL TestBurst again"},                                                                                                // 13
}

// What was found has the time of the person's zone.
func TestHitsInLocalTime(t *testing.T) {
	t.Parallel()
	seoul := time.FixedZone("KST", 9*60*60)
	s := newSite(t, newMemory(t, work...), func(c *ui.Config) { c.Zone = seoul }).let()
	s.page("/search?q=burst+again", "2027-01-15 17:00 #13")
}

// The pages of days have their dates where clocks are put forward at midnight.
func TestDayWithoutMidnight(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Skip("no time zones on this machine:", err)
	}
	s := newSite(t, newMemory(t, work...), func(c *ui.Config) {
		c.Zone, c.Now = zone, func() time.Time { return time.Date(2026, 9, 6, 12, 0, 0, 0, zone) }
	}).let()
	s.page("/", "Today", "Sunday, 2026-09-06", `href="/?day=2026-09-06" aria-current="date">6<`)
	s.page("/?day=2026-09-05", "Yesterday", "Saturday, 2026-09-05", `href="/?day=2026-09-05" aria-current="date">5<`)
	s.page("/?day=2026-09-07", "<h1>Monday <small>2026-09-07<", `aria-current="date">7<`)
	s.page("/?day=2026-08-31", "?day=2026-09-01", "?day=2026-07-31")
	s.page("/cost", "2026-08-31")
}

func TestPages(t *testing.T) {
	t.Parallel()
	s := newSite(t, newMemory(t, work...), func(c *ui.Config) {
		c.Lost = func(err error) bool { t.Errorf("the log may be lost: %v", err); return true } // pages would be made twice
	}).let()
	path := "/p/p-1/s/s"
	s.page("/", "Make the limiter a token bucket", `href="`+path+`"`, "Today", "Friday, 2027-01-15", "1 compaction", "bucket.go", "no goroutines", "1 open task: zero value")
	s.page("/?day=2027-01-14", "Yesterday", "Nothing happened", `href="/?day=2027-01-15"`, "The nearest day with work after: 2027-01-15")
	s.page("/sessions", "Make the limiter a token bucket", `href="`+path+`"`, "0%", "1 compaction")
	s.page("/sessions?q=bucket", "token bucket", `<li class="heading">2027-01-15</li>`)
	s.page("/sessions?q=claude&project=p-1", "token bucket")
	for _, none := range []string{"q=codex", "project=q-1"} {
		if strings.Contains(s.page("/sessions?rows=1&"+none), "token bucket") {
			t.Errorf("%s finds it", none)
		}
	}
	s.page("/search?q=burst+again", `href="`+path+`?at=13"`, "<mark>Burst</mark>", "<mark>again</mark>", "1 event</span> · 1 session")
	s.page("/search?q=limiter&kind=decisions", `?at=5"`, "1 event</span> · 1 session")
	s.page("/search?q=limiter&project=q-1", "Nothing found")
	s.page("/search?q=goroutines+zebra", "No event has all these words", "<mark>goroutines</mark>")
	s.page("/search?q=xylophone", "Nothing found")
	s.page("/search?q=burst+again&since=2027-01-15&until=2027-01-15", `?at=13"`)
	for _, other := range []string{"since=2027-01-16", "until=2027-01-14", "until=2027-01-14&count=1"} {
		s.page("/search?q=burst+again&"+other, "Nothing found")
	}
	s.page("/search?q=burst&since=someday", "is not a valid time")
	s.page("/search?q=burst&count=1", "2 events")
	s.page("/suggest?q=bucket", `href="`+path+`"`, `href="/search?q=bucket"`)
	if strings.Contains(s.page("/sessions?q=nothing+like+it"), "token bucket") {
		t.Error("a search finds everything")
	}
	s.page(path, "Make the limiter a token bucket", `data-total="13"`, `class="compaction"`, `compactions?c=10"`, `class="tick"`, `class="failure"`, "go test ./limiter", `data-live="true"`)
	s.page(path+"?at=18446744073709551615", `data-at="13"`)
	s.page(path+"?at=4", `data-at="4"`, `data-live="false"`, "zero value")
	if strings.Contains(s.page(path+"/state?at=4"), "no goroutines") {
		t.Error("the state at #4 knows of #5")
	}
	changed := s.page(path+"/state?at=12", `class="changed done"`, "write it")
	if n := strings.Count(changed, `class="changed done"`); n != 1 {
		t.Errorf("%d tasks are marked, want the one that changed", n)
	}
	s.page(path+"/state?at=5", `class="changed"`, "changed by this event")
	s.page(path+"/state?place=4", `data-seq="5"`)
	s.page(path+"/rows?from=0&kind=command", `aria-setsize="3"`, "go test")
	s.page(path+"/rows?from=0&failed=1", `aria-setsize="2"`)
	s.page(path+"/rows?from=0", `aria-setsize="11"`, `title="command.ran"><i class="k command"></i>Ran</span>`, "You asked", "Compacted")
	s.page(path+"/rows?from=0&internal=1", `aria-setsize="13"`, "usage.sampled")
	s.page(path+"/state?at=3", "80k of 200k tokens")
	s.page(path+"/event?seq=6", "FAIL TestBurst")
	s.page("/search?part=1&project=p-1&session=s&q=burst+again", `data-at="13"`, "1 event<")
	s.page("/search?project=p-1&session=other&q=burst+again", "Nothing found", `name="session" value="other"`)
	s.page("/search?part=1&project=p-1&session=s&q=goroutines+zebra", "These have some of them", "<mark>goroutines</mark>")
	s.page(path+"/recovery?at=8", "no goroutines in the limiter", "No recovery text was given")
	s.page(path+"/chart?lost=1", `data-place="9"`)
	s.page(path+"/chart?clock=1", `data-step="1" data-xs="0 `)
	s.page(path+"/lost?last=13", "lost")
	body := s.page(path+"/compactions", "1, auto", "data-items=", "Greyed-out text is not visible to the model", "status", "zero value")
	if strings.Contains(body, `<mark tabindex="0" data-items="todo`) {
		t.Error("the summary is marked for a task that it does not say")
	}
	s.page(path+"/items?items=decision-5", "no goroutines in the limiter")
	s.page(path+"/export", "<!doctype html>", "Make the limiter a token bucket", "no goroutines")
	s.page(path+"/export?as=md", "# Make the limiter a token bucket", "> ")
	talked := s.page(path+"/talk", "Make the limiter a token bucket", "3 tool calls, 1 failed", "Compaction", "Decided", "no goroutines")
	if n := strings.Count(talked, `<li class="compaction"`); n != 1 {
		t.Errorf("one compaction is told as %d", n)
	}
	s.page("/projects", `href="/p/p-1"`, "1 session<", "1 open task<", "1 compaction<")
	s.page("/p/p-1/lost", "lost")
	s.page("/p/p-1/lost?figure=lost", "<span>lost</span>")
	s.page("/cost?days=30&figure=1&project=p-1", "<b>?</b>")
	s.page(path+"/used?last=13", "1 file changed")
	if project := s.page("/p/p-1", "<b>1</b> <span>open tasks</span>", `href="/p/p-1/s/s"`, "no goroutines in the limiter", `data-lost="/p/p-1/work"`); strings.Contains(project, "Ports") {
		t.Error("a project without ports shows them")
	}
	s.page("/p/p-1/work", "bucket.go</bdi>", "1×", "failed 2×, 1× after it had worked")
	if code, body := s.ask(http.MethodGet, "/p/p-1/s/other", nil, http.Header{"Accept": {"text/html"}, "Accept-Language": {"ja"}}); code != http.StatusNotFound || !strings.Contains(body, "セッション") || !strings.Contains(body, `href="/sessions"`) {
		t.Errorf("a session that there is not ends with %d: %s", code, body)
	}
	newSite(t, newMemory(t)).let().page("/", "journal install")
	for _, missing := range []string{"/p/p-1/s/other", "/p/p-1/s/other/lost", "/p/other", "/p/other/lost", "/nothing", path + "/items?items=decision-99", path + "/event?seq=99", path + "/event", "/assets/x/none.js"} {
		if code, _ := s.ask(http.MethodGet, missing, nil, nil); code != http.StatusNotFound {
			t.Errorf("%s ends with %d, want 404", missing, code)
		}
	}
}

// TestToday: a day begins with its figures, then what is live or unfinished with the command that resumes it. What its
// compactions lost comes afterwards, and is what the audit says.
func TestToday(t *testing.T) {
	t.Parallel()
	log := newMemory(t, work...)
	log.put(t, "ended", events.PromptSubmitted{Text: "ended and done"})
	log.put(t, "ended", events.SessionEnded{})
	s := newSite(t, log).let()
	body := s.page("/", "<b>2</b> <span>sessions</span>", "<b>1</b> <span>compactions</span>", "of work</span>", `class="going"`, `class="work" aria-current="date">15</a>`)
	unfinished, _, _ := strings.Cut(body[strings.Index(body, `class="unfinished"`):], "</section>")
	if n := strings.Count(unfinished, "<li"); n != 1 {
		t.Errorf("%d sessions are live or unfinished, want 1: %s", n, unfinished)
	}
	paths := regexp.MustCompile(`data-lost="([^"]+)"`).FindAllStringSubmatch(body, -1)
	if len(paths) != 2 {
		t.Fatalf("%d figures come afterwards, want 2", len(paths))
	}
	lost := s.page(strings.ReplaceAll(paths[1][1], "&amp;", "&"), "<span>lost</span>")
	of := regexp.MustCompile(`(\d+) of \d+ lost`).FindStringSubmatch(s.page("/p/p-1/s/s/lost"))
	if len(of) == 0 || !strings.Contains(lost, ">"+of[1]+"</b>") {
		t.Errorf("the day lost %s, the session %v", lost, of)
	}
	// The days with work around a day without any.
	s.page("/?day=2027-02-01", "The nearest day with work before: 2027-01-15", "2027-02")
}

// A conversation is words: of the person, the agent, questions and what was answered. What no person said is folded, and so
// are calls of tools; it comes in parts, the newest first.
func TestConversation(t *testing.T) {
	t.Parallel()
	var es []events.Event
	for i := range 70 {
		es = append(es, events.PromptSubmitted{Text: fmt.Sprintf("request %d", i)}, events.CommandRan{Command: "go test ./..."}, events.TurnEnded{Text: fmt.Sprintf("answer %d", i)})
	}
	es = append(es, events.PromptSubmitted{Text: "a task has ended", Machine: true}, events.QuestionAnswered{Question: "Which store?", Answer: "SQLite"},
		events.ToolRefused{Tool: "Bash", Target: "git push", Words: "not before the tests pass"}, events.TurnInterrupted{}, events.TurnEnded{Text: strings.Repeat("넓", 9000)})
	s := newSite(t, newMemory(t, es...)).let()
	body := s.page("/p/p-1/s/s/talk", "request 69", "answer 69", "1 tool call", "Which store?", "SQLite", "not before the tests pass", "You stopped the agent", "<summary>a task has ended</summary>", "The whole event")
	if strings.Contains(body, "request 39<") || strings.Contains(body, "Newest") {
		t.Error("the newest part holds all")
	}
	earlier := regexp.MustCompile(`talk\?before=\d+`).FindString(body)
	body = s.page("/p/p-1/s/s/"+earlier, "request 39<", "answer 39<", "Newest")
	if strings.Contains(body, "request 69") {
		t.Error("the part before holds the newest")
	}
	s.page("/p/p-1/s/s/recovery?plain=1", "request")
}

// TestCompactionsInATurn: two compactions with nothing but calls of tools between them are two, each with its summary. A recovery text
// that is given with a later call belongs to the compaction before.
func TestCompactionsInATurn(t *testing.T) {
	t.Parallel()
	s := newSite(t, newMemory(t, events.PromptSubmitted{Text: "go on until it works"},
		events.CommandRan{Command: "go vet"}, events.CompactionIntended{Trigger: "auto"}, events.CompactionCompleted{Trigger: "auto", Summary: "the first summary"},
		events.CommandRan{Command: "go build"}, events.RecoveryGiven{AsOf: 4},
		events.CompactionIntended{Trigger: "auto"}, events.CommandRan{Command: "go list"}, events.CompactionCompleted{Trigger: "auto", Summary: "the second summary"},
		events.CommandRan{Command: "go test"}, events.CompactionCompleted{Trigger: "auto", Summary: "the third summary"},
	)).let()
	body := s.page("/p/p-1/s/s/talk", "the first summary", "the second summary", "the third summary")
	if n := strings.Count(body, `<li class="compaction"`); n != 3 {
		t.Errorf("three compactions are %d", n)
	}
	if begin, _, _ := strings.Cut(body, "the second summary"); !strings.Contains(begin, "/recovery?at=6") {
		t.Error("the recovery text is not with the first compaction")
	}
}

// TestOneCompactionInATurn: neither a file of notes that changed during a compaction, nor a call that ended after the compaction was
// announced, makes two compactions of one.
func TestOneCompactionInATurn(t *testing.T) {
	t.Parallel()
	intended, restarted := events.CompactionIntended{Trigger: "auto"}, events.ContextRestarted{}
	completed := events.CompactionCompleted{Trigger: "auto", Summary: "the only summary"}
	for name, all := range map[string][]events.Event{
		"a changed file":   {intended, restarted, events.FileObserved{Path: "/p/notes.md", Kind: events.FlowFile}, completed},
		"a late exit code": {restarted, events.CommandExited{Use: "u", Exit: 1}, completed},
		"a late call":      {intended, events.CommandRan{Command: "go list"}, restarted, completed},
	} {
		s := newSite(t, newMemory(t, append([]events.Event{events.PromptSubmitted{Text: "go on until it works"}}, all...)...)).let()
		if n := strings.Count(s.page("/p/p-1/s/s/talk", "the only summary"), `<li class="compaction"`); n != 1 {
			t.Errorf("with %s one compaction is %d", name, n)
		}
	}
}

// TestLongTexts: however long the texts of a conversation are, no part of it is above 150 KB, and the parts have all of them.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	var es []events.Event
	for i := range 50 {
		es = append(es, events.PromptSubmitted{Text: fmt.Sprintf("request %d.", i)}, events.TurnEnded{Text: strings.Repeat("*a* ", 1500)})
	}
	s := newSite(t, newMemory(t, es...)).let()
	path, seen := "talk", ""
	for range 50 {
		body := s.page("/p/p-1/s/s/" + path)
		if len(body) > 150_000 {
			t.Errorf("%s has %d bytes", path, len(body))
		}
		seen += body
		if path = regexp.MustCompile(`talk\?before=\d+`).FindString(body); path == "" {
			break
		}
	}
	for i := range 50 {
		if !strings.Contains(seen, fmt.Sprintf("request %d.", i)) {
			t.Errorf("request %d is in no part", i)
		}
	}
}

// TestCalls: a call that started a subagent has the subagent's calls below it, what failed first, then what took longest.
func TestCalls(t *testing.T) {
	t.Parallel()
	log := newMemory(t, events.PromptSubmitted{Text: "go"}, events.CommandRan{Command: "go build"}, events.SubagentTasked{Lane: "a1", Text: "look at it"})
	for _, e := range []events.Event{
		events.SubagentStarted{AgentType: "explorer"}, events.CommandRan{Command: "short", Millis: 10}, events.CommandRan{Command: "long", Millis: 9000},
		events.CommandRan{Command: "broken", Failed: true}, events.SubagentEnded{AgentType: "explorer", Text: "seen"},
	} {
		log.put(t, "s", e)
		log.all[len(log.all)-1].Lane = "a1"
	}
	s := newSite(t, log).let()
	lazy := regexp.MustCompile(`/p/p-1/s/s/calls\?[^"]+`).FindString(s.page("/p/p-1/s/s/talk"))
	body := s.page(strings.ReplaceAll(lazy, "&amp;", "&"), `data-lazy="/p/p-1/s/s/calls?lane=a1"`, "4.0 s")
	if strings.Index(body, "look at it") > strings.Index(body, "go build") {
		t.Error("what took longest is not first")
	}
	calls := s.page("/p/p-1/s/s/calls?lane=a1", "broken")
	if broken, long, short := strings.Index(calls, "broken"), strings.Index(calls, "long"), strings.Index(calls, "short"); broken > long || long > short {
		t.Errorf("the calls are not in order: %s", calls)
	}
}

// TestSurvey: what the compactions of all sessions lost, with a button that restores each thing that was lost.
func TestSurvey(t *testing.T) {
	t.Parallel()
	log := newMemory(t, work...)
	log.put(t, "quiet", events.PromptSubmitted{Text: "never compacted"})
	s := newSite(t, log).let()
	s.page("/compactions", "1 session is still being audited", `data-lost="/compactions?part=1`)
	s.page("/compactions?part=1", "Make the limiter a token bucket")
	body := s.page("/compactions", "Make the limiter a token bucket", `data-lazy="/p/p-1/s/s/things"`, "2027-01-11", ">compactions</span>", `class="gone"`)
	if strings.Contains(body, "never compacted") {
		t.Error("a session without a compaction is listed")
	}
	s.page("/p/p-1/s/s/things", `data-restore="todo-4.2"`, "zero value")
	newSite(t, newMemory(t)).let().page("/compactions", "No session was compacted yet")
	readOnly := newSite(t, newMemory(t, work...), func(c *ui.Config) { c.Note = nil }).let()
	if body := readOnly.page("/p/p-1/s/s/compactions", "data-restore", "data-copy"); strings.Contains(body, "data-confirm") {
		t.Error("a log that is only read can be written")
	}
}

// TestCost: what requests used, by day, model and project, with their price.
func TestCost(t *testing.T) {
	t.Parallel()
	log := newMemory(t, events.PromptSubmitted{Text: "go"},
		events.TokensUsed{First: "a", Model: "claude-one", Requests: 3, Tokens: events.Tokens{Input: 1000, CacheRead: 60_000, Output: 500}},
		events.TokensUsed{First: "b", Model: "claude-two", Requests: 1, Tokens: events.Tokens{Output: 700}})
	price := func(u events.TokensUsed) (float64, bool) {
		if u.Model == "claude-one" {
			return 1.25, true
		}
		return 0, false
	}
	s := newSite(t, log, func(c *ui.Config) { c.Cost = price }).let()
	s.page("/cost", "<b>4</b> <span>requests</span>", "62.2k", `href="/?day=2027-01-15"`, "claude-one", "claude-two", `href="/p/p-1"`, "≥ 1.25", `<td class="n">?</td>`)
	s.page("/cost?days=30", "since 2026-12-17")
	s.page("/cost?days=30&figure=1&project=p-1", "<b>62.2k</b> <span>tokens in 30 days</span>")
	s.page("/cost?project=other", `<b class="zero">0</b> <span>requests</span>`)
	s.page("/p/p-1/s/s/used?last=1", "62.2k tokens", "price ≥ 1.25")
	newSite(t, newMemory(t)).let().page("/cost", "<b class=\"zero\">0</b> <span>requests</span>")
}

// TestBodies: an event is shown as it was meant: words as markdown, a command with its output, a file with what changed.
func TestBodies(t *testing.T) {
	t.Parallel()
	s := newSite(t, newMemory(t,
		events.PromptSubmitted{Text: "make it **fast**\n\n- `go test`\n- <script>alert(1)</script>"},
		events.CommandRan{Command: "go test ./...", Failed: true, Exit: 2, Error: "FAIL TestBurst", Millis: 65_000},
		events.CommandRan{Command: "go vet ./...", Output: "fine", Millis: 1500},
		events.FileWritten{Path: "/p/a.go", Op: "edit", Passages: []events.Passage{{Lines: []string{"return nil"}, Count: 4}}},
		events.TurnEnded{Text: "see [it](https://a.example) and [that](javascript:alert(1))"},
	)).let()
	path := "/p/p-1/s/s"
	asked := "<strong>fast</strong>"
	s.page(path+"/state?at=1", asked, "<code>go test</code>", "&lt;script&gt;")
	s.page(path+"/state?at=2", "exit 2", "1 min 5 s", `<details open id="output">`, "FAIL TestBurst")
	s.page(path+"/state?at=3", "1.5 s", `<details id="output">`, "fine")
	s.page(path+"/state?at=4", "<bdi>return nil</bdi>", "4 changed lines")
	answer := s.page(path+"/state?at=5", `<a href="https://a.example" rel="noreferrer">it</a> and that`)
	if strings.Contains(answer, `href="javascript`) {
		t.Error("a link leads to a script")
	}
	s.page(path+"/talk", asked, `href="#s1"`, `id="end"`)
	talk := s.page(path+"/calls?from=2&to=4", "1 min 5 s")
	if strings.Index(talk, "go test ./...") > strings.Index(talk, "go vet ./...") {
		t.Error("a call that failed is behind one that worked")
	}
}

// The pages say the same in every language, and the browser's is theirs.
func TestLanguages(t *testing.T) {
	t.Parallel()
	s := newSite(t, newMemory(t, work...)).let()
	for accept, want := range map[string]string{"ko-KR,ko;q=0.9": `lang="ko"`, "ja": "セッション", "fr, ja;q=0.5": "セッション", "fr": "Sessions"} {
		_, body := s.ask(http.MethodGet, "/", nil, http.Header{"Accept-Language": {accept}})
		if !strings.Contains(body, want) {
			t.Errorf("for %q the page does not say %q", accept, want)
		}
	}
	_, body := s.ask(http.MethodGet, "/p/p-1/s/s", nil, http.Header{"Accept-Language": {"en"}, "Cookie": {"journal-lang=ko"}})
	if !strings.Contains(body, "결정") {
		t.Error("a language that was chosen counts for nothing")
	}
}

// A page is compressed for who takes that, and for nobody else.
func TestCompressed(t *testing.T) {
	t.Parallel()
	s := newSite(t, newMemory(t, work...)).let()
	plain := s.page("/")
	for accepted, want := range map[string]string{"gzip": "\x1f\x8b", "identity": "<!doctype"} {
		code, body := s.ask(http.MethodGet, "/", nil, http.Header{"Accept-Encoding": {accepted}})
		if code != http.StatusOK || !strings.HasPrefix(body, want) || accepted == "gzip" && len(body) >= len(plain) {
			t.Errorf("who takes %s gets %d bytes that begin with %.10q", accepted, len(body), body)
		}
	}
}

// A page is told at once of what is appended, and of nothing else's.
func TestLive(t *testing.T) {
	t.Parallel()
	log := newMemory(t, work...)
	s := newSite(t, log).let()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/live?project=p-1&session=s", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if got := answer.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("content type %q", got)
	}
	lines := bufio.NewScanner(answer.Body)
	next := func() string {
		for lines.Scan() {
			if said, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return said
			}
		}
		t.Fatalf("no message comes: %v", lines.Err())
		return ""
	}
	if got, want := next(), `{"events":13,"said":"13 events","listed":11,"place":12,"when":"2027-01-15 08:00","kinds":{"command":3,"compaction":2,"decision":1,"file":1,"prompt":1,"session":1,"todos":2},"compacted":1,"compactions":"1 compaction"}`; got != want {
		t.Errorf("a page that comes is told %s, want %s", got, want)
	}
	log.put(t, "s", events.PromptSubmitted{Text: "go on"})
	if got, want := next(), `{"events":14,"said":"14 events","listed":12,"place":13,"when":"2027-01-15 08:00","kinds":{"command":3,"compaction":2,"decision":1,"file":1,"prompt":2,"session":1,"todos":2},"compacted":1,"compactions":"1 compaction"}`; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
	// Another session of the project changes what is known here, and adds no event.
	log.put(t, "other", events.DecisionRecorded{Text: "of another"})
	if got, want := next(), `{"events":14,"said":"14 events","listed":12,"place":13,"when":"2027-01-15 08:00","kinds":{"command":3,"compaction":2,"decision":1,"file":1,"prompt":2,"session":1,"todos":2},"compacted":1,"compactions":"1 compaction"}`; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
	// However much comes of other projects before it is told.
	many := slices.Repeat([]projections.Target{{Project: "q-1", Session: "imported"}}, 1000)
	log.putAll(t, events.PromptSubmitted{Text: "the last word"}, append(many, projections.Target{Project: "p-1", Session: "s"})...)
	if got := next(); !strings.HasPrefix(got, `{"events":15,`) {
		t.Errorf("told %s behind an import", got)
	}
}

// between is a log that calls a function before events are read, and has no end while broken is set.
type between struct {
	*memory
	before func()
	broken atomic.Bool
}

func (b *between) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	b.before()
	return b.memory.Events(ctx, span, sel...)
}

func (b *between) Stats(ctx context.Context) (journal.Stats, error) {
	if b.broken.Load() {
		return journal.Stats{}, errors.New("the log is away")
	}
	return b.memory.Stats(ctx)
}

// TestLostMeanwhile: what the sessions of a project lost is told although another page finds meanwhile that the log is
// away.
func TestLostMeanwhile(t *testing.T) {
	t.Parallel()
	log := newMemory(t, work...)
	for _, e := range work {
		log.put(t, "s2", e)
	}
	b := &between{memory: log}
	b.before = func() {}
	s := newSite(t, b).let()
	s.Transport = &http.Transport{DisableKeepAlives: true} // a request that fails is not made again
	b.before = sync.OnceFunc(func() {
		b.broken.Store(true)
		if code, body := s.ask(http.MethodGet, "/sessions", nil, nil); code == http.StatusOK {
			t.Errorf("without the log there is a list: %s", body)
		}
		b.broken.Store(false)
	})
	s.page("/p/p-1/lost")
}

// TestPassing: of a place that a drag passes, the state is the same without the folded items.
func TestPassing(t *testing.T) {
	t.Parallel()
	var es []events.Event
	for i := range 40 {
		es = append(es, events.CommandRan{Command: fmt.Sprintf("make part-%d", i)}, events.FileWritten{Path: fmt.Sprintf("/p/file-%d.go", i), Op: "write"})
	}
	s := newSite(t, newMemory(t, es...)).let()
	folded := regexp.MustCompile(`(?s)(<details id="more-[^>]*><summary>.*?</summary><ul class="items">).*?</ul>`)
	for _, place := range []int{1, 13, 79} {
		path := fmt.Sprintf("/p/p-1/s/s/state?place=%d", place)
		whole, passing := s.page(path), s.page(path+"&passing=1")
		if place > 20 && len(passing) > len(whole)*3/4 {
			t.Errorf("passing %d takes %d of %d bytes", place, len(passing), len(whole))
		}
		if diff := cmp.Diff(folded.ReplaceAllString(whole, "$1</ul>"), passing); diff != "" {
			t.Errorf("place %d (-whole +passing):\n%s", place, diff)
		}
	}
}
