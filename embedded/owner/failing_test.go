package owner_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded"
	"journal/embedded/owner/answers"
	follow "journal/embedded/owner/transcripts"
	look "journal/embedded/owner/tree"
	"journal/embedded/owner/writer"
	"journal/events"
	"journal/journal"
	"journal/projections"
)

// failing is the writer of a log. It stores as often nothing as refuses says, and as often more than it says as unsure says.
type failing struct {
	*writer.Writer
	log             *journal.Log
	dir             string
	refuses, unsure int
}

var errFails = errors.New("input/output error")

// Sync says whether the names of the store's files are on the disk, after an event was stored.
func (f *failing) Sync() error {
	if f.unsure--; f.unsure >= 0 {
		return errFails
	}
	return nil
}

func newFailing(t *testing.T) *failing {
	t.Helper()
	f := &failing{dir: ownertest.Dir(t)}
	server, err := embedded.Own(t.Context(), ownertest.Lock(t, f.dir), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	js, err := jetstream.New(server.Conn())
	if err == nil {
		f.log, err = journal.CreateLog(t.Context(), js)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Writer = writer.New(writer.Config{
		Log: f.log, Dirs: f, Dir: f.dir, Note: func(uint64) {}, OnError: func(error) {}, Healthy: func() error { return nil }, OnUnhealthy: func() {},
	})
	return f
}

// listen tells somebody of what is stored.
func (f *failing) listen(all ...writer.Listener) {
	f.Connect(func(events.Envelope) uint64 { return 0 }, all...)
}

func (f *failing) Store(ctx context.Context, all ...*writer.Draft) error {
	if f.refuses--; f.refuses >= 0 {
		return errFails
	}
	return f.Writer.Store(ctx, all...)
}

func (f *failing) Record(ctx context.Context, t projections.Target, agent, id string, ev events.Event) error {
	if f.refuses--; f.refuses >= 0 {
		return errFails
	}
	return f.Writer.Record(ctx, t, agent, id, ev)
}

// types lists what the log holds.
func (f *failing) types(t *testing.T) (all []events.Type) {
	t.Helper()
	for e, err := range f.log.Events(context.Background(), events.Span{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Type)
	}
	return all
}

// holds says whether the log has an event of a type.
func (f *failing) holds(t *testing.T, e events.Type) bool { return slices.Contains(f.types(t), e) }

// says stores what a hook says.
func (f *failing) says(t *testing.T, at time.Duration, ev events.Event, change ...func(*events.Meta)) *writer.Draft {
	t.Helper()
	m := about(at)
	m.ID = events.NewID()
	for _, c := range change {
		c(&m)
	}
	d, err := writer.DraftOf(ev, m)
	if err == nil {
		err = f.Append(context.Background(), d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A claim that seems to have failed is in the log: nobody else is given the text then, so who asked is given it.
func TestClaimThatSeemsToFail(t *testing.T) {
	t.Parallel()
	f := newFailing(t)
	a := answers.New(answers.Config{
		Log: f.log, Writer: f.Writer, Sessions: answers.NewSessions(f.log), Settings: func() answers.Settings { return settings().Settings },
		Command: func() string { return "journal" }, OnError: func(err error) { t.Error(err) },
		Team: func() answers.Team { return nil },
	})
	f.listen(a)
	f.says(t, 0, events.PromptSubmitted{Text: "build the lighthouse"})
	asker := f.says(t, time.Minute, events.ContextRestarted{})
	f.unsure = 1
	text, _, err := a.Answer(t.Context(), *owed(asker.Envelope), []*writer.Draft{asker})
	if err != nil || !strings.Contains(text, "build the lighthouse") {
		t.Errorf("the agent is told %q, error %v", text, err)
	}
	other := f.says(t, 2*time.Minute, events.ContextRestarted{})
	if text, _, err := a.Answer(t.Context(), *owed(other.Envelope), []*writer.Draft{other}); err != nil || text != "" {
		t.Errorf("another one is told %q, error %v", text, err)
	}
}

// reader follows transcripts.
func (f *failing) reader() *follow.Reader {
	receipts := follow.NewReceipts(f.log, f, f.dir)
	r := follow.NewReader(f.log, f, receipts, f.dir, false, nil, func(error) {})
	f.listen(receipts, r)
	r.Begin()
	return r
}

// What the agent said before a compaction is recorded with the next reading, where the log did not take it at first.
func TestMomentAfterAFailure(t *testing.T) {
	t.Parallel()
	f := newFailing(t)
	r := f.reader()
	c := &talk{home: &home{t: t}, path: filepath.Join(t.TempDir(), "s.jsonl")}
	f.says(t, 0, events.SessionStarted{Source: "startup", Transcript: c.path})
	c.adds(c.row("user", "build the lighthouse") + c.row("assistant", []any{map[string]any{"type": "text", "text": "the bricks are laid"}}))
	f.refuses = 1
	r.ReadAhead(t.Context(), report(t, about(time.Hour), events.CompactionIntended{Trigger: "auto"})[0])
	for range 2 { // the first one fails where there was no time to read ahead
		r.ReadLast()
		r.Begin()
	}
	if f.refuses >= 0 || !f.holds(t, events.TypeOf[events.MomentRecorded]()) {
		t.Errorf("the log has %v", f.types(t))
	}
}

// What the transcript of a subagent shows that has ended comes into the log, where that did not take it at first.
func TestEndedSubagentAfterAFailure(t *testing.T) {
	t.Parallel()
	f := newFailing(t)
	r := f.reader()
	dir := t.TempDir()
	codex := func(m *events.Meta) { m.Agent = "codex" }
	child := func(m *events.Meta) { m.Agent, m.Lane = "codex", "child" }
	write(t, filepath.Join(dir, "rollout-1-s.jsonl"), `{"timestamp":"2026-11-22T01:00:00.000Z","ordinal":0,"type":"session_meta","payload":{"id":"s","cwd":"/p"}}`+"\n")
	write(t, filepath.Join(dir, "rollout-1-child.jsonl"), `{"timestamp":"2099-11-22T01:00:00.006Z","ordinal":0,"type":"session_meta","payload":{"session_id":"s","id":"child","parent_thread_id":"s","cwd":"/p"}}
{"timestamp":"2099-11-22T01:00:00.008Z","ordinal":1,"type":"event_msg","payload":{"type":"task_started","turn_id":"t"}}
{"timestamp":"2099-11-22T01:00:00.012Z","ordinal":6,"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"total_tokens":5000},"model_context_window":100000}}}
`)
	f.says(t, 0, events.SessionStarted{Source: "startup", Transcript: filepath.Join(dir, "rollout-1-s.jsonl")}, codex)
	f.says(t, time.Second, events.SubagentStarted{AgentType: "default"}, child)
	f.says(t, time.Minute, events.SubagentEnded{}, child)
	f.refuses = 1
	for range 2 {
		r.ReadLast()
		r.Begin()
	}
	if f.refuses >= 0 || !f.holds(t, events.TypeOf[events.UsageSampled]()) {
		t.Errorf("the log has %v", f.types(t))
	}
}

// What git says of a compaction is recorded with the next one that finds the same, where the log did not take it at first.
func TestTreeAfterAFailure(t *testing.T) {
	t.Parallel()
	f := newFailing(t)
	root := t.TempDir()
	write(t, filepath.Join(root, "lamp.go"), "package lamp\n\nfunc Light() {}\n")
	looked := make(chan struct{})
	o := look.New(f.log, f, f.dir, nil, func(context.Context, projections.Target) error { looked <- struct{}{}; return nil }, func(error) {})
	f.listen(o)
	go o.Run(t.Context())
	f.says(t, 0, events.ProjectSeen{Root: root}, func(m *events.Meta) { m.Session = events.None })
	f.says(t, 0, events.PromptSubmitted{Text: "where is Light defined?"})
	f.says(t, time.Second, events.FileRead{Path: filepath.Join(root, "lamp.go"), From: 1, To: 3})
	f.refuses = 1
	for n := range 2 {
		f.says(t, time.Duration(n+1)*time.Minute, events.CompactionIntended{Trigger: "auto"})
		select {
		case <-looked:
		case <-time.After(testutil.Patience):
			t.Fatal("nobody looks")
		}
	}
	if f.refuses >= 0 || !f.holds(t, events.TypeOf[events.PlacesObserved]()) {
		t.Errorf("the log has %v", f.types(t))
	}
}

// The windows that statuslines reported are known also where the log could not be read when they were first needed.
func TestWindowAfterAFailure(t *testing.T) {
	t.Parallel()
	f := newFailing(t)
	f.listen()
	f.says(t, 0, events.UsageSampled{Tokens: 1000, Window: 200_000, Model: "m"})
	d, err := writer.DraftOf(events.UsageSampled{Tokens: 100_000, Model: "m"}, about(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	d.ID = events.NewID()
	if err := f.Append(gone, d); err == nil {
		t.Fatal("it is stored")
	}
	f.says(t, time.Minute, events.UsageSampled{Tokens: 100_000, Model: "m"})
	e, err := f.log.Last(t.Context(), events.Selector{Project: "p", Session: "s", Type: events.TypeOf[events.UsageSampled]()})
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := events.As[events.UsageSampled](e); !ok || s.Percent != 50 {
		t.Errorf("the sample is %+v", s)
	}
}
