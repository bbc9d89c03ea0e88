package upload_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/catalogue"
	"journal/embedded/team"
	"journal/embedded/team/chunk"
	"journal/embedded/team/dial"
	"journal/embedded/team/facts"
	"journal/journal/git"
)

// Summaries tells of each project how many events it has, and of what is marked all of it.
func (l *log) Summaries(_ context.Context, share team.Share, until uint64) (all []facts.Summary, err error) {
	for _, p := range share.Projects {
		told := facts.Summary{Listing: catalogue.Listing{Project: p, Name: "0"}, Identity: git.Identity{Remote: "acme.org/" + p}, Context: true}
		for seq := uint64(1); seq <= until; seq++ {
			r := l.at(seq)
			if strings.HasPrefix(r.Subject, "journal."+p+".") {
				told.Name = fmt.Sprint(seq)
				if bytes.HasPrefix(r.Data, []byte("the marker")) {
					told.List = append(told.List, team.Decision{Seq: seq, Text: string(r.Data)})
				}
			}
		}
		all = append(all, told)
	}
	return all, nil
}

func (l *log) AddRows(_ context.Context, _ team.Share, all []facts.Summary) ([]facts.Summary, error) {
	return all, nil
}

// hearer is a laptop that hears what others tell.
type hearer struct {
	t     testing.TB
	nc    *nats.Conn
	in    team.Membership
	known *facts.Cache
}

func newHearer(t testing.TB, in team.Member) *hearer {
	t.Helper()
	return &hearer{t, hubtest.As(t, in), team.Membership{Member: in, Device: "0f0f0f0f"}, facts.NewCache(team.Roster{})}
}

// hear asks what is new, and gives what is known: DEVICE's project NAME by its events and what is marked.
func (h *hearer) hear(linked bool) (told map[string]string, l *facts.Query, err error) {
	h.t.Helper()
	l = &facts.Query{NC: h.nc, Member: h.in, Linked: linked, Keep: func(t facts.Summary) *facts.Summary { return &t }}
	err = h.known.Fetch(h.t.Context(), l)
	told = map[string]string{}
	for _, f := range h.known.All() {
		told[f.Summary.Project] = f.Summary.Name
		for _, d := range f.Summary.List {
			told[f.Summary.Project] += " " + d.Text
		}
	}
	return told, l, err
}

// answered asks the hub for the messages of some subjects until it answers: of three nodes, none may lead for a moment.
func answered(t testing.TB, nc *nats.Conn, of, subjects string, take func(dial.Message) error) {
	t.Helper()
	testutil.Eventually(t, "the hub answers", func() bool {
		err := dial.All(t.Context(), nc, dial.Query{Stream: of, Next: subjects, From: 1, Most: 100}, take)
		if !errors.Is(err, dial.ErrNoStream) {
			must(t, err)
		}
		return err == nil
	})
}

// messages counts the messages that hold facts of a member.
func messages(t testing.TB, in team.Member) (n int) {
	t.Helper()
	account := in.Account
	answered(t, hubtest.As(t, in), account, facts.Subject(account, "*"), func(dial.Message) error {
		n++
		return nil
	})
	return n
}

