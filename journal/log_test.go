package journal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/eventstest"
	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/events"
	"journal/journal"
)

func TestAppendedIsReadBack(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t)
	about := events.Meta{
		At: 17, Agent: "claude", Session: "세션 1", Lane: "helper", Project: "p.*>", Turn: "t1", PID: 4, N: 2,
		Cause: "0", Key: events.ToolKey + "1", EchoOf: 9, Rules: 1,
	}
	var want []events.Envelope
	for _, ev := range []events.Event{
		events.PromptSubmitted{Text: "이어서 해 줘\n👩‍👩‍👧"},
		events.CommandRan{Command: "go test", Failed: true, Exit: 2},
		events.TodosWritten{Todos: []events.Todo{{Text: "a", Status: "pending"}}},
	} {
		e := eventstest.Wrap(t, ev, about)
		e.More = []byte(`{"rest":true}`)
		want = append(want, put(t, l, e))
	}
	got, err := eventstest.All(l.Events(t.Context(), events.Span{}))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("read back (-appended +read):\n%s", d)
	}
	st, err := l.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if st.Events != 3 || st.First != 1 || st.Last != 3 || st.Deleted != 0 || st.Bytes == 0 {
		t.Errorf("stats are %+v", st)
	}
}

func TestAnIDIsStoredOnce(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t)
	first := prompts(t, l, 1)[0]
	prompts(t, l, 1)
	for range 2 {
		seq, duplicate, err := l.Append(t.Context(), first)
		if err != nil || !duplicate || seq != first.Seq {
			t.Errorf("again: seq %d, duplicate %v, error %v; want seq %d as duplicate", seq, duplicate, err, first.Seq)
		}
	}
	if st, _ := l.Stats(t.Context()); st.Events != 2 {
		t.Errorf("%d events, want 2", st.Events)
	}
}

func TestWhatCannotBeStoredIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	l, nc := newLog(t)
	large := eventstest.Wrap(t, events.PromptSubmitted{}, events.Meta{})
	large.More = make([]byte, events.MaxBytes)
	_, _, err := l.Append(t.Context(), large)
	testutil.WantError(t, err, events.ErrTooLarge)

	// A subject longer than a protocol line would cost the owner its connection.
	long := eventstest.Wrap(t, events.PromptSubmitted{}, events.Meta{})
	long.Type = events.Type(strings.Repeat("x.", 3000) + "y")
	_, _, err = l.Append(t.Context(), long)
	testutil.WantError(t, err, events.ErrMalformed)
	if n := nc.Stats().Reconnects; n != 0 || !nc.IsConnected() {
		t.Errorf("the connection was lost %d times", n)
	}
	prompts(t, l, 1)
}

func TestOpenLog(t *testing.T) {
	t.Parallel()
	_, js := newServer(t, ownertest.Dir(t))
	_, err := journal.OpenLog(t.Context(), js)
	testutil.WantError(t, err, journal.ErrNoLog)
	for _, name := range []string{"JOURNAL_9", "JOURNAL_10", "JOURNAL_2", "JOURNAL_old", "OTHER_11"} {
		if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{name + ".>"}}); err != nil {
			t.Fatal(err)
		}
	}
	for what, open := range map[string]func() (*journal.Log, error){
		"open":   func() (*journal.Log, error) { return journal.OpenLog(t.Context(), js) },
		"create": func() (*journal.Log, error) { return journal.CreateLog(t.Context(), js) },
	} {
		l, err := open()
		if err != nil || l.Stream() != "JOURNAL_10" {
			t.Errorf("%s: %v, error %v; want the newest epoch JOURNAL_10", what, l, err)
		}
	}
}

