package transcripts

import (
	"context"
	"sync"
	"testing"

	"journal/events"
	"journal/journal/agents/transcript"
	"journal/projections"
)

// restarted is a writer of a log in which a newer compaction stands behind each receipt.
type restarted struct {
	Writer
	sync.Mutex
	receipts *Receipts
}

func (w *restarted) Lock()   { w.Mutex.Lock() }
func (w *restarted) Unlock() { w.Mutex.Unlock() }

func (w *restarted) Record(_ context.Context, t projections.Target, _, _ string, _ events.Event) error {
	m := events.Meta{Project: t.Project, Session: t.Session}
	for _, m.Type = range []events.Type{events.TypeOf[events.DeliveryConfirmed](), events.TypeOf[events.ContextRestarted]()} {
		w.receipts.Stored(events.Envelope{Meta: m})
	}
	return nil
}

// shownContext is a transcript that shows a context after a compaction.
type shownContext struct{ transcript.Watcher }

func (shownContext) Context() (transcript.Context, int) {
	return transcript.Context{Boundary: "compaction 1"}, 1
}

// The receipt of a compaction that follows while the receipt of the one before it is recorded is still missing.
func TestReceiptOfANewerCompaction(t *testing.T) {
	t.Parallel()
	w := &restarted{}
	w.receipts = NewReceipts(newLog(t), w, t.TempDir())
	target := projections.Target{Project: "p", Session: "s"}
	w.receipts.due[target] = due{ended: true, settled: true}
	sr := &sessionReader{laneReader: laneReader{target: target, file: reading{watcher: shownContext{}}}}
	if err := w.receipts.confirmNewest(t.Context(), sr); err != nil {
		t.Fatal(err)
	}
	if _, missing := w.receipts.due[target]; !missing {
		t.Error("the newer receipt is not missing any more")
	}
}