// What a device tells is at the hub with the events that it was made of: one message a project, of which only what is
// new is asked for. What is forgotten or shared no more is told no more, and in no file.
func TestTold(t *testing.T) {
	t.Parallel()
	for _, nodes := range []int{1, 3} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			t.Parallel()
			h, p, bob := newTeam(t, nodes)
			alice := p.member.Member
			p.log.add("web", 3)
			p.log.add("api", 1)
			p.log.add("hidden", 1)
			p.log.all[1].Data = []byte("the marker one that has to go")
			p.share(t, "web", "api")
			bobs := newHearer(t, bob)
			p.on()
			arrived(t, p)
			heard := func(what string, want map[string]string) {
				t.Helper()
				testutil.Eventually(t, what, func() bool {
					told, _, err := bobs.hear(false)
					return err == nil && fmt.Sprint(told) == fmt.Sprint(want)
				})
				// The one before is removed when the next is there.
				testutil.Eventually(t, what+", in one message a project", func() bool { return messages(t, alice) == 2 })
			}
			heard("both are told", map[string]string{"web": "3 the marker one that has to go", "api": "4"})
			before := bobs.nc.Stats().InBytes
			_, _, err := bobs.hear(false)
			if bytes := bobs.nc.Stats().InBytes - before; err != nil || bytes > 1000 {
				t.Errorf("%d bytes are answered, where nothing is new: %v", bytes, err)
			}
			p.log.add("web", 1)
			heard("what came is told", map[string]string{"web": "6 the marker one that has to go", "api": "4"})
			p.off()
			p.forget(2)
			p.on()
			arrived(t, p)
			heard("what is forgotten is told no more", map[string]string{"web": "6", "api": "4"})
			if nodes == 1 {
				for _, dir := range []string{h.Dir, team.Dir(p.dir)} {
					if found := holding(t, dir, "the marker"); len(found) != 0 {
						t.Errorf("it is in %s", found)
					}
				}
			}
			p.share(t, "web")
			arrived(t, p)
			heard("what is not shared any more is told no more", map[string]string{"web": "6"})
			p.share(t)
			heard("nothing is told", map[string]string{})
		})
	}
}

// A forged fact with the largest counter does not keep a device from publishing its own.
func TestForgedCounter(t *testing.T) {
	t.Parallel()
	_, p, bob := newTeam(t, 1)
	place := facts.PlaceOf(p.member.Device, "web")
	key, err := bob.Key.Pair()
	must(t, err)
	forged, err := facts.Head{Team: "acme", Member: "alice", Device: p.member.Device, Place: place, Counter: math.MaxUint64}.Seal(nil, key)
	must(t, err)
	_, err = hubtest.As(t, p.member.Member).Request(facts.Put(place), forged, testutil.Patience)
	must(t, err)
	bobs := newHearer(t, bob)
	p.log.add("web", 1)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	told, _, err := bobs.hear(false)
	if err != nil || told["web"] == "" {
		t.Errorf("bob reads %v, error %v", told, err)
	}
}

// What a member did not sign, signed for another place, or signed before what was seen, is refused and named, and what
// is known stays; so it does when the hub lost everything, and what is told again counts.
func TestOnlyWhatIsSignedIsBelieved(t *testing.T) {
	t.Parallel()
	h := newHub(t, 1)
	alice, bob, eve := h.Member(t, "alice"), h.Member(t, "bob"), h.Member(t, "eve")
	h.Start(t)
	h.Announced(t)
	bobs := newHearer(t, bob)
	const device = "0a0a0a0a"
	summary := facts.Summary{Listing: catalogue.Listing{Project: "web"}}
	put := func(signed team.Member, counter uint64, place, at, text string) {
		t.Helper()
		key, err := signed.Key.Pair()
		must(t, err)
		summary.Name = text
		body, err := summary.Pack()
		must(t, err)
		b, err := facts.Head{Team: "acme", Member: "alice", Device: device, Place: place, Counter: counter}.Seal(body, key)
		must(t, err)
		_, err = hubtest.As(t, alice).Request(facts.Put(at), b, testutil.Patience)
		must(t, err)
	}
	web, api := facts.PlaceOf(device, summary.Project), facts.PlaceOf(device, "api")
	put(alice, 5, web, web, "five")
	for name, c := range map[string]struct {
		do      func()
		refused error
	}{
		"by another":           {func() { put(eve, 6, web, web, "six") }, chunk.ErrDamaged},
		"for another place":    {func() { put(alice, 6, web, api, "six") }, chunk.ErrDamaged},
		"of another project":   {func() { put(alice, 6, api, api, "six") }, chunk.ErrDamaged},
		"older than was seen":  {func() { put(alice, 4, web, web, "four") }, facts.ErrOlder},
		"what was seen, again": {func() { put(alice, 5, web, web, "five") }, nil},
	} {
		if told, _, err := bobs.hear(false); told["web"] != "five" {
			t.Fatalf("%s: %v %v", name, told, err)
		}
		c.do()
		told, _, err := bobs.hear(false)
		testutil.WantError(t, err, c.refused)
		if len(told) != 1 || told["web"] != "five" {
			t.Errorf("%s: %v", name, told)
		}
	}
	h.StopAll()
	must(t, os.RemoveAll(filepath.Join(h.Dir, "jetstream-node-1")))
	h.Start(t)
	h.Announced(t)
	bobs.nc = hubtest.As(t, bob)
	if told, _, err := bobs.hear(true); err != nil || told["web"] != "five" {
		t.Errorf("%v %v", told, err)
	}
	put(alice, 6, web, web, "six")
	if told, _, err := bobs.hear(true); err != nil || told["web"] != "six" {
		t.Errorf("%v %v", told, err)
	}
	put(alice, 7, web, web, "seven")
	// It loses everything again, and nothing is answered over the first connection to it.
	put(alice, 8, web, web, "seven")
	if told, _, err := bobs.hear(false); err != nil || told["web"] != "seven" {
		t.Errorf("%v %v", told, err)
	}
	h.StopAll()
	must(t, os.RemoveAll(filepath.Join(h.Dir, "jetstream-node-1")))
	h.Start(t)
	h.Announced(t)
	put(alice, 9, web, web, "eight")
	bobs.nc = hubtest.As(t, bob)
	ctx, giveUp := context.WithCancel(t.Context())
	giveUp()
	if err := bobs.known.Fetch(ctx, &facts.Query{NC: bobs.nc, Member: bobs.in, Linked: true}); err == nil {
		t.Error("nobody waited, and it is answered")
	}
	if told, _, err := bobs.hear(false); err != nil || told["web"] != "eight" {
		t.Errorf("%v %v", told, err)
	}
}

