package grants

import (
	"testing"

	"github.com/nats-io/nkeys"

	"journal/journal/team"
)

// What is sealed to a member is opened with the key that the member signs with, and by nobody else.
func TestGrantsAreForWhoHasThem(t *testing.T) {
	t.Parallel()
	r := team.Register{Team: "acme"}
	pairs := map[string]nkeys.KeyPair{}
	for _, name := range []string{"alice", "bob", "eve"} {
		pair, err := nkeys.CreateUser()
		must(t, err)
		public, err := pair.PublicKey()
		must(t, err)
		pairs[name] = pair
		r.Members = append(r.Members, team.Registered{Name: name, Account: "M_" + name, Keys: []string{public}})
	}
	g := Grants{Projects: map[string]Project{}}.Give("web-1", "bob").Give("other-1", "nobody")
	first, waits := g.Pin(r)
	if again, _ := g.Pin(r); !first || !waits || again {
		t.Error("keys are taken once")
	}
	b, err := g.Seal(Head{Team: "acme", Member: "alice", Device: "d", Counter: g.Counter}, pairs["alice"])
	must(t, err)
	for name, denied := range map[string]int{"alice": 0, "bob": 1, "eve": 2} {
		is, err := Read(b, "acme", "d", r.Members[0], pairs[name])
		must(t, err)
		if is.Denied != denied || len(is.Keys) != 2-denied || (is.Own != nil) != (name == "alice") {
			t.Errorf("%s reads %+v", name, is)
		}
	}
	b[len(b)-2] ^= 1
	if _, err := Read(b, "acme", "d", r.Members[0], pairs["bob"]); err == nil {
		t.Error("altered grants are read")
	}
	_, err = publicCurve("none")
	if err == nil {
		t.Error("what is no key has a curve")
	}
	was := g.Projects["web-1"].Keys[0].ID
	if g = g.Take("web-1", "bob"); g.Projects["web-1"].Keys[1].ID == was || len(g.Projects["web-1"].Members) != 0 {
		t.Errorf("bob has no right, and it is %+v", g)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
