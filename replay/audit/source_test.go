package audit_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/audit"
	"journal/replay/recovery"
)

var errTorn = errors.New("torn")

// torn returns the events of a log until so many were read, and then an error.
type torn struct {
	replay.Slice
	left int
}

func (s *torn) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for e, err := range s.Slice.Events(ctx, span, sel...) {
			if s.left--; s.left < 0 {
				yield(events.Envelope{}, errTorn)
				return
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Wherever a source ends with an error, the audit does too: what was read by then is no
// audit.
func TestTornSource(t *testing.T) {
	t.Parallel()
	log := replay.Slice{}
	add := func(e events.Event) { log = grow(t, log, e, target.Session, "") }
	add(events.PromptSubmitted{Text: "paint the gate"})
	add(events.CompactionCompleted{Summary: "Nothing of note."})
	log, text := given(t, log, recovery.Limit{})
	add(events.DeliveryConfirmed{Recovery: 3, Digest: text.Digest, Preview: 50})
	whole := &torn{log, 1 << 20}
	if _, err := audit.Audit(context.Background(), whole, target, projections.Config{}); err != nil {
		t.Fatal(err)
	}
	reads := 1<<20 - whole.left
	if compactions := 1; reads <= compactions+len(log) { // they are found first, and then the session is read
		t.Fatalf("%d events are read: the preview is not looked at", reads)
	}
	for n := range reads {
		if _, err := audit.Audit(context.Background(), &torn{log, n}, target, projections.Config{}); !errors.Is(err, errTorn) {
			t.Errorf("torn after %d of %d: error %v", n, reads, err)
		}
	}
	bad := append(replay.Slice{}, log...)
	bad[0].Body = []byte{0xc1}
	if r, err := audit.Audit(context.Background(), bad, target, projections.Config{}); err != nil || len(r.Compactions) != 1 {
		t.Errorf("bytes that do not fit their type: %v, error %v", r, err)
	}
}
