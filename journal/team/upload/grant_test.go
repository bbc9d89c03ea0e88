package upload_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/testutil"
	"journal/events"
	"journal/journal/team"
	"journal/journal/team/chunk"
	"journal/journal/team/dial"
	"journal/journal/team/facts"
	"journal/journal/team/grants"
	"journal/journal/team/hub"
	"journal/journal/team/hubtest"
)

// grant lets somebody read a project of a laptop, and waits until the hub has it so.
func (p *laptop) grant(t testing.TB, change func(grants.Grants) grants.Grants) {
	t.Helper()
	g, err := grants.Change(p.dir, func(g grants.Grants) (grants.Grants, error) { return change(g), nil })
	must(t, err)
	nc := hubtest.As(t, p.member.Member)
	testutil.Eventually(t, "the hub has it", func() bool {
		var at grants.Head
		q := dial.Question{Last: grants.Subject(p.member.Account, p.member.Device)}
		_, err := dial.Ask(t.Context(), nc, team.AskOf+p.member.Account, q, func(a dial.Answer) error {
			_, err := chunk.Open(a.Data, &at)
			return err
		})
		c, copyErr := team.LoadCopy(p.dir)
		return err == nil && copyErr == nil && at.Counter >= g.Counter && len(c.Restricted) == len(g.Restricted())
	})
	arrived(t, p)
}

// gives grants a project, as a person does.
func (p *laptop) gives(t testing.TB, project, member string) {
	_, err := grants.Change(p.dir, func(g grants.Grants) (grants.Grants, error) { return g.Give(project, member), nil })
	must(t, err)
}

// reads gives how many events of a project a member reads of a laptop.
func reads(t testing.TB, in team.Member, p *laptop) (n int) {
	t.Helper()
	all, err := reader(t, in).Of(t.Context(), p.member.Name)
	must(t, err)
	for _, c := range all {
		log, err := c.Log(t.Context())
		must(t, err)
		for r, err := range log.Stored(t.Context(), events.Span{}) {
			must(t, err)
			if bytes.HasPrefix(r.Data, []byte("web ")) {
				n++
			}
		}
	}
	return n
}

// A member without a grant, and whoever runs the hub, read nothing of a restricted project: in no file of the hub, in no
// message, with no key of theirs, and not by putting a key of theirs in the place of another's.
func TestRestrictedIsReadByNobodyElse(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]hub.Hub{"nkeys": {}, "operator": {Operator: &hub.Operator{}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHubOf(t, of, 1)
			alice, bob, eve := h.Member(t, "alice"), h.Member(t, "bob"), h.Member(t, "eve")
			h.Start(t)
			h.Announced(t)
			p := newLaptop(t, alice)
			p.log.add("web", 1500)
			p.log.add("open", 100)
			p.share(t, "web", "open")
			p.on()
			arrived(t, p)
			const said = "what is said what is said"
			if n, found := reads(t, eve, p), holding(t, h.Dir, said); n != 1500 || len(found) == 0 {
				t.Fatalf("without a grant eve reads %d events, and files %v hold them", n, found)
			}
			p.grant(t, func(g grants.Grants) grants.Grants { return g.Give("web", "bob") })
			p.log.add("web", 100)
			arrived(t, p)
			testutil.Eventually(t, "bob reads all of it", func() bool { return reads(t, bob, p) == 1600 })
			// The roster says from now on that bob's key is eve's.
			i, j := 1, 2
			alter(t, h, func(h *hub.Hub) {
				h.Members[i].Former = append(h.Members[i].Former, h.Members[i].Key)
				h.Members[i].Key = h.Members[j].Key
			})
			must(t, h.Announce(t.Context(), nil))
			p.off()
			p.log.add("web", 100)
			p.on()
			arrived(t, p)
			if n := reads(t, eve, p); n != 0 {
				t.Errorf("eve reads %d events", n)
			}
			if n := reads(t, bob, p); n != 1700 {
				t.Errorf("bob reads %d events", n)
			}
			if n := reads(t, alice, p); n != 1700 {
				t.Errorf("alice reads %d events", n)
			}
			p.share(t, "web") // "open" holds the same words
			arrived(t, p)
			testutil.Eventually(t, "nothing of it is in a file of the hub", func() bool { return len(holding(t, h.Dir, said)) == 0 })
			for _, key := range []team.Key{eve.Key, h.Key} {
				nc, err := dial.Connect(t.Context(), eve, eve.Hub, key)
				must(t, err)
				defer nc.Close()
				for _, m := range heldIn(t, h, alice.Account) {
					if bytes.Contains(m, []byte(said)) || bytes.Contains(m, []byte(`"web"`)) || bytes.Contains(m, []byte(".web.")) {
						t.Errorf("a message says %q", m)
					}
					c, err := chunk.Decode(m)
					if err != nil {
						continue
					}
					for r, err := range c.Records() {
						must(t, err)
						if bytes.Contains(r.Data, []byte(said)) {
							t.Errorf("a chunk says %q", r.Data)
						}
					}
				}
			}
			p.grant(t, func(g grants.Grants) grants.Grants { return g.Take("web", "bob") })
			p.log.add("web", 1)
			arrived(t, p)
			if n := reads(t, bob, p); n != 0 {
				t.Errorf("bob was revoked, and reads %d events", n)
			}
			p.grant(t, func(g grants.Grants) grants.Grants { return g.Open("web") })
			if n := reads(t, eve, p); n != 1701 {
				t.Errorf("everybody may read it, and eve reads %d events", n)
			}
		})
	}
}

