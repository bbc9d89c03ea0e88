package backfill_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

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

// TestKilledInAPart: an import that is killed within what precedes the first hook, or within what hooks missed, is
// continued in the same part, which the session names.
func TestKilledInAPart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		commands := rapid.SliceOfN(rapid.IntRange(0, 2), 2, 6).Draw(t, "commands of each prompt")
		every := rapid.IntRange(1, 4).Draw(t, "compacted every")
		path := transcriptOf(t, dir, commands, func(i int) bool { return i%every == every-1 })
		var all, whole memory
		all.add(t, all.send, path)
		all = hooked(all)
		for range 2 {
			from := rapid.IntRange(0, len(all)).Draw(t, "from")
			to := rapid.IntRange(from, len(all)).Draw(t, "to")
			whole.append(all[from:to]...)
			all = all[to:]
		}
		told := len(whole)
		whole.add(t, whole.send, path)
		for kept := told; kept < len(whole); kept++ {
			log := slices.Clone(whole[:kept])
			log.add(t, log.send, path)
			if diff := cmp.Diff(whole.ids(), log.ids()); diff != "" {
				t.Fatalf("killed after %d of %d events (-at once +in two imports):\n%s\n%s", kept-told, len(whole)-told, diff, cmp.Diff(whole.facts(t), log.facts(t)))
			}
		}
	})
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
