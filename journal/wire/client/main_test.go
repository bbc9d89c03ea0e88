package client_test

import (
	"testing"
	"time"

	"journal/cmd/testkit/ownertest"
	"journal/embedded"
)

// newServer is a server on dir without anybody who answers appenders.
func newServer(t testing.TB, dir string) *embedded.Server {
	t.Helper()
	s, err := embedded.Own(t.Context(), ownertest.Lock(t, dir), embedded.Options{Grace: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// unhurried lets a busy machine take its time where a test is not about budgets.
func unhurried(budget time.Duration) time.Duration { return 40 * budget }
