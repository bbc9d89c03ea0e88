package owner_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"journal/cmd/journal/snapshots"
	"journal/events"
	"journal/journal/wire"
	"journal/projections"
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

func (h *home) snapshot() {
	h.t.Helper()
	if err := h.o.Snapshot(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

// snapshotFiles lists the snapshots, oldest name first.
func (h *home) snapshotFiles() []string {
	h.t.Helper()
	all, err := filepath.Glob(filepath.Join(h.dir, "snapshots", "*"))
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

// newest is the sequence of the newest usable snapshot of session s, 0 for none.
func (h *home) newest(c projections.Config) uint64 {
	h.t.Helper()
	s, ok := snapshots.In(h.dir).Newest(h.t.Context(), h.o.Log(), projections.Target{Project: "p", Session: "s"}, c, h.o.Head())
	if !ok {
		return 0
	}
	return s.Place.Seq
}

// Snapshots are written of lanes that moved, two of each at most, for their owner
// only (DECISIONS 3.23).
func TestSnapshotsAreWritten(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.works("s", 0, 10)
	h.snapshot()
	if got := h.snapshotFiles(); len(got) != 0 {
		t.Errorf("a few events were worth a snapshot: %v", got)
	}
	for round := range 4 {
		seq := h.works("s", 100+100*round, 70)
		h.snapshot()
		if got := h.newest(projections.Config{}); got != seq {
			t.Errorf("round %d: the newest is of #%d, want #%d", round, got, seq)
		}
		h.snapshot() // nothing is new
		if got, want := len(h.snapshotFiles()), min(round+1, 2); got != want {
			t.Errorf("round %d: %d files, want %d", round, got, want)
		}
	}
	for _, path := range h.snapshotFiles() {
		fi, err := os.Stat(path)
		if err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, fi.Mode(), err)
		}
	}
	if got := h.newest(projections.Config{Pressure: projections.Thresholds{Info: 10}}); got != 0 {
		t.Errorf("a snapshot of other thresholds is used: #%d", got)
	}
}

// A snapshot that is deleted, cut, changed or of another log changes no state
// (DECISIONS 2.10).
func TestSnapshotsAreDisposable(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	seq := h.works("s", 0, 80)
	h.snapshot()
	if h.newest(projections.Config{}) != seq {
		t.Fatal("no snapshot")
	}
	target := projections.Target{Project: "p", Session: "s"}
	whole := projections.NewFold(target, projections.Config{}, projections.All()...)
	if err := replay.Forward(t.Context(), h.o.Log(), whole, seq); err != nil {
		t.Fatal(err)
	}
	path := h.snapshotFiles()[0]
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(good)
	flipped[len(good)/2] ^= 1
	other := newHome(t)
	other.works("s", 500, 80)
	other.snapshot()
	foreign, err := os.ReadFile(other.snapshotFiles()[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func() error{
		"kept":         func() error { return nil },
		"deleted":      func() error { return os.Remove(path) },
		"cut":          func() error { return os.WriteFile(path, good[:len(good)-1], 0o600) },
		"empty":        func() error { return os.WriteFile(path, nil, 0o600) },
		"changed":      func() error { return os.WriteFile(path, flipped, 0o600) },
		"of other log": func() error { return os.WriteFile(path, foreign, 0o600) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if used := h.newest(projections.Config{}) != 0; used != (name == "kept") {
			t.Errorf("%s: used: %v", name, used)
		}
		f := snapshots.In(h.dir).Begin(t.Context(), h.o.Log(), target, projections.Config{}, seq, projections.All()...)
		if err := replay.Forward(t.Context(), h.o.Log(), f, seq); err != nil {
			t.Fatal(err)
		}
		same(t, name, whole.States(), f.States())
		if err := os.WriteFile(path, good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
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

// What an owner keeps of a lane is what a replay derives, whichever sessions come
// in turn, and wherever it stops, starts and writes snapshots in between
// (DECISIONS 2.5).
func TestLiveIsReplayedOverRestarts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			draw := rand.New(rand.NewPCG(seed, 1))
			h := newHome(t)
			h.serve()
			begun := 0 // live folds that a snapshot began
			for step := range 12 {
				session := []string{"s", "t"}[draw.IntN(2)]
				h.works(session, 100*step, 1+draw.IntN(90))
				switch draw.IntN(4) {
				case 0:
					h.close()
					h.open()
					h.serve()
				case 1:
					h.o.Leave()
					if err := h.ends(); err != nil {
						t.Fatal(err)
					}
					h.snapshot()
					h.close()
					h.open()
					h.serve()
				}
				seq := h.works(session, 100*step+95, 1)
				if h.newest(projections.Config{}) > 0 {
					begun++
				}
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
			if begun == 0 {
				t.Error("no snapshot was ever there")
			}
		})
	}
}

// state asks for what the owner keeps of the main thread of a session.
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
