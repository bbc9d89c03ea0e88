package link

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/catalogue"
	"journal/embedded/owner"
	"journal/embedded/owner/writer"
	"journal/embedded/team"
	"journal/embedded/team/colleagues"
	"journal/embedded/team/dial"
	"journal/embedded/team/facts"
	"journal/embedded/team/hub"
	"journal/journal/git"
)

// A session that thinks for a minute still hears what a colleague tells, and an idle laptop asks nobody.
func TestLooksGoOnBetweenEvents(t *testing.T) {
	grown := time.Now()
	for name, c := range map[string]struct {
		head   uint64
		after  time.Duration
		linked bool
		look   bool
	}{
		"the log grew, a moment ago":   {head: 8, after: 1, look: true},
		"between two events":           {head: 7, after: atWork - 1, look: true},
		"nothing happened for minutes": {head: 7, after: atWork},
		"then something did":           {head: 8, after: atWork, look: true},
		"the hub is reached":           {head: 7, after: atWork, linked: true, look: true},
	} {
		state := pollState{head: 7, grown: grown}
		if look := state.due(c.linked, c.head, grown.Add(c.after)); look != c.look {
			t.Errorf("%s: a look is due: %t", name, look)
		}
	}
}

// Who floods a laptop with facts is not read at once.
func TestNobodyKeepsALaptopBusy(t *testing.T) {
	t.Parallel()
	there := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
	bob, eve := there.Member(t, "bob"), there.Member(t, "eve")
	there.Start(t)
	there.Announced(t)
	nc, hers := hubtest.As(t, bob), hubtest.As(t, eve)
	const junkBytes, messages, atOnce = 100 << 10, 50, 2 << 20
	for n := range messages {
		if _, err := hers.Request(facts.Put(fmt.Sprint("junk-", n)), bytes.Repeat([]byte("x"), junkBytes), testutil.Patience); err != nil {
			t.Fatal(err)
		}
	}
	known, query := facts.NewCache(team.Roster{}), &facts.Query{NC: nc, Member: team.Membership{Member: bob}}
	reads := 0
	for size := uint64(junkBytes); size >= junkBytes; reads++ {
		before := nc.Stats().InBytes
		_ = known.Fetch(t.Context(), query) // nobody signed it
		if size = nc.Stats().InBytes - before; size > atOnce {
			t.Errorf("%d MB are read at once", size>>20)
		}
	}
	if reads < 3 || reads > messages {
		t.Errorf("it is read in %d queries", reads)
	}
	if nc.IsClosed() {
		t.Error("the connection is gone")
	}
}

// heard returns the decisions that the file holds.
func heard(h *Team) ([]team.Decision, error) {
	is, err := team.LoadFile(h.Dir, "heard.json", team.Heard{})
	return is.Decisions, err
}