// Whoever makes more keys than anybody reads is named, and keeps nobody from the rest.
func TestTooManyKeysAreRefused(t *testing.T) {
	t.Parallel()
	h := newHub(t, 1)
	alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
	h.Start(t)
	h.Announced(t)
	nc := hubtest.As(t, alice)
	pair, err := alice.Key.Pair()
	must(t, err)
	bobs, err := bob.Key.Pair()
	must(t, err)
	public, err := bobs.PublicKey()
	must(t, err)
	tell := func(device, project string, keys int) {
		t.Helper()
		p := grants.Project{Members: map[string]string{"bob": public}}
		for range keys {
			p.Keys = append(p.Keys, chunk.NewKey())
		}
		g := grants.Grants{Counter: 1, Projects: map[string]grants.Project{project: p}}
		b, err := g.Seal(grants.Head{Team: "acme", Member: "alice", Device: device, Counter: 1}, pair)
		must(t, err)
		_, err = nc.Request(grants.Put(device), b, testutil.Patience)
		must(t, err)
		body, err := facts.Told{Project: project, Name: "told"}.Pack()
		must(t, err)
		key, _ := g.Key(project)
		place := facts.PlaceOf(device, project, g.Secret(project))
		head, err := facts.Head{Team: "acme", Member: "alice", Device: device, Place: place, Counter: 1}.Hide(body, key, 1)
		must(t, err)
		b, err = head.Seal(nil, pair)
		must(t, err)
		_, err = nc.Request(facts.Put(place), b, testutil.Patience)
		must(t, err)
	}
	tell("0a0a0a0a", "web", 1)
	tell("0b0b0b0b", "many", 301)
	hearer := newHearer(t, bob)
	for range 2 {
		told, _, err := hearer.hear(false)
		if err == nil || !strings.Contains(err.Error(), "what alice tells: more restricted projects than are read of one member") || len(told) != 1 || told["web"] != "told" {
			t.Errorf("%v: %v", told, err)
		}
	}
}

// Who is granted a project, or has it revoked, while the link takes note of another's key, stays so.
func TestGrantsMeetTheLinks(t *testing.T) {
	t.Parallel()
	p, network, _ := overNetwork(t)
	p.log.add("web", 1)
	p.share(t, "web")
	meanwhile := sync.OnceFunc(func() { p.gives(t, "web", "carol") })
	network.mu.Lock()
	network.passes = func(b []byte) {
		if g, err := grants.Load(p.dir); err == nil && g.Counter > 0 && bytes.Contains(b, []byte(`"last_by_subj":"roster"`)) {
			meanwhile()
		}
	}
	network.mu.Unlock()
	p.gives(t, "web", "bob")
	p.on()
	var g grants.Grants
	if !testutil.Within(testutil.Patience, func() bool {
		var err error
		g, err = grants.Load(p.dir)
		_, carol := g.Projects["web"].Members["carol"]
		return err == nil && carol && g.Projects["web"].Members["bob"] != ""
	}) {
		t.Errorf("bob and carol were granted it, and %+v", g.Projects["web"].Members)
	}
}

