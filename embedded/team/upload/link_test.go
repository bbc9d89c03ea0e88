package upload_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/team"
	"journal/embedded/team/dial"
	"journal/embedded/team/peers"
)

// What was chosen reaches the hub as it is; of everything else only that there was something.
func TestCopyIsWhatWasChosen(t *testing.T) {
	t.Parallel()
	h, p, bob := newTeam(t, 1)
	p.log.add("web", 300)
	p.log.add("hidden", 200)
	p.on()
	testutil.Eventually(t, "the hub answers", func() bool { return p.status(t).Connected })
	js := reader(t, bob)
	if found := copies(t, p); len(found) != 0 {
		t.Fatalf("before anything was chosen the hub has %d", found)
	}

	p.share(t, "web")
	arrived(t, p)
	same(t, js, p, "web")
	p.log.add("web", 50)
	p.log.add("hidden", 7)
	arrived(t, p)
	same(t, js, p, "web")
	if found := holding(t, h.Dir, "hidden"); len(found) != 0 {
		t.Errorf("what was not chosen is in %s", found)
	}

	p.share(t, "web", "hidden")
	arrived(t, p)
	testutil.Eventually(t, "one copy is there, and known of", func() bool {
		c, err := team.LoadCopy(p.dir)
		return err == nil && slices.Equal(c.AtHub, copies(t, p)) && len(c.AtHub) == 1
	})
	same(t, js, p, "web", "hidden")

	p.share(t, "web")
	arrived(t, p)
	same(t, js, p, "web")
	testutil.Eventually(t, "what is not chosen any more is gone", func() bool { return len(holding(t, h.Dir, "hidden")) == 0 })

	p.share(t)
	testutil.Eventually(t, "nothing is left", func() bool { return len(copies(t, p)) == 0 })
	testutil.Eventually(t, "nothing here says what was shared", func() bool { return len(holding(t, team.Dir(p.dir), "web")) == 0 })
}

// A link that ends before it reaches the hub forgets nothing of what the hub has: a restored log is told by that whether
// the hub's copy was its own (TestRestoredLaptop, "it forgot the newest since").
func TestLinkThatEndsAtOnce(t *testing.T) {
	t.Parallel()
	_, p, _ := newTeam(t, 1)
	p.log.add("web", 3)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	p.off()
	before := p.status(t)
	ended, end := context.WithCancel(t.Context())
	end()
	p.run(ended)
	if is := p.status(t); is.Copy != before.Copy || is.Hub != before.Hub || is.Head != before.Head {
		t.Fatalf("the status is %+v, and was %+v", is, before)
	}
}

// Nothing is uploaded while nobody can read what the person shares.
func TestUnreadableShare(t *testing.T) {
	t.Parallel()
	_, p, _ := newTeam(t, 1)
	p.log.add("web", 3)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	must(t, os.WriteFile(filepath.Join(team.Dir(p.dir), "share.json"), []byte("{"), 0o600))
	p.log.add("web", 1)
	testutil.Eventually(t, "the status names the file", func() bool { return strings.Contains(p.status(t).Problem, "share.json") })
	if s := p.status(t); s.Hub != 3 {
		t.Errorf("status %+v", s)
	}
}

// A hub that has lost its copy, or the end of it, gets it again from the first message on.
func TestCopyLostAtTheHub(t *testing.T) {
	t.Parallel()
	h, p, bob := newTeam(t, 1)
	p.log.add("web", 2000)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	h.Stop("node-1")
	must(t, os.RemoveAll(filepath.Join(h.Dir, "jetstream-node-1")))
	p.log.add("web", 10)
	h.Start(t)
	h.Announced(t)
	arrived(t, p)
	same(t, reader(t, bob), p, "web")
}

// A hub that was set back to an older backup gets what it lacks, and what was to be gone is gone again: from
// a time when the copy ended earlier, had another number, held what is forgotten since, or was not there.
func TestHubSetBack(t *testing.T) {
	t.Parallel()
	h, p, bob := newTeam(t, 1)
	store := filepath.Join(h.Dir, "jetstream-node-1")
	var backups []string
	backup := func() {
		h.Stop("node-1")
		to := filepath.Join(t.TempDir(), "backup")
		must(t, os.CopyFS(to, os.DirFS(store)))
		backups = append(backups, to)
		h.Start(t)
		h.Announced(t)
	}
	backup()
	p.log.add("web", 1000)
	p.log.all[41].Data = []byte("the marker that has to go")
	p.share(t, "web")
	p.on()
	arrived(t, p)
	backup()
	p.log.add("web", 1000)
	arrived(t, p)
	backup()
	p.off()
	p.forget(42)
	p.on()
	arrived(t, p)
	backup()
	p.log.add("web", 500)
	arrived(t, p)
	bob.Journal = t.TempDir()
	_, err := team.Join(bob.Journal, bob)
	must(t, err)
	seen := func() string {
		hub, err := peers.Reach(t.Context(), bob)
		must(t, err)
		_, err = hub.Copies(t.Context(), "alice")
		must(t, err)
		hub.Close()
		s, err := team.LoadSeen(bob.Journal)
		must(t, err)
		return s.RollbackNotice()
	}
	if said := seen(); said != "" {
		t.Errorf("all is well, and bob is told %q", said)
	}
	for n := range backups {
		running := n%2 == 0
		t.Logf("backup %d, the laptop is on: %v", n, running)
		if !running {
			p.off()
		}
		h.Stop("node-1")
		must(t, os.RemoveAll(store))
		must(t, os.CopyFS(store, os.DirFS(backups[n])))
		p.log.add("web", 10)
		h.Start(t)
		if said := seen(); !strings.Contains(said, "list of members is older") || !strings.Contains(said, "team reload") {
			t.Errorf("the roster is of before, and bob is told %q", said)
		}
		h.Announced(t)
		if !running {
			if said := seen(); !strings.Contains(said, "less of alice than") {
				t.Errorf("the hub was set back, and bob is told %q", said)
			}
			p.on()
		}
		testutil.Eventually(t, "the hub has all of it again, and nothing else", func() bool {
			s, names := p.status(t), copies(t, p)
			return s.Connected && s.Hub == p.log.Head() && s.Pending == 0 && len(names) == 1
		})
		same(t, reader(t, bob), p, "web")
		if found := holding(t, h.Dir, "the marker"); len(found) != 0 {
			t.Errorf("the marker is again in %s", found)
		}
		if said := seen(); said != "" {
			t.Errorf("all is well again, and bob is told %q", said)
		}
	}
}

