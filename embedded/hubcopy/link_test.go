package hubcopy_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"journal/embedded/hubcopy"
	"journal/journal"
	"journal/journal/record"
	"journal/journal/team"
	"journal/journal/team/hub"
	"journal/journal/testutil"
)

// arrived waits until the hub has all of a laptop's copy and nothing that has to be gone.
func arrived(t testing.TB, p *laptop) team.Status {
	t.Helper()
	var s team.Status
	testutil.Eventually(t, "the hub has all of it", func() bool {
		s = p.status(t)
		c, err := team.LoadCopy(p.dir)
		share, _ := team.LoadShare(p.dir)
		return err == nil && c.Share.Equal(share) && (share.None() || c.Epoch == journal.Epoch(p.log.name)) && s.Connected && s.Copy == c.Number && s.Hub == p.log.Head() && s.Pending == 0
	})
	return s
}

// same compares the hub's copy with what it has to be, as another member reads it.
func same(t testing.TB, js jetstream.JetStream, p *laptop, projects ...string) {
	t.Helper()
	c, err := team.LoadCopy(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := js.Stream(t.Context(), hubcopy.HubStream(p.member.Device, c.Number))
	if err != nil {
		t.Fatal(err)
	}
	st := s.CachedInfo().State
	if n := p.log.Head(); st.FirstSeq != 1 || st.LastSeq != n || st.Msgs != n || st.NumDeleted != 0 {
		t.Fatalf("the hub has #%d to #%d, %d messages, %d deleted; the log %d", st.FirstSeq, st.LastSeq, st.Msgs, st.NumDeleted, n)
	}
	filter := team.Share{Projects: projects}.Filter()
	for seq := uint64(1); seq <= p.log.Head(); seq++ {
		m, err := s.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatalf("#%d: %v", seq, err)
		}
		got, err := record.Record{Seq: seq, Subject: m.Subject, ID: m.Header.Get(record.IDHeader), Data: m.Data}.Unpack()
		want := filter.Derive(p.log.at(seq))
		if err != nil || got.Subject != want.Subject || got.ID != want.ID || !bytes.Equal(got.Data, want.Data) {
			t.Fatalf("#%d at the hub is %q %q %q, want %q %q %q, error %v", seq, got.Subject, got.ID, got.Data, want.Subject, want.ID, want.Data, err)
		}
	}
}

