package peers

import (
	"context"
	"testing"
)

// What is read ahead has a bound, and the copy that is taken next goes beyond it: none waits for ever.
func TestRoom(t *testing.T) {
	t.Parallel()
	r := &room{free: 10, changed: make(chan struct{})}
	r.take(t.Context(), 1, 10)
	r.take(t.Context(), 0, 10) // its turn
	if r.free != -10 {
		t.Errorf("%d are free", r.free)
	}
	waits := make(chan struct{})
	go func() {
		r.take(t.Context(), 2, 5)
		close(waits)
	}()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r.take(ended, 3, 0) // who is not wanted any more does not wait
	select {
	case <-waits:
		t.Error("more is held than there is room for")
	default:
	}
	r.give(10)
	r.pass(1)
	r.give(10)
	<-waits
	if r.free != 5 {
		t.Errorf("%d are free", r.free)
	}
}
