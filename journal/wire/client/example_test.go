package client_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"journal/events"
	"journal/journal/wire/client"
)

// A Go program appends to the journal of a directory. No owner runs in this
// one, so the events wait in the spool, as durable as in the log; with an owner
// the receipt has their sequences instead.
func ExampleAppender_Append() {
	tmp, err := os.MkdirTemp("", "journal")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(tmp)

	a := client.Open(filepath.Join(tmp, "journal"), client.Options{})
	receipt, err := a.Append(context.Background(), client.About{Agent: "go", Session: "nightly-build"},
		events.CommandRan{Command: "make release", Millis: 5400},
		events.DecisionRecorded{Text: "ship with the old compiler"},
	)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("seqs:", receipt.Seqs, "spooled:", receipt.Spooled)
	// Output: seqs: [] spooled: true
}
