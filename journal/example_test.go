package journal_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/nats-io/nats.go/jetstream"

	"journal/embedded"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
)

// A log of one's own: its directory is locked, a server runs on it, and what is appended is on
// disk when Append returns. The log of a person has an owner already: see wire/client.Appender.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o700); err != nil {
		log.Fatal(err)
	}
	lock, err := ownership.TryLock(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer lock.Release()
	server, err := embedded.Own(ctx, lock, embedded.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	js, err := jetstream.New(server.Conn())
	if err != nil {
		log.Fatal(err)
	}
	l, err := journal.CreateLog(ctx, js)
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"keep it small", "no goroutine"} {
		e, err := events.Wrap(events.DecisionRecorded{Text: text}, events.Meta{Project: "demo-1afbf223", Session: "s1"})
		if err != nil {
			log.Fatal(err)
		}
		if _, _, err := l.Append(ctx, e); err != nil {
			log.Fatal(err)
		}
	}
	for e, err := range l.Events(ctx, events.Span{}, events.Selector{Session: "s1"}) {
		if err != nil {
			log.Fatal(err)
		}
		ev, err := events.Open(e)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Seq, ev.(events.DecisionRecorded).Text)
	}
	// Output:
	// 1 keep it small
	// 2 no goroutine
}
