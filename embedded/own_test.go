package embedded_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded"
	"journal/embedded/store/ownership"
	"journal/events"
)

func TestRule7FailureIsRemembered(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { busy.Close() })
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		o     embedded.Options
		mend  func(dir string) error
		want  error
	}{
		"store is a file": {
			spoil: func(t *testing.T, dir string) { write(t, filepath.Join(dir, "store"), "") },
			mend:  func(dir string) error { return os.Remove(filepath.Join(dir, "store")) },
			want:  embedded.ErrUnusableStore,
		},
		"store holds a link": {
			spoil: func(t *testing.T, dir string) {
				if err := os.Mkdir(filepath.Join(dir, "store"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(dir, filepath.Join(dir, "store", "1.blk")); err != nil {
					t.Skip(err)
				}
			},
			mend: func(dir string) error { return os.RemoveAll(filepath.Join(dir, "store")) },
			want: embedded.ErrUnusableStore,
		},
		"newer format": {
			spoil: func(t *testing.T, dir string) { write(t, filepath.Join(dir, "format"), "99\n") },
			mend:  func(dir string) error { return os.Remove(filepath.Join(dir, "format")) },
			want:  events.ErrNewer,
		},
		"before the first release": {
			spoil: func(t *testing.T, dir string) { write(t, filepath.Join(dir, "format"), "2\n") },
			mend:  func(dir string) error { return os.Remove(filepath.Join(dir, "format")) },
			want:  events.ErrUnreleased,
		},
		"format unreadable": {
			spoil: func(t *testing.T, dir string) { write(t, filepath.Join(dir, "format"), "") },
			mend:  func(dir string) error { return os.Remove(filepath.Join(dir, "format")) },
		},
		"server cannot listen": {
			o: embedded.Options{Listen: busy.Addr().String()},
		},
		"address is refused": {
			o:    embedded.Options{Listen: "0.0.0.0:0"},
			want: embedded.ErrNotLoopback,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := ownertest.Dir(t)
			if c.spoil != nil {
				c.spoil(t, dir)
			}
			l := ownertest.Lock(t, dir)
			_, err := embedded.Own(context.Background(), l, c.o)
			if err == nil {
				t.Fatal("no error")
			}
			if c.want != nil {
				testutil.WantError(t, err, c.want)
			}
			reason, at, recent := ownership.Failed(dir)
			if !strings.HasPrefix(reason, err.Error()+", says journal ") || at.IsZero() || !recent {
				t.Errorf("remembered %q at %v, recent %v; the error was %q", reason, at, recent, err)
			}
			if !l.Intact() {
				t.Error("the lock was released")
			}
			// On a full disk the file is there and empty.
			if err := os.Truncate(filepath.Join(dir, "owner.failed"), 0); err != nil {
				t.Fatal(err)
			}
			if reason, _, recent := ownership.Failed(dir); !strings.Contains(reason, "the disk was full") || !recent {
				t.Errorf("of an empty file: %q, recent %v", reason, recent)
			}

			// The pause ends, and a start that succeeds forgets.
			for _, age := range []time.Duration{31 * time.Second, -2 * time.Minute} {
				then := time.Now().Add(-age)
				if err := os.Chtimes(filepath.Join(dir, "owner.failed"), then, then); err != nil {
					t.Fatal(err)
				}
				if _, _, recent := ownership.Failed(dir); recent {
					t.Errorf("still recent at an age of %v", age)
				}
			}
			if c.mend != nil {
				if err := c.mend(dir); err != nil {
					t.Fatal(err)
				}
			}
			ownerWith(t, l, embedded.Options{})
			if reason, at, recent := ownership.Failed(dir); reason != "" || !at.IsZero() || recent {
				t.Errorf("after a good start: %q at %v, %v", reason, at, recent)
			}
		})
	}
}

func TestNewerFormatIsNotTouched(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	l := ownertest.Lock(t, dir)
	s := ownerWith(t, l, embedded.Options{})
	fill(t, s, 1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "format"), "12\n")
	_, err := embedded.Own(context.Background(), l, embedded.Options{})
	testutil.WantError(t, err, events.ErrNewer)
	wantText(t, err.Error(), "12", "upgrade")
	if clean, why := embedded.WasClean(dir); !clean {
		t.Error(why)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "format")); string(b) != "12\n" {
		t.Errorf("format is now %q", b)
	}
}

func TestOwnHonoursContext(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := embedded.Own(ctx, ownertest.Lock(t, dir), embedded.Options{})
	testutil.WantError(t, err, context.Canceled)
	if _, _, recent := ownership.Failed(dir); recent {
		t.Error("being stopped counts as a failure of the store")
	}
}

func TestOwnNeedsTheLock(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	l := ownertest.Lock(t, dir)
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadDir(dir)
	_, err := embedded.Own(context.Background(), l, embedded.Options{})
	testutil.WantError(t, err, ownership.ErrReplaced)
	if entries, _ := os.ReadDir(dir); len(entries) != len(before) {
		t.Errorf("something was written: %v", entries)
	}
}