// After a rebuild the log has a new stream. What was forgotten leaves the hub, at once or when
// it is reached, also when it was away for more than one of them.
func TestForgottenLeavesTheHub(t *testing.T) {
	t.Parallel()
	h, p, bob := newTeam(t, 1)
	p.log.add("web", 100)
	for i, what := range []string{"one", "two", "three"} {
		p.log.all[41+i].Data = []byte("the marker " + what + " that has to go")
	}
	p.share(t, "web")
	p.on()
	arrived(t, p)
	for _, n := range h.Nodes {
		testutil.Eventually(t, n.Name+" has the marker", func() bool {
			return len(holding(t, filepath.Join(h.Dir, "jetstream-"+n.Name), "the marker three")) > 0
		})
	}
	gone := func(what string) {
		t.Helper()
		arrived(t, p)
		same(t, reader(t, bob), p, "web")
		if s := p.status(t); s.Pending != 0 {
			t.Errorf("it is gone, and said to be pending: %+v", s)
		}
		if found := holding(t, h.Dir, what); len(found) != 0 {
			t.Errorf("%s is in %s", what, found)
		}
		if found := holding(t, team.Dir(p.dir), what); len(found) != 0 {
			t.Errorf("%s is in %s", what, found)
		}
	}
	p.off()
	p.forget(42)
	p.on()
	gone("the marker one")

	h.StopAll()
	for i, what := range []string{"the marker two", "the marker three"} {
		p.off()
		p.forget(uint64(43 + i))
		p.on()
		testutil.Eventually(t, "it is pending", func() bool {
			s, c := p.status(t), team.Copy{}
			c, err := team.LoadCopy(p.dir)
			return err == nil && c.Number == 3+i && s.Pending == 1 && s.Head == p.log.Head() && s.Problem != ""
		})
		if found := holding(t, team.Dir(p.dir), what); len(found) != 0 {
			t.Errorf("%s is in %s", what, found)
		}
	}
	h.Start(t)
	h.Announced(t)
	gone("the marker two")
	gone("the marker three")
}

// While nothing comes a laptop is looked after at each tick, which is once a second, not more: it is to sleep. What comes
// is copied at once all the same, without a tick.
func TestRests(t *testing.T) {
	t.Parallel()
	_, p, _ := newTeam(t, 1)
	clock := make(chan time.Time)
	p.ticks = clock
	p.log.add("web", 10)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	const ticks = 5
	clock <- time.Time{} // it rests when it takes one
	before := p.log.looked.Load()
	for range ticks {
		clock <- time.Time{}
	}
	if looks := p.log.looked.Load() - before; looks < ticks-1 || looks > ticks+1 { // the look after a tick may come before or after it is counted
		t.Errorf("%d looks in %d ticks", looks, ticks)
	}
	for range 3 {
		p.log.add("web", 1)
		arrived(t, p)
	}
}

// A copy of which the end went while it was read, as one that is replaced does, is not taken for the whole.
func TestHalfACopyIsNoCopy(t *testing.T) {
	t.Parallel()
	_, p, bob := newTeam(t, 1)
	p.log.add("web", 3000)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	p.off()
	all, err := reader(t, bob).Copies(t.Context(), "alice")
	must(t, err)
	nc := hubtest.As(t, p.member.Member)
	subject := team.Subject(p.member.Account, p.member.Device, all[0].Number)
	newest := dial.AskAll(t.Context(), nc, 1, dial.Query{Stream: p.member.Account, Last: subject})[0].Messages[0]
	_, err = nc.Request(team.Remove, fmt.Appendf(nil, `{"seq":%d}`, newest.Seq), testutil.Patience)
	must(t, err)
	_, err = all[0].Log(t.Context())
	testutil.WantError(t, err, peers.ErrNotListed)
}
