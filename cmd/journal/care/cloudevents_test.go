package care

import (
	"encoding/json"
	"testing"

	"journal/events"
)

// TestOf: the attributes that the standard requires are there, and our own are lower case letters.
func TestOf(t *testing.T) {
	t.Parallel()
	e, err := events.Wrap(events.DecisionRecorded{Text: "keep it"}, events.Meta{
		ID: "7c9e6679-7425-40de-944b-e07fc1f90ae7", Seq: 42, At: 1_767_225_600_000_000_000, Agent: "claude",
		Project: "a b/c", Session: "s1", Lane: "l1", EchoOf: 41,
	})
	if err != nil {
		t.Fatal(err)
	}
	v, err := events.ViewOf(e)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(cloudEventOf(v))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"specversion":"1.0","id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","source":"journal:a%20b%2Fc",` +
		`"type":"journal.decision.recorded","subject":"s1","time":"2026-01-01T00:00:00Z","datacontenttype":"application/json",` +
		`"sequence":"00000000000000000042","sequencetype":"Integer","typeversion":1,"agent":"claude","lane":"l1","echoof":41,` +
		`"data":{"text":"keep it"}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
