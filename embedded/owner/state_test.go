package owner_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"journal/events"
	"journal/journal/wire"
	"journal/projections"
	_ "journal/projections/all"
	"journal/replay"
)

// works appends n commands of a session in one report, and asks for an answer, so
// that its lane has a live fold.
func (h *home) works(session string, from, n int) uint64 {
	h.t.Helper()
	m := about(time.Duration(from) * time.Hour)
	m.Session = session
	var es []events.Event
	for i := range n {
		es = append(es, events.CommandRan{Command: fmt.Sprintf("make %d", from+i), Failed: i%5 == 0, Error: "no rule"})
	}
	h.handle(report(h.t, m, es...)...)
	m.At++
	e := prompt(h.t, m, fmt.Sprint("wish ", from))
	reply := h.asks(e, owed(e))
	return reply.Seqs[0]
}

func same(t *testing.T, what string, want, got map[string]any) {
	t.Helper()
	for name := range want {
		changes, err := replay.Diff(want[name], got[name])
		if err != nil || len(changes) > 0 {
			t.Errorf("%s: %s: %v, error %v", what, name, changes, err)
		}
	}
}

// What an owner keeps of a lane is what a replay derives, whichever sessions come in
// turn, and wherever it stops and starts in between (J.2).
func TestLiveIsReplayedOverRestarts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			draw := rand.New(rand.NewPCG(seed, 1))
			h := newHome(t)
			h.serve()
			for step := range 12 {
				session := []string{"s", "t"}[draw.IntN(2)]
				h.works(session, 100*step, 1+draw.IntN(90))
				if draw.IntN(4) == 0 {
					h.close()
					h.open()
					h.serve()
				}
				seq := h.works(session, 100*step+95, 1)
				kept := h.state(session)
				if kept.Seq != seq {
					t.Fatalf("step %d: the owner stands at #%d, want #%d", step, kept.Seq, seq)
				}
				var ps []projections.Projection
				got := map[string]any{}
				for name, b := range kept.States {
					p, _ := projections.Named(name)
					ps, got[name] = append(ps, p), json.RawMessage(b)
				}
				f := projections.NewFold(projections.Target{Project: "p", Session: session}, projections.Config{}, ps...)
				if err := replay.Forward(t.Context(), h.o.Log(), f, seq); err != nil {
					t.Fatal(err)
				}
				same(t, fmt.Sprint("step ", step), f.States(), got)
			}
		})
	}
}

// state asks for what the owner keeps of the main lane of a session.
func (h *home) state(session string) wire.StateReply {
	h.t.Helper()
	body, err := wire.Encode(wire.StateRequest{Project: "p", Session: session})
	if err != nil {
		h.t.Fatal(err)
	}
	var reply wire.StateReply
	if err := wire.Decode(h.ask(wire.State, body), &reply); err != nil || reply.Error != "" {
		h.t.Fatalf("%v %s", err, reply.Error)
	}
	return reply
}
