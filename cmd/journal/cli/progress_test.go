package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A progress line says how much is done, how fast, and what is left; nothing for what is done at
// once, and no more than ten lines a second.
func TestProgressLine(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	at := time.Unix(0, 0)
	line := newProgressLine(&out, "imported", Size, func() time.Time { return at })
	var got []string
	for _, c := range []struct {
		at   time.Duration
		done int64
	}{{0, 1}, {99, 2 << 20}, {100, 10 << 20}, {150, 15 << 20}, {2000, 100 << 20}, {4000, 400 << 20}, {4500, 450 << 20}} {
		at = time.Unix(0, 0).Add(c.at * time.Millisecond)
		out.Reset()
		line.show(c.done, 400<<20)
		got = append(got, out.String())
	}
	out.Reset()
	line.end()
	got = append(got, out.String())
	want := []string{
		"", "", "\rimported 2% of 400.0 MiB\x1b[K", "",
		"\rimported 25% of 400.0 MiB, 50.0 MiB/s, 6s left\x1b[K",
		"\rimported 100% of 400.0 MiB, 100.0 MiB/s, 0s left\x1b[K",
		"\rimported 100% of 400.0 MiB, 88.9 MiB/s, 0s left\x1b[K",
		"\r\x1b[K",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}
