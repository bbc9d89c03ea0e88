package facts

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"journal/cmd/testkit/testutil"
	"journal/embedded/team"
	"journal/embedded/team/dial"
	"journal/journal/git"
	"journal/replay/recovery"
)

// BenchmarkHear hears what a thousand colleagues in one repository tell, each with 20 decisions, for the first time.
func BenchmarkHear(b *testing.B) {
	const device = "0a0a0a0a"
	is := git.Identity{Remote: "acme.org/web"}
	var all []dial.Answer
	var register team.Roster
	for i := range 1000 {
		key, err := nkeys.CreateUser()
		if err != nil {
			b.Fatal(err)
		}
		public, err := key.PublicKey()
		if err != nil {
			b.Fatal(err)
		}
		name := fmt.Sprint("m", i)
		register.Members = append(register.Members, team.RosterMember{Name: name, Account: "A" + name, Keys: []string{public}})
		t := Summary{Project: "web", Is: is, Context: true}
		for d := range 20 {
			t.List = append(t.List, team.Decision{Session: "s1", Seq: uint64(d), At: time.Now().UnixNano(), Text: testutil.Words(uint64(1000*i+d), 150)})
		}
		for s := range 3 {
			t.Left = append(t.Left, recovery.Offer{Session: strconv.Itoa(s), Skill: "plan", Phase: "2", Ports: []recovery.OfferPort{{ID: "p", Title: testutil.Words(uint64(i), 40), Progress: "1/2"}}})
		}
		place := PlaceOf("acme", device, t)
		body, err := t.Pack()
		if err != nil {
			b.Fatal(err)
		}
		sealed, err := Head{Team: "acme", Member: name, Device: device, Place: place, Counter: 1, Last: 1, Made: 1}.Seal(body, key)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, dial.Answer{Subject: News("A"+name, place), Seq: uint64(i + 1), Data: sealed})
	}
	b.ReportAllocs()
	for b.Loop() {
		known := NewCache()
		known.Team = register
		look := &Query{Member: team.Membership{Member: team.Member{Team: "acme", Name: "bob"}}, Keep: func(t Summary) *Summary { return &t }}
		failed := map[string]error{}
		if known.addAll(look, all, failed); len(failed) > 0 && failed["Am0"] != nil || len(known.All()) != len(all) {
			b.Fatal(failed["Am0"], len(known.All()))
		}
	}
}