// What could not be kept is kept at the next look, though that finds nothing else.
func TestWhatCouldNotBeKeptIsKeptLater(t *testing.T) {
	t.Parallel()
	h := &Team{TeamConfig: owner.TeamConfig{Dir: t.TempDir()}}
	if _, err := team.Join(h.Dir, team.Member{Team: "acme", Name: "bob"}); err != nil {
		t.Fatal(err)
	}
	found := colleagues.Found{Heard: team.Heard{Decisions: []team.Decision{{Seq: 1, Text: "hinges are of brass"}}}}
	inTheWay := filepath.Join(team.Dir(h.Dir), "heard.json", "x")
	if err := os.MkdirAll(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := h.save(t.Context(), found); err == nil {
		t.Fatal("it is kept in no file")
	}
	if err := os.RemoveAll(filepath.Dir(inTheWay)); err != nil {
		t.Fatal(err)
	}
	if err := h.save(t.Context(), found); err != nil {
		t.Fatal(err)
	}
	if all, err := heard(h); err != nil || len(all) != 1 {
		t.Errorf("%+v %v", all, err)
	}
}

// What goes when a choice ends is there again when it was chosen again at once, before the owner looked.
func TestWhatIsChosenAgainIsKeptAgain(t *testing.T) {
	t.Parallel()
	h := &Team{TeamConfig: owner.TeamConfig{Dir: t.TempDir()}}
	if _, err := team.Join(h.Dir, team.Member{Team: "acme", Name: "bob"}); err != nil {
		t.Fatal(err)
	}
	found := colleagues.Found{Heard: team.Heard{Decisions: []team.Decision{{Project: "web", Seq: 1, Text: "hinges are of brass"}}}}
	chosen := team.Share{}.With("web", true, true)
	if err := team.ChangeShare(h.Dir, func(team.Share) (team.Share, error) { return chosen, nil }); err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"chosen", "chosen again"} {
		if err := h.save(t.Context(), found); err != nil {
			t.Fatal(err)
		}
		if all, err := heard(h); err != nil || len(all) != 1 {
			t.Errorf("%s: %+v %v", when, all, err)
		}
		for _, s := range []team.Share{chosen.With("web", true, false), chosen} {
			if err := team.ChangeShare(h.Dir, func(team.Share) (team.Share, error) { return s, nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A member whose stream is gone delays nobody: all others are asked at each poll.
func TestOneWhoCannotBeAskedKeepsNobodyFromTheRest(t *testing.T) {
	t.Parallel()
	there := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
	bob, eve := there.Member(t, "bob"), there.Member(t, "eve")
	there.Start(t)
	there.Announced(t)
	runs, err := dial.Connect(t.Context(), bob, bob.Hub, there.Key)
	if err != nil {
		t.Fatal(err)
	}
	defer runs.Close()
	js, err := jetstream.New(runs)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(t.Context(), eve.Account); err != nil {
		t.Fatal(err)
	}
	h := &Team{TeamConfig: owner.TeamConfig{Dir: t.TempDir(), Copy: &writer.Archiver{}}}
	m, err := team.Join(h.Dir, bob)
	if err != nil {
		t.Fatal(err)
	}
	is := &pollState{poller: colleagues.NewPoller(m), wanted: fmt.Sprint(team.Share{}, 0)}
	nc := hubtest.As(t, bob)
	is.poller.Want([]colleagues.Project{{Key: "web", Identity: git.Identity{Remote: "acme.org/web"}, Context: true}})
	for range 3 {
		is.nc = nil // a new connection has everybody asked
		testutil.WantError(t, h.pollOnce(t.Context(), is, nc), dial.ErrNoStream)
		if is.nc != nc {
			t.Error("nobody was asked")
		}
	}
}

// TestFirstPollWithoutAMember: what a member told before stays in the file if the first poll of an owner hears only others, as when the
// hub ends meanwhile. The second poll counts.
func TestFirstPollWithoutAMember(t *testing.T) {
	t.Parallel()
	there := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
	bob, carol, eve := there.Member(t, "bob"), there.Member(t, "carol"), there.Member(t, "eve")
	there.Start(t)
	there.Announced(t)
	runs, err := dial.Connect(t.Context(), bob, bob.Hub, there.Key)
	must(t, err)
	defer runs.Close()
	js, err := jetstream.New(runs)
	must(t, err)
	must(t, js.DeleteStream(t.Context(), eve.Account))
	project := git.Identity{Remote: "acme.org/web"}
	body, err := facts.Summary{Listing: catalogue.Listing{Project: "web"}, Identity: project, Context: true, List: []team.Decision{{Seq: 1, Text: "carol's"}}}.Pack()
	must(t, err)
	key, err := carol.Key.Pair()
	must(t, err)
	place := facts.PlaceOf("0a0a0a0a", "web")
	fact, err := facts.Head{Team: "acme", Member: "carol", Device: "0a0a0a0a", Place: place, Counter: 1}.Seal(body, key)
	must(t, err)
	_, err = hubtest.As(t, carol).Request(facts.Put(place), fact, testutil.Patience)
	must(t, err)

	h := &Team{TeamConfig: owner.TeamConfig{Dir: t.TempDir(), Copy: &writer.Archiver{}}}
	m, err := team.Join(h.Dir, bob)
	must(t, err)
	must(t, h.save(t.Context(), colleagues.Found{Heard: team.Heard{Decisions: []team.Decision{{Seq: 1, Text: "eve's"}}}}))
	state := &pollState{poller: colleagues.NewPoller(m), wanted: fmt.Sprint(team.Share{}, 0), fresh: true}
	state.poller.Want([]colleagues.Project{{Key: "web", Identity: project, Context: true}})
	nc := hubtest.As(t, bob)
	for _, want := range []string{"eve's", "carol's"} {
		state.nc = nil
		testutil.WantError(t, h.pollOnce(t.Context(), state, nc), dial.ErrNoStream)
		if all, err := heard(h); err != nil || len(all) != 1 || all[0].Text != want {
			t.Errorf("%+v, want %s: %v", all, want, err)
		}
	}
	if seen, err := team.LoadSeen(h.Dir); err != nil || len(seen.Roster.Members) != 3 {
		t.Errorf("the next owner asks %+v at once: %v", seen.Roster.Members, err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What a look brings that ends after the journal left its team is kept nowhere.
func TestNothingOfOthersStaysAfterLeaving(t *testing.T) {
	t.Parallel()
	there := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
	h := &Team{TeamConfig: owner.TeamConfig{Dir: t.TempDir()}}
	if _, err := team.Join(h.Dir, there.Member(t, "bob")); err != nil {
		t.Fatal(err)
	}
	if err := team.Leave(h.Dir); err != nil {
		t.Fatal(err)
	}
	_ = h.save(t.Context(), colleagues.Found{Heard: team.Heard{Decisions: []team.Decision{{Seq: 1, Text: "hinges are of brass"}}}})
	if all, err := heard(h); err != nil || len(all) > 0 {
		t.Errorf("%+v %v", all, err)
	}
	if err := team.SeeRoster(h.Dir, team.Roster{Number: 7}); err != nil {
		t.Error(err)
	}
	if seen, err := team.LoadSeen(h.Dir); err != nil || seen.Roster.Number != 0 {
		t.Errorf("a new hub would be told to be older than %d: %v", seen.Roster.Number, err)
	}
}