// What waits for grants when the connection ends amid a look is asked for again.
func TestWhatWaitedForGrantsIsAskedForAgain(t *testing.T) {
	t.Parallel()
	h := newHub(t, 1)
	alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
	h.Start(t)
	h.Announced(t)
	p := newLaptop(t, alice)
	p.log.add("web", 1)
	p.gives(t, "web", "bob")
	p.share(t, "web")
	p.on()
	arrived(t, p)
	p.off()
	nc, device := hubtest.As(t, alice), "0a0a0a0a" // another of alice's, behind it: more than is answered at once
	pair, err := alice.Key.Pair()
	must(t, err)
	for i := range 4 {
		project := fmt.Sprint("open-", i)
		body, err := facts.Told{Project: project, Name: testutil.Words(uint64(i), 40<<10)}.Pack()
		must(t, err)
		place := facts.PlaceOf(device, project, nil)
		b, err := facts.Head{Team: "acme", Member: "alice", Device: device, Place: place, Counter: uint64(i + 1)}.Seal(body, pair)
		must(t, err)
		_, err = nc.Request(facts.Put(place), b, testutil.Patience)
		must(t, err)
	}
	bobs := newHearer(t, bob)
	look := &facts.Look{NC: bobs.nc, Member: bobs.in, Linked: true, Keep: func(t facts.Told) *facts.Told {
		bobs.nc.Close() // amid the look
		return &t
	}}
	_, err = bobs.known.Look(t.Context(), look)
	testutil.WantError(t, err, nats.ErrConnectionClosed)
	bobs.nc = hubtest.As(t, bob)
	if told, _, err := bobs.hear(true); err != nil || len(told) != 5 || told["web"] != "1" {
		t.Errorf("of %d projects web tells %q: %v", len(told), told["web"], err)
	}
}

