package cli

import (
	"context"
	"testing"

	"journal/cmd/testkit/testutil"
)

// What is made without looking at a signal is not waited for when one comes.
func TestAwait(t *testing.T) {
	t.Parallel()
	if n, err := Await(t.Context(), func() int { return 7 }); n != 7 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	begun, end := make(chan struct{}), make(chan struct{})
	defer close(end)
	go func() {
		<-begun
		cancel()
	}()
	_, err := Await(ctx, func() int {
		close(begun)
		<-end
		return 7
	})
	testutil.WantError(t, err, context.Canceled)
}
