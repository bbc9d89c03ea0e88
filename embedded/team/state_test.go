package team

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"journal/journal/record"
)

// Whatever is chosen, forgotten and repaired: a number never stands for two things, what has to be gone
// is erased before anything that holds it counts as replaced, and the newest copy is never removed.
func TestCopiesAreNumberedOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var c Copy
		epoch, repairs := 1, uint64(0)
		for range rapid.IntRange(1, 20).Draw(t, "changes") {
			was, took := c, false
			for range rapid.IntRange(0, 2).Draw(t, "rebuilds") {
				epoch++
				if rapid.Bool().Draw(t, "repair") {
					repairs++
				} else {
					took = true
				}
			}
			share := Share{Projects: rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b"}), rapid.ID).Draw(t, "share")}
			c = c.Next(epoch, repairs, share)
			if c.Number == was.Number {
				if !c.Share.Same(share) || !share.None() && c.Epoch != epoch {
					t.Fatalf("%+v stands for %+v of epoch %d too", was, share, epoch)
				}
				continue
			}
			gone := !was.Share.None() && (!share.Covers(was.Share) || took)
			if gone && c.EraseBelow != c.Number {
				t.Fatalf("after %+v, %+v leaves what has to be gone", was, c)
			}
			if !share.None() {
				c.AtHub = append(c.AtHub, c.Number)
			}
			for _, n := range append(c.Erase(), c.Replaced()...) {
				if n == c.Number && !c.Share.None() {
					t.Fatalf("%+v removes its own copy", c)
				}
			}
		}
	})
}

// A log whose epoch is less than that of the copy is another: it did not come by repairs, however many it tells of. A
// number that the hub has is not given again.
func TestCopyOfAnotherLog(t *testing.T) {
	t.Parallel()
	web := Share{Projects: []string{"web"}}
	c := Copy{Number: 3, Epoch: 3, Repairs: 2, Share: web, AtHub: []int{3, 5}}
	if n := c.Next(1, 0, web); n.Number != 6 || n.EraseBelow != 6 || n.KeepBelow != 0 {
		t.Errorf("%+v", n)
	}
}

// Only what an owner stored of a chosen project is given, and marks of forgotten events.
func TestDerive(t *testing.T) {
	t.Parallel()
	f := Share{Projects: []string{"web-1"}}
	for name, c := range map[string]struct {
		r     record.Record
		given bool
	}{
		"chosen":          {record.Record{Subject: "journal.web-1.s.prompt.submitted", ID: "i", Data: []byte("x")}, true},
		"another":         {record.Record{Subject: "journal.web-2.s.prompt.submitted", ID: "i", Data: []byte("x")}, false},
		"begins alike":    {record.Record{Subject: "journal.web-11.s.prompt.submitted", ID: "i", Data: []byte("x")}, false},
		"none":            {record.Record{Subject: "journal.none.none.log.repaired", ID: "i", Data: []byte("x")}, false},
		"no owner stored": {record.Record{Subject: "journal.web-1.s.prompt.submitted", Data: []byte("x")}, false},
		"forgotten":       {record.Record{Subject: record.Forgotten}, true},
		"withheld":        {record.Record{Subject: record.Withheld}, true},
	} {
		c.r.Seq = 7
		got := f.Derive(c.r)
		if got.Seq != 7 {
			t.Errorf("%s: #%d", name, got.Seq)
		}
		if given := got.Subject == c.r.Subject && string(got.Data) == string(c.r.Data); given != c.given {
			t.Errorf("%s: given %v, want %v", name, given, c.given)
		}
		if !c.given && (got.Subject != record.Withheld || got.ID != "" || len(got.Data) != 0) {
			t.Errorf("%s: %+v says something", name, got)
		}
	}
}

// Keys are for nobody else to read, and the invitation of another member replaces none.
func TestJoin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := Member{Version: Version, Team: "acme", Name: "alice", Hub: []string{"tls://h:1"}, Account: "A", Issuer: "U", Key: Key{JWT: "eyJ", Seed: "S"}}
	if _, err := Load(dir); !errors.Is(err, ErrNoMember) {
		t.Error(err)
	}
	is, err := Join(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	other := m
	other.Name = "bob"
	if _, err := Join(dir, other); !errors.Is(err, ErrMember) {
		t.Error(err)
	}
	again, err := Load(dir)
	if err != nil || !reflect.DeepEqual(again, is) {
		t.Errorf("%+v is loaded as %+v, error %v", is, again, err)
	}
	fi, err := os.Stat(filepath.Join(Dir(dir), memberName))
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, error %v", fi.Mode(), err)
	}
	for _, text := range []string{"", "{}", `{"journal_team":4}`, `{"journal_team":4,"team":"a","name":"../b","hub":["x"],"account":"A","issuer":"U","key":{"jwt":"eyJ","seed":"S"}}`,
		`{"journal_team":4,"team":"a","name":"b","hub":["x"],"account":"A","key":{"jwt":"eyJ","seed":"S"}}`,
		`{"journal_team":1,"team":"acme","name":"alice","hub":["tls://h:1"],"clients":["tls://h:2"],"upload":{"seed":"S"}}`,
	} {
		if _, err := DecodeMember([]byte(text)); !errors.Is(err, ErrInvitation) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := Leave(dir); err != nil {
		t.Fatal(err)
	}
	if rejoined, err := Join(dir, m); err != nil || rejoined.Device != is.Device {
		t.Errorf("%+v comes back as %+v, error %v", is, rejoined, err)
	}
}