// heldIn gives all that a stream of the hub has, as whoever runs it reads it.
func heldIn(t testing.TB, h *hubtest.Hub, account string) (all [][]byte) {
	t.Helper()
	in := team.Member{Hub: []string{"nats://" + h.Server("node-1").Addr().String()}}
	nc, err := dial.Connect(t.Context(), in, in.Hub, h.Key)
	must(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	must(t, err)
	s, err := js.Stream(t.Context(), account)
	must(t, err)
	for seq := s.CachedInfo().State.FirstSeq; seq <= s.CachedInfo().State.LastSeq; seq++ {
		m, err := s.GetMsg(t.Context(), seq)
		if err == nil {
			all = append(all, m.Data)
		}
	}
	return all
}

// newGrants makes a team with eve, in which alice shares web, with a marker, and another project, and bob was granted some.
func newGrants(t testing.TB, another string, granted ...string) (h *hubtest.Hub, alice *laptop, bob, eve team.Member) {
	t.Helper()
	h, alice, bob = newTeam(t, 1)
	eve = h.Member(t, "eve")
	h.Announced(t)
	alice.log.add("web", 3)
	alice.log.add(another, 1)
	alice.log.all[1].Data = []byte("the marker that bob may hear")
	for _, project := range granted {
		alice.gives(t, project, "bob")
	}
	alice.share(t, "web", another)
	alice.on()
	arrived(t, alice)
	return h, alice, bob, eve
}

// What is told of a restricted project is heard by those who were granted it, as of each change, and by nobody else: not
// its name, not where it would be, not how much it is.
func TestToldToThoseWhoWereGranted(t *testing.T) {
	t.Parallel()
	h, p, bob, eve := newGrants(t, "open", "web")
	alice := p.member.Member
	bobs, eves, hers := newHearer(t, bob), newHearer(t, eve), newHearer(t, alice)
	heard := func(what string, by *hearer, want map[string]string) {
		t.Helper()
		var told map[string]string
		var err error
		if !testutil.Within(testutil.Patience, func() bool {
			told, _, err = by.hear(false)
			return err == nil && maps.Equal(told, want)
		}) {
			t.Fatalf("%s: %v %v, want %v", what, told, err, want)
		}
	}
	only := map[string]string{"open": "4"}
	all := func(n string) map[string]string {
		return map[string]string{"open": "4", "web": n + " the marker that bob may hear"}
	}
	heard("bob was granted it", bobs, all("3"))
	heard("eve was not", eves, only)
	heard("alice's other machine", hers, all("3"))
	p.log.add("web", 1)
	heard("what comes is told", bobs, all("5"))
	heard("eve still hears nothing", eves, only)
	sizes := map[int]bool{}
	for _, m := range heldIn(t, h, alice.Account) {
		var head facts.Head
		if _, err := chunk.Open(m, &head); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(m, []byte(`"web"`)) || head.Place == facts.PlaceOf(p.member.Device, "web", nil) {
			t.Errorf("the hub has %q", m)
		}
		if head.Key != "" {
			sizes[len(head.Secret)] = true
		}
	}
	p.log.mu.Lock()
	p.log.all[2].Data = []byte("the marker one more")
	p.log.mu.Unlock()
	p.grant(t, func(g grants.Grants) grants.Grants { return g.Give("web", "eve") })
	heard("eve is granted it too", eves, map[string]string{"open": "4", "web": "5 the marker that bob may hear the marker one more"})
	for _, m := range heldIn(t, h, alice.Account) {
		var head facts.Head
		if _, err := chunk.Open(m, &head); err == nil && head.Key != "" {
			sizes[len(head.Secret)] = true
		}
	}
	if len(sizes) != 1 {
		t.Errorf("what is told has the sizes %v", sizes)
	}
	p.grant(t, func(g grants.Grants) grants.Grants { return g.Take("web", "bob") })
	heard("bob was revoked", bobs, only)
	heard("eve was not revoked", eves, map[string]string{"open": "4", "web": "5 the marker that bob may hear the marker one more"})
	p.grant(t, func(g grants.Grants) grants.Grants { return g.Open("web") })
	heard("the whole team may read it", bobs, map[string]string{"open": "4", "web": "5 the marker that bob may hear the marker one more"})
	if known, rest, err := reader(t, bob).Told(t.Context(), t.TempDir(), bobs.in, []string{"alice"}); err != nil || len(known.All()) != 2 || len(rest) != 0 {
		t.Errorf("%+v %+v %v", known.All(), rest, err)
	}
}

// A grant of one restricted project has nothing given again of another.
func TestGrantsRepeatNothingElse(t *testing.T) {
	t.Parallel()
	_, p, bob, eve := newGrants(t, "api", "web", "api")
	bobs, eves := newHearer(t, bob), newHearer(t, eve)
	given := func() map[string]uint64 {
		told, _, err := bobs.hear(false)
		all := map[string]uint64{}
		for _, f := range bobs.known.All() {
			all[f.Told.Project] = f.Counter
		}
		if err != nil || len(told) != 2 {
			return nil
		}
		return all
	}
	testutil.Eventually(t, "bob hears of both", func() bool { return given() != nil })
	before := given()
	p.grant(t, func(g grants.Grants) grants.Grants { return g.Give("api", "eve") })
	testutil.Eventually(t, "eve hears of one", func() bool {
		told, _, err := eves.hear(false)
		return err == nil && len(told) == 1 && told["api"] == "4"
	})
	p.log.add("api", 1) // behind it everything is given that is to be
	testutil.Eventually(t, "it is told", func() bool {
		told, _, err := eves.hear(false)
		return err == nil && told["api"] == "5"
	})
	if now := given(); now["web"] != before["web"] || now["api"] == before["api"] {
		t.Errorf("given as %v, and before as %v", now, before)
	}
}

// Where a laptop was set back to an older time and somebody was granted something there before it reached the hub, what
// was granted before and after that time counts, however many grants there were.
func TestGrantsOfABackup(t *testing.T) {
	t.Parallel()
	for name, later := range map[string]int{"fewer than before": 0, "as many": 3, "more": 5} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, p, _, _ := newGrants(t, "open", "web")
			path := filepath.Join(team.Dir(p.dir), team.GrantsName)
			backup, err := os.ReadFile(path)
			must(t, err)
			for _, member := range []string{"bob", "eve"} {
				p.grant(t, func(g grants.Grants) grants.Grants { return g.Give("api", member) })
			}
			p.off()
			must(t, os.WriteFile(path, backup, 0o600))
			p.gives(t, "shop", "bob")
			for range later {
				p.gives(t, "shop", "eve")
			}
			p.share(t, "web", "api", "shop")
			p.log.add("api", 1)
			p.on()
			testutil.Eventually(t, "the hub has all of it", func() bool {
				all, err := reader(t, p.member.Member).Of(t.Context(), "alice")
				return err == nil && len(all) == 1 && all[0].Own != nil && len(all[0].Own.Projects) == 3
			})
			arrived(t, p)
			is, err := grants.Load(p.dir)
			must(t, err)
			if len(is.Projects) != 3 || len(is.Projects["api"].Members) != 2 || is.Projects["web"].Members["bob"] == "" || is.Projects["shop"].Members["bob"] == "" {
				t.Errorf("%+v", is)
			}
		})
	}
}
