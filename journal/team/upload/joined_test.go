package upload_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"journal/cmd/testkit/testutil"
	"journal/journal/team"
	"journal/journal/team/hub"
	"journal/journal/team/upload"
)

// Who joins with new keys, or leaves, while the link finds that the hub was moved, has the new keys, or has left.
func TestWhoJoinsAgainMeanwhileHasTheNewKeys(t *testing.T) {
	t.Parallel()
	h := newHubOf(t, hub.Hub{}, 1)
	was := h.Member(t, "alice")
	h.Start(t)
	h.Announced(t)
	was.Replicas = 0 // as in the invitation of a version before; the roster says 1
	again := was
	again.Key.Seed = h.Key.Seed // any other key
	for name, c := range map[string]struct {
		meanwhile func(dir string) error
		is        team.Key
		replicas  int
		err       error
	}{
		"nothing":     {func(string) error { return nil }, was.Key, 1, nil},
		"joins again": {func(dir string) error { _, err := team.Join(dir, again); return err }, again.Key, 0, nil},
		"leaves":      {team.Leave, team.Key{}, 0, team.ErrNoMember},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newLaptop(t, was)
			m, err := team.Load(p.dir)
			must(t, err)
			l := upload.New(upload.Config{
				Dir: p.dir, Member: m, Log: p.log.stream(), Source: p.log, Head: p.log.Head,
				Repairs: func(context.Context) (uint64, error) { return 0, c.meanwhile(p.dir) },
				Logger:  slog.New(slog.DiscardHandler),
			})
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				l.Run(ctx)
			}()
			testutil.Eventually(t, "the link stands", func() bool { return l.Conn() != nil })
			cancel()
			<-done
			is, err := team.Load(p.dir)
			if !errors.Is(err, c.err) || is.Key != c.is || is.Replicas != c.replicas {
				t.Errorf("%+v %v", is, err)
			}
		})
	}
}