// holding lists the files below a directory that hold some bytes.
func holding(t testing.TB, dir, what string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(what)) {
			found = append(found, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it went while we looked
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// What was chosen reaches the hub as it is; of everything else only that there was something.
func TestCopyIsWhatWasChosen(t *testing.T) {
	t.Parallel()
	h := newHub(t, 1)
	alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
	h.Start(t)
	p := newLaptop(t, alice)
	p.log.add("web", 300)
	p.log.add("hidden", 200)
	p.on()
	testutil.Eventually(t, "the hub answers", func() bool { return p.status(t).Connected })
	js := reader(t, bob, "alice")
	if names := streams(t, js); len(names) != 0 {
		t.Fatalf("before anything was chosen the hub has %s", names)
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
	if c, err := team.LoadCopy(p.dir); err != nil || !slices.Equal(c.AtHub, streamsOf(t, js)) || len(c.AtHub) != 1 {
		t.Errorf("the hub has %d, and %d is known of: %v", streamsOf(t, js), c.AtHub, err)
	}
	same(t, js, p, "web", "hidden")

	p.share(t, "web")
	arrived(t, p)
	same(t, js, p, "web")
	testutil.Eventually(t, "what is not chosen any more is gone", func() bool { return len(holding(t, h.Dir, "hidden")) == 0 })

	p.share(t)
	testutil.Eventually(t, "nothing is left", func() bool { return len(streams(t, js)) == 0 })
	if found := holding(t, team.Dir(p.dir), "web"); len(found) != 0 {
		t.Errorf("nothing is shared, and the copy is still in %s", found)
	}
}

// streamsOf gives the numbers of the copies that a member has at the hub.
func streamsOf(t testing.TB, js jetstream.JetStream) (all []int) {
	t.Helper()
	for _, name := range streams(t, js) {
		n, err := strconv.Atoi(name[strings.LastIndexByte(name, '_')+1:])
		must(t, err)
		all = append(all, n)
	}
	return all
}

// streams lists what a member has at the hub.
func streams(t testing.TB, js jetstream.JetStream) (all []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	names := js.StreamNames(ctx)
	for n := range names.Name() {
		all = append(all, n)
	}
	if err := names.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// A laptop that was away goes on where the hub's copy ends, and one whose copy is damaged makes it again.
func TestCopyGoesOn(t *testing.T) {
	t.Parallel()
	h := newHub(t, 1)
	alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
	h.Start(t)
	p := newLaptop(t, alice)
	p.log.add("web", 20)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	for name, meanwhile := range map[string]func(){
		"away":           func() {},
		"store lost":     func() { must(t, team.RemoveStore(p.dir)) },
		"hub restarted":  func() { h.Stop("node-1") },
		"copy forgotten": func() { must(t, os.Remove(filepath.Join(team.Dir(p.dir), "status.json"))) },
	} {
		t.Log(name)
		p.off()
		meanwhile()
		p.log.add("web", 30)
		h.Start(t)
		p.on()
		arrived(t, p)
		same(t, reader(t, bob, "alice"), p, "web")
		if c, _ := team.LoadCopy(p.dir); c.Number != 1 {
			t.Errorf("%s: it is copy %d, not the first", name, c.Number)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A hub that has lost its copy, or the end of it, gets it again from the first message on.
func TestCopyLostAtTheHub(t *testing.T) {
	t.Parallel()
	h := newHub(t, 1)
	alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
	h.Start(t)
	p := newLaptop(t, alice)
	p.log.add("web", 2000)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	h.Stop("node-1")
	must(t, os.RemoveAll(filepath.Join(h.Dir, "jetstream-node-1")))
	p.log.add("web", 10)
	h.Start(t)
	arrived(t, p)
	same(t, reader(t, bob, "alice"), p, "web")
}

// A hub that was set back to an older backup gets what it lacks, and what was to be gone is gone again: from
// a time when the copy ended earlier, had another number, held what is forgotten since, or was not there.
func TestHubSetBack(t *testing.T) {
	t.Parallel()
	h := newHub(t, 1)
	alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
	h.Start(t)
	p := newLaptop(t, alice)
	store := filepath.Join(h.Dir, "jetstream-node-1")
	var backups []string
	backup := func() {
		h.Stop("node-1")
		to := filepath.Join(t.TempDir(), "backup")
		must(t, os.CopyFS(to, os.DirFS(store)))
		backups = append(backups, to)
		h.Start(t)
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
		if !running {
			p.on()
		}
		testutil.Eventually(t, "the hub has all of it again, and nothing else", func() bool {
			s, names := p.status(t), streams(t, reader(t, bob, "alice"))
			return s.Connected && s.Hub == p.log.Head() && s.Pending == 0 && len(names) == 1
		})
		same(t, reader(t, bob, "alice"), p, "web")
		if found := holding(t, h.Dir, "the marker"); len(found) != 0 {
			t.Errorf("the marker is again in %s", found)
		}
	}
}

// After a rebuild the log has a new stream. What was forgotten leaves every node of the hub, at once or when
// it is reached, also when it was away for more than one of them.
func TestForgottenLeavesTheHub(t *testing.T) {
	t.Parallel()
	// There is room for one copy: what has to be gone goes before another comes.
	h := newHubOf(t, hub.Hub{Limits: hub.Limits{Streams: 1}}, 3)
	alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
	h.Start(t)
	p := newLaptop(t, alice)
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
		same(t, reader(t, bob, "alice"), p, "web")
		// Whichever node is last to hear of it.
		testutil.Eventually(t, what+" is gone", func() bool { return len(holding(t, h.Dir, what)) == 0 })
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
			return err == nil && c.Number == 3+i && s.Pending == 1 && s.Head == p.log.Head() && strings.Contains(s.Problem, "not reached")
		})
		if found := holding(t, team.Dir(p.dir), what); len(found) != 0 {
			t.Errorf("%s is in %s", what, found)
		}
	}
	h.Start(t)
	gone("the marker two")
	gone("the marker three")
}

// While nothing comes a laptop is looked after once a second, not more: it is to sleep. What comes is
// copied at once all the same.
func TestRests(t *testing.T) {
	t.Parallel()
	h := newHub(t, 1)
	alice := h.Member(t, "alice")
	h.Start(t)
	p := newLaptop(t, alice)
	p.log.add("web", 10)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	<-p.log.looked // the one that saw it arrive may be among these
	first := <-p.log.looked
	<-p.log.looked
	if took := (<-p.log.looked).Sub(first); took < time.Second {
		t.Errorf("two looks of a link at rest take %v", took)
	}
	best := time.Minute
	for range 3 {
		began := <-p.log.looked
		p.log.add("web", 1)
		best = min(best, (<-p.log.looked).Sub(began))
		arrived(t, p)
	}
	if best > 600*time.Millisecond {
		t.Errorf("what comes is seen after %v at best", best)
	}
}

// What the hub asked while the network was gone, and waits for, is answered when it is there again: the copy
// does not go on only after that waiting is over, which takes 5 s.
func TestAskedWhileAway(t *testing.T) {
	t.Parallel()
	h := newHub(t, 1)
	alice := h.Member(t, "alice")
	h.Start(t)
	in, network := throughProxy(t, alice)
	p := newLaptop(t, in)
	p.log.add("web", 100)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	const waits = 5 * time.Second
	took := waits
	for n := 0; n < 3 && took >= waits; n++ { // on a busy machine it may come too late
		network.set(false, false)
		p.log.add("web", 100)
		testutil.Eventually(t, "the hub asks", func() bool {
			z, err := h.Server("node-1").Subsz(&server.SubszOptions{Account: "M_alice", Subscriptions: true, Limit: 1000})
			must(t, err)
			return slices.ContainsFunc(z.Subs, func(s server.SubDetail) bool { return strings.HasPrefix(s.Subject, "$JSC.R.lap-") })
		})
		began := time.Now()
		network.set(true, false)
		testutil.Eventually(t, "the hub has all of it", func() bool { return p.status(t).Hub == p.log.Head() })
		took = time.Since(began)
	}
	if took >= waits {
		t.Errorf("it takes %v", took)
	}
}
