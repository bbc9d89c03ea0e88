package look

import (
	"context"
	"testing"

	"journal/cmd/testkit/testutil"
)

// A judge that a person interrupts did not exceed its time.
func TestInterruptedJudge(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	_, err := ask(ctx, []string{"sleep", "1"}, "")
	testutil.WantError(t, err, context.Canceled)
}
