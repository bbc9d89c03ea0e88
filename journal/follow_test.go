package journal_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/eventstest"
	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/events"
)

func TestFollow(t *testing.T) {
	t.Parallel()
	session, typ := events.Selector{Session: "s"}, events.Selector{Type: events.TypeOf[events.TurnEnded]()}
	for name, c := range map[string]struct {
		after uint64
		sel   []events.Selector
		want  []uint64
	}{
		"all":                    {0, nil, []uint64{1, 2, 3, 4, 5, 6}},
		"after":                  {2, nil, []uint64{3, 4, 5, 6}},
		"session":                {0, []events.Selector{session}, []uint64{1, 2, 4, 5}},
		"one or the other":       {0, []events.Selector{session, typ}, []uint64{1, 2, 3, 4, 5, 6}},
		"the same twice":         {1, []events.Selector{session, session}, []uint64{2, 4, 5}},
		"one within the other":   {0, []events.Selector{{Project: "p", Session: "s"}, {Project: "p"}}, []uint64{1, 2, 4, 5}},
		"everything and a part":  {3, []events.Selector{session, {}}, []uint64{4, 5, 6}},
		"nothing yet, then some": {3, []events.Selector{typ}, []uint64{6}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, nc := newLog(t)
			ctx, cancel := context.WithTimeout(t.Context(), testutil.Patience)
			defer cancel()
			old := prompts(t, l, 2)
			old = append(old, put(t, l, eventstest.Wrap(t, events.TurnEnded{}, events.Meta{Project: "q", Session: "other"})))
			model := old
			appended := make(chan struct{})
			before := nc.NumSubscriptions()
			var got []events.Envelope
			begin := func() {
				defer close(appended)
				model = append(model, prompts(t, l, 2)...)
				model = append(model, put(t, l, eventstest.Wrap(t, events.TurnEnded{}, events.Meta{Project: "q", Session: "other"})))
			}
			go begin()
			for e, err := range l.Follow(ctx, c.after, c.sel...) {
				if err != nil {
					t.Fatal(err)
				}
				if got = append(got, e); len(got) == len(c.want) {
					break
				}
			}
			<-appended
			var want []events.Envelope
			for _, seq := range c.want {
				want = append(want, model[seq-1])
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-appended +followed):\n%s", d)
			}
			// The client keeps one for the replies to all its requests.
			testutil.Eventually(t, "no subscription is left", func() bool { return nc.NumSubscriptions() <= before+1 })
		})
	}
}

func TestFollowEndsWithItsContext(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t)
	prompts(t, l, 1)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	first := make(chan struct{})
	go func() {
		n := 0
		for _, err := range l.Follow(ctx, 0) {
			if err != nil {
				ended <- err
				return
			}
			if n++; n == 1 {
				close(first)
			}
		}
		ended <- nil
	}()
	<-first
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(testutil.Patience):
		t.Fatal("goes on")
	}
}

func TestFollowEndsWithTheServer(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	o, stop := ownertest.Serve(t, dir)
	first, ended := make(chan struct{}), make(chan error, 1)
	put(t, o.Log(), eventstest.Wrap(t, events.TurnEnded{}, events.Meta{}))
	go func() {
		var last error
		for _, err := range o.Log().Follow(context.Background(), 0) {
			if last = err; err == nil {
				close(first)
			}
		}
		ended <- last
	}()
	<-first
	stop()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("a reader of a log that is gone was told that it ended well")
		}
	case <-time.After(testutil.Patience):
		t.Fatal("goes on")
	}
}

func TestFollowStopsAtGarbage(t *testing.T) {
	t.Parallel()
	l, js := damaged(t)
	prompts(t, l, 1)
	garbage(t, js, "?")
	ctx, cancel := context.WithTimeout(t.Context(), testutil.Patience)
	defer cancel()
	got, err := eventstest.All(l.Follow(ctx, 0))
	testutil.WantError(t, err, events.ErrMalformed)
	if len(got) != 1 || !strings.Contains(err.Error(), fmt.Sprint("seq ", 2)) {
		t.Errorf("%d events, then %q", len(got), err)
	}
}
