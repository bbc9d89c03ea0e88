package replay_test

import (
	"time"

	"pgregory.net/rapid"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
	"journal/replay"
)

var target = projections.Target{Project: "p", Session: "s"}

// logOf returns a log of events of the target, ten seconds apart.
func logOf(tb rapid.TB, all ...events.Event) replay.Slice {
	tb.Helper()
	var log replay.Slice
	for i, e := range all {
		log = append(log, eventstest.Wrap(tb, e, events.Meta{
			Project: target.Project, Session: target.Session, Seq: uint64(i + 1), At: int64(i) * int64(10*time.Second),
		}))
	}
	return log
}