// What a member signed with a new key is heard also by who has not heard of the key yet, once they have.
func TestHeardBeforeTheKey(t *testing.T) {
	t.Parallel()
	h, p, bob := newTeam(t, 1)
	p.log.add("web", 3)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	p.off()
	bobs := newHearer(t, bob)
	if told, _, err := bobs.hear(true); err != nil || told["web"] != "3" {
		t.Fatal(told, err)
	}
	again, err := h.Renew("alice")
	must(t, err)
	h.Announced(t)
	p.member, err = team.Join(p.dir, again[0])
	must(t, err)
	p.log.add("web", 1)
	p.on()
	arrived(t, p)
	p.off()
	near := &facts.Query{NC: bobs.nc, Member: bobs.in, Only: []string{p.member.Account}, Keep: func(t facts.Summary) *facts.Summary { return &t }}
	err = bobs.known.Fetch(t.Context(), near)
	testutil.WantError(t, err, chunk.ErrDamaged)
	if told, _, err := bobs.hear(false); err != nil || told["web"] != "4" {
		t.Error(told, err)
	}
}

// Of whom the hub has no place is told, and everybody else is heard.
func TestOneWithoutAPlaceIsTold(t *testing.T) {
	t.Parallel()
	h, alice, bob := newTeam(t, 1)
	eve := h.Member(t, "eve")
	h.Announced(t)
	alice.log.add("web", 3)
	alice.share(t, "web")
	alice.on()
	arrived(t, alice)
	nc, err := dial.Connect(t.Context(), eve, eve.Hub, h.Key)
	must(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	must(t, err)
	must(t, js.DeleteStream(t.Context(), eve.Account))
	told, _, err := newHearer(t, bob).hear(true)
	testutil.WantError(t, err, dial.ErrNoStream)
	if !strings.Contains(err.Error(), "what eve tells") || told["web"] != "3" {
		t.Errorf("%v: %v", told, err)
	}
}

// A reader who knows an older roster asks those in it at once. It then also reads what a new member tells, and, with their new keys, what a
// member tells whose keys it did not know.
func TestFactsOfAMemberWhomTheKnownRosterLacks(t *testing.T) {
	t.Parallel()
	_, p, bob := newTeam(t, 1)
	p.log.add("web", 1)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	alice := team.RosterMember{Name: "alice", Account: p.member.Account, Keys: []string{"another key"}}
	for name, known := range map[string]team.Roster{
		"without her":     {},
		"with other keys": {Number: 1, Members: []team.RosterMember{alice}},
	} {
		bobs := newHearer(t, bob)
		testutil.Eventually(t, name, func() bool {
			bobs.known = facts.NewCache(known)
			told, _, err := bobs.hear(true)
			return err == nil && told["web"] != ""
		})
	}
}
