package cli

import (
	"context"
	"os"
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

// A file with the name - is not stdin.
func TestReadInputFromStdin(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{"-": "a file that is too long", "in": "short"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in, err := os.Open("in")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	terminal := Terminal{In: in}
	if b, err := terminal.ReadInput(t.Context(), "-", 10); string(b) != "short" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}
