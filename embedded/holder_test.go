//go:build linux || darwin

package embedded_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/store/ownership"
)

func TestRule13HolderNamesTheProcess(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	_, err := ownership.ReadHolder(dir)
	testutil.WantError(t, err, ownership.ErrNoHolder)

	l := ownertest.Lock(t, dir)
	before := time.Now()
	if err := l.Beat("1.2.3"); err != nil {
		t.Fatal(err)
	}
	h, err := ownership.ReadHolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	host, _ := os.Hostname()
	want := ownership.Holder{PID: os.Getpid(), Host: host, Version: "1.2.3"}
	if d := cmp.Diff(want, h, cmpopts.IgnoreFields(ownership.Holder{}, "BootID", "Heartbeat")); d != "" {
		t.Error(d)
	}
	if at := time.Unix(0, h.Heartbeat); at.Before(before) || at.After(time.Now()) {
		t.Errorf("heartbeat at %v", at)
	}
	if h.BootID == "" {
		t.Error("no boot id")
	}

	// A shorter record must not leave the end of a longer one behind.
	if err := l.Beat("2"); err != nil {
		t.Fatal(err)
	}
	if h, err = ownership.ReadHolder(dir); err != nil || h.Version != "2" {
		t.Fatalf("after the second beat: %+v, %v", h, err)
	}

	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	_, err = ownership.ReadHolder(dir)
	testutil.WantError(t, err, ownership.ErrNoHolder)
	testutil.WantError(t, l.Beat(""), ownership.ErrClosed)
}

func TestRule13ForeignMachine(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	l := ownertest.Lock(t, dir)
	if err := l.Beat(""); err != nil {
		t.Fatal(err)
	}
	ours, err := ownership.ReadHolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		boot    string
		age     time.Duration
		foreign bool
	}{
		"elsewhere, beating":               {"other", time.Second, true},
		"elsewhere, its clock a bit ahead": {"other", -3 * time.Second, true},
		"elsewhere, silent":                {"other", time.Minute, false},
		"elsewhere, from the far future":   {"other", -time.Minute, false},
		"here, killed a moment ago":        {ours.BootID, time.Second, false},
		"unknown machine":                  {"", time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := ownertest.Dir(t)
			b, err := json.Marshal(ownership.Holder{
				PID: 77, BootID: c.boot, Host: "faraway", Heartbeat: time.Now().Add(-c.age).UnixNano(),
			})
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "owner.lock"), string(b))
			_, err = ownership.TryLock(dir)
			if got := errors.Is(err, ownership.ErrForeign); got != c.foreign {
				t.Fatalf("got %v, want foreign = %v", err, c.foreign)
			}
			if !c.foreign {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			wantText(t, err.Error(), "faraway", "77")
			if ownership.Held(dir) {
				t.Error("the refused lock is still held")
			}
		})
	}
}

// The content of the lock file can only make the machine foreign for a while: a lock that can never be taken would stop the journal for good.
func FuzzLockFileContent(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte("{"))
	f.Add([]byte(`{"pid":1,"boot_id":"x","heartbeat":9223372036854775807}`))
	f.Add([]byte(`{"heartbeat":-9223372036854775808,"boot_id":"x"}`))
	f.Add(make([]byte, 4096))
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "owner.lock"), string(content))
		l, err := ownership.TryLock(dir)
		if err != nil {
			testutil.WantError(t, err, ownership.ErrForeign)
			return
		}
		defer l.Release()
		if err := l.Beat("v"); err != nil {
			t.Fatal(err)
		}
		if h, err := ownership.ReadHolder(dir); err != nil || h.Version != "v" {
			t.Fatalf("after a beat: %+v, %v", h, err)
		}
	})
}
