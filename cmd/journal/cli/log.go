package cli

import (
	"context"
	"iter"

	"journal/events"
	"journal/journal"
	"journal/journal/record"
	"journal/replay"
)

// FollowedLog is a log that is read while it grows.
type FollowedLog interface {
	replay.Source
	// Stream returns the name of the log's stream. In a stream of another name the event numbers may mean other events.
	Stream() string
	Stats(context.Context) (journal.Stats, error)
	Messages(context.Context, events.Span) iter.Seq2[record.Record, error]
	Follow(ctx context.Context, after uint64, sel ...events.Selector) iter.Seq2[events.Envelope, error]
}
