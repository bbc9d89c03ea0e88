package events_test

import (
	"fmt"
	"log"

	"journal/events"
)

// An event is put into an envelope, which says whose it is, and encoded. When opened it is unchanged. In the log its
// sequence counts, not its time.
func Example() {
	e, err := events.Wrap(events.DecisionRecorded{Text: "keep it small"}, events.Meta{Project: "demo-1afbf223", Session: "s1", At: 1})
	if err != nil {
		log.Fatal(err)
	}
	b, err := events.Encode(e)
	if err != nil {
		log.Fatal(err)
	}
	stored, err := events.Decode(b, 42)
	if err != nil {
		log.Fatal(err)
	}
	ev, err := events.Open(stored)
	if err != nil {
		log.Fatal(err)
	}
	if d, ok := ev.(events.DecisionRecorded); ok {
		fmt.Printf("#%d %s: %s\n", stored.Seq, stored.Type, d.Text)
	}
	// Output: #42 decision.recorded: keep it small
}
