package look

import (
	"context"
	"iter"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// forward folds up to and with a sequence, 0 being the beginning, and shows how
// far it has come.
func forward(ctx context.Context, a *cli.App, log *journal.Log, f *projections.Fold, until uint64) error {
	if until <= f.Seq() {
		return nil
	}
	st, err := log.Stats(ctx)
	if err != nil {
		return err
	}
	show, end := a.Progress("replayed")
	defer end()
	return cli.Damaged(replay.Forward(ctx, progressLog{log, st, show}, f, until))
}

// progressLog is a log whose reading is shown on a terminal.
type progressLog struct {
	log  *journal.Log
	st   journal.Stats
	show func(done, total int64) // nil: nobody looks
}

// Events satisfies replay.Source.
func (s progressLog) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	found := s.log.Events(ctx, span, sel...)
	if s.show == nil {
		return found
	}
	return func(yield func(events.Envelope, error) bool) {
		for e, err := range found {
			if !yield(e, err) {
				return
			}
			if s.st.Last > 0 {
				s.show(int64(float64(s.st.Bytes)*float64(e.Seq)/float64(s.st.Last)), int64(s.st.Bytes))
			}
		}
	}
}
