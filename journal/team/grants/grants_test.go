package grants

import (
	"maps"
	"slices"
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

// What was granted here and at the hub since both were one counts, but a right that was taken away on either side is gone.
func TestMergeGivesNobodyBackARight(t *testing.T) {
	t.Parallel()
	was := none().Give("web", "bob").Give("web", "eve").Give("api", "bob")
	for _, p := range was.Projects {
		for name := range p.Members {
			p.Members[name] = "key of " + name
		}
	}
	for name, c := range map[string]struct {
		here, hub Grants
		web, api  []string // nil: not restricted
		counter   uint64
	}{
		"nothing":                {was, was, []string{"bob", "eve"}, []string{"bob"}, 3},
		"more here":              {was.Take("web", "bob"), was, []string{"eve"}, []string{"bob"}, 4},
		"more there":             {was, was.Open("api").Give("web", "carol"), []string{"bob", "carol", "eve"}, nil, 5},
		"nothing here yet":       {none(), was, []string{"bob", "eve"}, []string{"bob"}, 3},
		"taken there, given":     {was.Give("web", "carol").Give("web", "dan"), was.Take("web", "bob"), []string{"carol", "dan", "eve"}, []string{"bob"}, 6},
		"taken here, given":      {was.Take("web", "bob"), was.Give("web", "carol"), []string{"eve"}, []string{"bob"}, 5},
		"ended here, given":      {was.Open("api"), was.Give("web", "carol"), []string{"bob", "carol", "eve"}, nil, 5},
		"given here, ended":      {was.Give("api", "carol"), was.Open("api"), []string{"bob", "eve"}, []string{"bob", "carol"}, 5},
		"restricted there again": {was, was.Open("api").Give("api", "eve"), []string{"bob", "eve"}, []string{"eve"}, 5},
		"restricted here again":  {was.Open("api").Give("api", "eve"), was, []string{"bob", "eve"}, []string{"eve"}, 5},
	} {
		is := c.here.Merge(c.hub)
		if again := is.Merge(c.hub); again.Counter != is.Counter {
			t.Errorf("%s: merged again it is another", name)
		}
		for project, want := range map[string][]string{"web": c.web, "api": c.api} {
			p, there := is.Projects[project]
			got := slices.Sorted(maps.Keys(p.Members))
			if there != (want != nil) || !slices.Equal(got, want) || is.Counter != c.counter {
				t.Errorf("%s: %s is of %v, want %v; counter %d, want %d", name, project, got, want, is.Counter, c.counter)
			}
		}
	}
}

// TestGrantsWithoutProjects: grants that name no project, as a hub may have them, take nothing away.
func TestGrantsWithoutProjects(t *testing.T) {
	t.Parallel()
	if n := none().Give("web", "bob").Merge(Grants{}); len(n.Projects) != 1 {
		t.Errorf("merged %v", n)
	}
	if n := (Grants{}).Give("web", "bob"); len(n.Projects) != 1 {
		t.Errorf("given %v", n)
	}
}
