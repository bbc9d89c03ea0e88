package forgotten_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"journal/events"
	"journal/journal/forgotten"
)

// TestSet: a saved set is the same after opening; with another key, or changed in any byte, it is damaged; another event is
// not in it.
func TestSet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	prompt, err := events.Wrap(events.PromptSubmitted{Text: "x"}, events.Meta{Session: "s", Turn: "t", ID: events.NewID()})
	if err != nil {
		t.Fatal(err)
	}
	open := func() *forgotten.Set {
		t.Helper()
		s, err := forgotten.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	if s.HasEvent(prompt) || s.HasSession("s") {
		t.Error("an empty set has something")
	}
	s.AddEvent(prompt)
	s.AddSession("other")
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	s = open()
	again := prompt
	again.ID = events.DerivedID("row")
	if !s.HasEvent(again) || !s.HasSession("other") || s.HasSession("s") {
		t.Error("the set is another after opening")
	}
	again.Turn = "u"
	if s.HasEvent(again) {
		t.Error("another prompt is in the set")
	}
	for _, name := range []string{forgotten.Name, forgotten.KeyName} {
		path := filepath.Join(dir, name)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b {
			b[i] ^= 1
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := forgotten.Open(dir); !errors.Is(err, forgotten.ErrDamaged) {
				t.Fatalf("byte %d of %s is another: %v", i, name, err)
			}
			b[i] ^= 1
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamagedListIsSetAside: a damaged list stays beside the new one, for a person to examine.
func TestDamagedListIsSetAside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, forgotten.Name)
	if err := os.WriteFile(path, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := forgotten.Open(dir)
	if !errors.Is(err, forgotten.ErrDamaged) {
		t.Fatal(err)
	}
	s.AddSession("s")
	for range 2 { // the second list replaces the first, which is not damaged
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
	}
	aside, err := filepath.Glob(path + ".aside-*")
	if err != nil || len(aside) != 1 {
		t.Fatalf("set aside: %v, %v", aside, err)
	}
	if b, err := os.ReadFile(aside[0]); string(b) != "damaged" || err != nil {
		t.Errorf("%s holds %q, %v", aside[0], b, err)
	}
	if s, err := forgotten.Open(dir); err != nil || !s.HasSession("s") {
		t.Errorf("the new list: %v", err)
	}
}

// TestUnreadableKeyIsNoDamage: after another error than a missing key the list stays where it is.
func TestUnreadableKeyIsNoDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := forgotten.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s.AddSession("s")
	key := filepath.Join(dir, forgotten.KeyName)
	if err := errors.Join(s.Save(), os.Remove(key), os.Symlink(key, key)); err != nil {
		t.Skip(err)
	}
	if _, err := forgotten.Open(dir); err == nil || errors.Is(err, forgotten.ErrDamaged) {
		t.Errorf("error %v", err)
	}
}
