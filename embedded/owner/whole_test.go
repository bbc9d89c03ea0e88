package owner_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"journal/embedded"
	"journal/embedded/owner"
	"journal/embedded/store/ownership"
)

// A log that the server can open and that is not the one that was closed, or not as long as
// the second copy, is not gone on with: a sequence that was given away is not given away
// again.
func TestNotTheLogThatWas(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.handle(prompt(t, about(0), "one"))
	h.close()
	short := t.TempDir()
	if err := os.CopyFS(short, os.DirFS(h.dir)); err != nil {
		t.Fatal(err)
	}
	h.open()
	h.handle(prompt(t, about(1), "two"))
	h.close()
	h.o = nil
	replace := func(t *testing.T, dir, name string) {
		t.Helper()
		to := filepath.Join(dir, name)
		if err := errors.Join(os.RemoveAll(to), os.CopyFS(to, os.DirFS(filepath.Join(short, name)))); err != nil {
			t.Fatal(err)
		}
	}
	remembered := func(t *testing.T, dir, of string, change func(map[string]any)) {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(of, "clean"))
		m := map[string]any{}
		if err == nil {
			err = json.Unmarshal(b, &m)
		}
		change(m)
		if err == nil {
			b, err = json.Marshal(m)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "clean"), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		change func(t *testing.T, dir string)
		reason string // none: it is opened
	}{
		"as it was": {func(*testing.T, string) {}, ""},
		"nobody closed it": {func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "clean")); err != nil {
				t.Fatal(err)
			}
		}, ""},
		"shorter than what was acknowledged": {func(t *testing.T, dir string) {
			replace(t, dir, "store")
		}, "it ends with #1, but #2 was acknowledged"},
		"shorter than the second copy": {func(t *testing.T, dir string) {
			replace(t, dir, "store")
			if err := errors.Join(os.Remove(filepath.Join(dir, "clean")), os.Remove(filepath.Join(dir, "head"))); err != nil {
				t.Fatal(err)
			}
		}, "it ends with #1, and the second copy with #2"},
		"shorter than when it was closed": {func(t *testing.T, dir string) {
			replace(t, dir, "store")
			remembered(t, dir, short, func(m map[string]any) { m["seq"] = m["seq"].(float64) + 1 })
			if err := os.Remove(filepath.Join(dir, "head")); err != nil {
				t.Fatal(err)
			}
		}, "it ends with #1, but ended with #2 when it was closed"},
		"another newest event than when it was closed": {func(t *testing.T, dir string) {
			remembered(t, dir, dir, func(m map[string]any) { m["head"] = "of another" })
		}, "#2 has changed since the store was closed"},
		"nobody said which was the last": {func(t *testing.T, dir string) {
			remembered(t, dir, dir, func(m map[string]any) { m["head"], m["seq"] = "", 0 })
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "d")
			if err := os.CopyFS(dir, os.DirFS(h.dir)); err != nil {
				t.Fatal(err)
			}
			if err := ownership.Prepare(dir); err != nil {
				t.Fatal(err)
			}
			c.change(t, dir)
			lock, err := ownership.TryLock(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer lock.Release()
			o, err := owner.Own(t.Context(), lock, h.config)
			if err == nil {
				err = o.Close()
				if c.reason != "" {
					t.Fatal("it is gone on with")
				}
			}
			suspect, is := errors.AsType[*embedded.SuspectError](err)
			if is != (c.reason != "") || is && suspect.Reason != c.reason || !is && err != nil {
				t.Errorf("error %v, want %q", err, c.reason)
			}
		})
	}
}
