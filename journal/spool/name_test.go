package spool_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/journal/spool"
)

func TestNameIsParsedBack(t *testing.T) {
	t.Parallel()
	const id = "0197c0de-0000-7000-8000-0123456789ab"
	name := newName(t, id)
	e, err := spool.ParseName(name)
	if err != nil {
		t.Fatal(err)
	}
	want := spool.Entry{Name: name, ID: id, Boot: name[:8], Nanos: e.Nanos}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
	if again := fmt.Sprintf("%s-%016x-%s.ev", e.Boot, e.Nanos, e.ID); again != name {
		t.Errorf("parts of %s make %s", name, again)
	}
}

func TestNameRefusesIDs(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "A", "a/b", "a.b", "..", "a b", "é", "a\x00", strings.Repeat("a", 65)} {
		if name, err := spool.Name(id); err == nil {
			t.Errorf("id %q: name %q", id, name)
		}
	}
	if _, err := spool.Name(strings.Repeat("a", 64)); err != nil {
		t.Error(err)
	}
}

func TestStampsOfOneProcessRise(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := map[uint64]bool{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			var last uint64
			for range 2000 {
				e, err := spool.ParseName(newName(t, "x"))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if e.Nanos <= last || seen[e.Nanos] {
					t.Errorf("stamp %d after %d, seen before: %v", e.Nanos, last, seen[e.Nanos])
				}
				seen[e.Nanos] = true
				mu.Unlock()
				last = e.Nanos
			}
		})
	}
	wg.Wait()
}

func TestStampsRiseWhenTheClockDoesNot(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]uint64{5, 6, 7, 20, 21}, spool.Stamps(5, 5, 3, 20, 20)); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseName(f *testing.F) {
	for _, name := range []string{
		"",
		".ev",
		"00000000-0000000000000000-a.ev",
		"00000000-0000000000000000-.ev",
		"00000000-0000000000000000-A.ev",
		"00000000-0000000000000000-a",
		"0000000g-0000000000000000-a.ev",
		"00000000-000000000000000G-a.ev",
		"00000000_0000000000000000-a.ev",
		"00000000-0000000000000000_a.ev",
		"00000000-+000000000000000-a.ev",
		"ffffffff-ffffffffffffffff-" + strings.Repeat("z", 64) + ".ev",
		"ffffffff-ffffffffffffffff-" + strings.Repeat("z", 65) + ".ev",
		".tmp-00000000-0000000000000000-a.ev",
	} {
		f.Add(name)
	}
	form := regexp.MustCompile(`\A[0-9a-f]{8}-[0-9a-f]{16}-[a-z0-9-]{1,64}\.ev\z`)
	f.Fuzz(func(t *testing.T, name string) {
		e, err := spool.ParseName(name)
		if (err == nil) != form.MatchString(name) {
			t.Fatalf("%q: error %v, of the form: %v", name, err, form.MatchString(name))
		}
		if err == nil && fmt.Sprintf("%s-%016x-%s.ev", e.Boot, e.Nanos, e.ID) != name {
			t.Fatalf("%q: parsed as %+v", name, e)
		}
	})
}

// The ids of a boot of each system become eight digits, and an empty one the zero boot.
func TestBootOf(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"0e9ae7c2-6b07-4a4c-8c3c-0123456789ab\n": "0e9ae7c2", // Linux
		"0E9AE7C2-6B07-4A4C-8C3C-0123456789AB":   "0e9ae7c2", // macOS
		"":                                       "00000000",
		"0e9ae7":                                 "00000000",
		"/proc is missing":                       "00000000",
	} {
		if got := spool.BootOf(id); got != want {
			t.Errorf("%q: %s, want %s", id, got, want)
		}
	}
}
