package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"journal/embedded/copies"
	"journal/events/text"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// AcknowledgeCommand is the command by which a person ends the warnings about lost events.
const AcknowledgeCommand = "journal repair --acknowledge"

// ReadPastHoles is Read for a verb that shows the log. It first prints a note about the losses that nobody acknowledged, because
// the output may be incomplete. It leaves out events that no copy has, or that cannot be read. If f succeeds without them, the error
// names them.
func (a *App) ReadPastHoles(ctx context.Context, f func(*journal.Log) error) error {
	return a.Read(ctx, func(log *journal.Log) error {
		var holes []copies.Range
		var mu sync.Mutex // of holes, because a long read runs on a goroutine of its own
		log = log.PastHoles(func(first, last uint64) {
			mu.Lock()
			defer mu.Unlock()
			holes = append(holes, copies.Range{First: first, Last: last})
		})
		var unread sync.Map // errors, by their texts
		log = log.PastMalformed(func(err error) { unread.Store(err.Error(), err) })
		all, err := LossesOf(ctx, log)
		if err != nil {
			return err
		}
		if n := copies.Unacknowledged(all); n > 0 {
			a.Note(fmt.Sprintf("%s for good, so the output may be incomplete: %s; to end this note: %s", text.Counted(n, "event is", "events are")+" lost", copies.DescribeUnacknowledged(all), AcknowledgeCommand))
		}
		if err := f(log); err != nil {
			return err
		}
		if len(holes) > 0 {
			missing := copies.RangesOf(holes)
			err = WithHint(fmt.Errorf("%w: %s, %s", journal.ErrHole, text.Counted(missing.Count(), "event"), missing), "journal repair")
		}
		for _, bad := range unread.Range {
			err = errors.Join(err, bad.(error))
		}
		return Damaged(err)
	})
}

// LossesOf lists the events that the log lost for good. The list is never nil.
func LossesOf(ctx context.Context, log replay.Source) ([]projections.Loss, error) {
	all, err := replay.State(ctx, log, projections.Target{}, projections.Config{}, projections.Losses, 0)
	return slices.AppendSeq([]projections.Loss{}, all.All()), Damaged(err)
}
