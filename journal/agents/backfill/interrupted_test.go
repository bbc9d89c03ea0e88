package backfill_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/journal/agents/backfill"
	"journal/journal/agents/transcript"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

// ids lists the events of a log in order.
func (m *memory) ids() (all []string) {
	for _, e := range *m {
		all = append(all, e.ID)
	}
	return all
}

// several writes transcripts of sessions that each take a good part of a request.
func several(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for i := range 7 {
		transcriptNamed(t, dir, fmt.Sprint("session-", i), fmt.Sprint(i), []int{300, 150}, func(prompt int) bool { return prompt == 0 })
	}
	return dir
}

// TestKilled: whenever an import is killed, the durable events are a prefix of what the whole import adds, and another
// import adds the rest in the same order: whatever was read and prepared by then, and whether or not the newest request
// became durable.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := several(t)
	requests := 0
	var whole memory
	whole.add(t, func(ctx context.Context, r wire.Request) (client.Receipt, error) {
		requests++
		return whole.send(ctx, r)
	}, dir)
	if requests < 3 {
		t.Fatalf("%d events in %d requests", len(whole), requests)
	}
	killed := errors.New("killed")
	for n := range requests {
		for _, durable := range []bool{false, true} {
			var log memory
			sent := 0
			files, _, err := backfill.Transcripts(t.Context(), []string{dir}, transcript.Agents())
			if err != nil {
				t.Fatal(err)
			}
			_, err = backfill.Import(t.Context(), files, backfill.NewInventory(), backfill.Options{
				Send: func(ctx context.Context, r wire.Request) (client.Receipt, error) {
					if sent++; sent > n+1 {
						t.Errorf("killed at request %d, and sends the next", n)
					}
					if sent <= n || durable {
						if receipt, err := log.send(ctx, r); err != nil {
							return receipt, err
						}
					}
					if sent > n {
						return client.Receipt{}, killed
					}
					return client.Receipt{}, nil
				},
			})
			if !errors.Is(err, killed) {
				t.Fatalf("error %v", err)
			}
			if got := log.ids(); !slices.Equal(got, whole.ids()[:len(got)]) {
				t.Fatalf("killed at request %d: what is durable is no beginning of the whole", n)
			}
			log.add(t, log.send, dir)
			if !slices.Equal(log.ids(), whole.ids()) {
				t.Errorf("killed at request %d, durable %t: %d events, want the %d of the whole in their order", n, durable, len(log), len(whole))
			}
		}
	}
}

// TestPausedMeanwhile: if a person pauses a project during its import, nothing after the first refused event is sent,
// so that an import after the pause continues there.
func TestPausedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := several(t)
	var whole, log memory
	whole.add(t, whole.send, dir)
	sent := 0
	sum := log.add(t, func(ctx context.Context, r wire.Request) (client.Receipt, error) {
		if sent++; sent == 2 {
			return client.Receipt{}, client.ErrPaused
		}
		return log.send(ctx, r)
	}, dir)
	if sum.Skipped == 0 || sum.Skipped == len(sum.Files) || sent < 3 {
		t.Fatalf("%d requests, skipped %d of %d", sent, sum.Skipped, len(sum.Files))
	}
	log.add(t, log.send, dir)
	if diff := cmp.Diff(whole.facts(t), log.facts(t)); diff != "" {
		t.Errorf("facts (-at once +in two imports):\n%s", diff)
	}
}