func TestCreateLogTwiceIsOneLog(t *testing.T) {
	t.Parallel()
	_, js := newServer(t, ownertest.Dir(t))
	for n := range 2 {
		l, err := journal.CreateLog(t.Context(), js)
		if err != nil {
			t.Fatal(err)
		}
		prompts(t, l, 1)
		if st, _ := l.Stats(t.Context()); st.Events != uint64(n+1) {
			t.Errorf("opening %d: %d events", n, st.Events)
		}
	}
	// No call removes an event.
	st, err := js.Stream(t.Context(), "JOURNAL_1")
	if err != nil {
		t.Fatal(err)
	}
	if err := st.DeleteMsg(t.Context(), 1); err == nil {
		t.Error("an event could be deleted")
	}
	if err := st.Purge(t.Context()); err == nil {
		t.Error("the log could be purged")
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	l, js := damaged(t)
	own := prompts(t, l, 3)
	garbage(t, js, "\xc1 not msgpack")
	own = append(own, prompts(t, l, 1)...)
	sel := events.Selector{Project: "p", Session: "s", Type: own[0].Type}
	for name, c := range map[string]struct {
		id    string
		after uint64
		sel   events.Selector
		want  uint64
	}{
		"there":                 {own[1].ID, 0, sel, own[1].Seq},
		"after the floor":       {own[1].ID, own[0].Seq, sel, own[1].Seq},
		"before the floor":      {own[1].ID, own[1].Seq, sel, 0},
		"of another session":    {own[1].ID, 0, events.Selector{Project: "p", Session: "other"}, 0},
		"anywhere":              {own[1].ID, 0, events.Selector{}, own[1].Seq},
		"never stored":          {events.NewID(), 0, sel, 0},
		"behind a broken event": {own[3].ID, 0, sel, own[3].Seq},
		"beyond the end":        {own[3].ID, 99, sel, 0},
	} {
		if found, err := l.Find(t.Context(), c.after, c.sel, c.id); err != nil || found[c.id] != c.want {
			t.Errorf("%s: seq %d, error %v; want %d", name, found[c.id], err, c.want)
		}
	}
}

func TestLast(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t)
	_, err := l.Last(t.Context(), events.Selector{})
	testutil.WantError(t, err, journal.ErrNone)
	own := prompts(t, l, 2)
	other := put(t, l, eventstest.Wrap(t, events.TurnEnded{}, events.Meta{Project: "p", Session: "other"}))
	for name, c := range map[string]struct {
		sel  events.Selector
		want events.Envelope
	}{
		"any":       {events.Selector{}, other},
		"session":   {events.Selector{Session: "s"}, own[1]},
		"type":      {events.Selector{Type: own[0].Type}, own[1]},
		"all named": {events.Selector{Project: "p", Session: "other", Type: other.Type}, other},
	} {
		got, err := l.Last(t.Context(), c.sel)
		if d := cmp.Diff(c.want, got); err != nil || d != "" {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, d)
		}
	}
	_, err = l.Last(t.Context(), events.Selector{Project: "q"})
	testutil.WantError(t, err, journal.ErrNone)
}

func TestLastOfBrokenEventSaysWhere(t *testing.T) {
	t.Parallel()
	l, js := damaged(t)
	prompts(t, l, 1)
	garbage(t, js, "?")
	_, err := l.Last(t.Context(), events.Selector{})
	testutil.WantError(t, err, events.ErrMalformed)
	if !strings.Contains(err.Error(), "seq 2") {
		t.Errorf("%q does not say where", err)
	}
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t)
	prompts(t, l, 2)
	long := strings.Repeat("/경로", 40)
	for i, m := range []events.Meta{{Project: "경로.a", Session: "*"}, {}, {Project: "경로.a", Session: long}} {
		put(t, l, eventstest.Wrap(t, events.TurnEnded{Text: fmt.Sprint(i)}, m))
	}
	prompt, turn := events.TypeOf[events.PromptSubmitted](), events.TypeOf[events.TurnEnded]()
	everything := []journal.SubjectCount{
		{Project: events.None, Session: events.None, Type: turn, Events: 1},
		{Project: "p", Session: "s", Type: prompt, Events: 2},
		{Project: "경로.a", Session: "*", Type: turn, Events: 1},
		{Project: "경로.a", Session: long, Type: turn, Events: 1},
	}
	for name, c := range map[string]struct {
		sel  events.Selector
		want []journal.SubjectCount
	}{
		"all":     {events.Selector{}, everything},
		"session": {events.Selector{Session: "*"}, everything[2:3]},
		"long":    {events.Selector{Session: long}, everything[3:]},
		"type":    {events.Selector{Type: prompt}, everything[1:2]},
		"nothing": {events.Selector{Project: "elsewhere"}, []journal.SubjectCount{}},
	} {
		got, err := l.Subjects(t.Context(), c.sel)
		if d := cmp.Diff(c.want, got); err != nil || d != "" {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, d)
		}
	}
}
