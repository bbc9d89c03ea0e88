package owner

import (
	"context"
	"testing"
)

// Whoever asks something ends what only runs while nobody does.
func TestAskingInterrupts(t *testing.T) {
	t.Parallel()
	o := &Owner{}
	o.touch() // nothing runs
	ctx, stop := context.WithCancel(t.Context())
	o.interrupt.Store(&stop)
	o.touch()
	if ctx.Err() == nil {
		t.Error("it goes on")
	}
}
