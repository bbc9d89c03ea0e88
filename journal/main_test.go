package journal_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/eventstest"
	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded"
	"journal/events"
	"journal/journal"
)

// newServer is a server on dir without anybody who answers appenders.
func newServer(t testing.TB, dir string) (*embedded.Server, jetstream.JetStream) {
	t.Helper()
	s, err := embedded.Own(t.Context(), ownertest.Lock(t, dir), embedded.Options{Grace: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	js, err := jetstream.New(s.Conn())
	if err != nil {
		t.Fatal(err)
	}
	return s, js
}

// newLog is an empty log, and the connection that it uses.
func newLog(t testing.TB) (*journal.Log, *nats.Conn) {
	t.Helper()
	s, js := newServer(t, ownertest.Dir(t))
	l, err := journal.CreateLog(t.Context(), js)
	if err != nil {
		t.Fatal(err)
	}
	return l, s.Conn()
}

// put appends an envelope and returns it as the log has it.
func put(t testing.TB, l *journal.Log, e events.Envelope) events.Envelope {
	t.Helper()
	seq, duplicate, err := l.Append(t.Context(), e)
	if err != nil || duplicate {
		t.Fatalf("append: duplicate %v, error %v", duplicate, err)
	}
	e.Seq = seq
	return e
}

// prompts appends n prompts of session s of project p.
func prompts(t testing.TB, l *journal.Log, n int) []events.Envelope {
	t.Helper()
	var all []events.Envelope
	for i := range n {
		all = append(all, put(t, l, eventstest.Wrap(t, events.PromptSubmitted{Text: fmt.Sprint("wish ", i)},
			events.Meta{Project: "p", Session: "s", At: int64(i + 1)})))
	}
	return all
}

// burst stores n prompts without waiting for each of them.
func burst(t testing.TB, l *journal.Log, js jetstream.JetStream, n int, about func(i int) events.Meta) {
	t.Helper()
	acknowledged := func() {
		t.Helper()
		select {
		case <-js.PublishAsyncComplete():
		case <-time.After(testutil.Patience):
			t.Fatal("the server does not acknowledge")
		}
	}
	for i := range n {
		if i%2000 == 1999 {
			acknowledged() // the client stalls above 4,000
		}
		e := eventstest.Wrap(t, events.PromptSubmitted{Text: fmt.Sprint("wish ", i)}, about(i))
		b, err := events.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := js.PublishAsync(journal.Subject(e.Meta), b, jetstream.WithMsgID(e.ID), jetstream.WithStallWait(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	acknowledged()
	if st, err := l.Stats(t.Context()); err != nil || st.Last < uint64(n) {
		t.Fatalf("%+v, %v; want %d events", st, err, n)
	}
}

// garbage stores bytes as if they were an event of session s of project p.
func garbage(t testing.TB, js jetstream.JetStream, b string) {
	t.Helper()
	if _, err := js.Publish(t.Context(), "journal.p.s.prompt.submitted", []byte(b), jetstream.WithMsgID(events.NewID())); err != nil {
		t.Fatal(err)
	}
}

func seqs(es []events.Envelope) []uint64 {
	got := []uint64{}
	for _, e := range es {
		got = append(got, e.Seq)
	}
	return got
}
