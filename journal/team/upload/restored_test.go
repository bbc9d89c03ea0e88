package upload_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"journal/journal/record"
	"journal/journal/testutil"
)

// backup is a laptop as it was at some time.
type backup struct {
	dir  string
	all  []record.Record
	name string
}

// backup copies the laptop, which is off.
func (p *laptop) backup(t testing.TB) backup {
	t.Helper()
	b := backup{t.TempDir(), slices.Clone(p.log.all), p.log.name}
	must(t, os.CopyFS(b.dir, os.DirFS(p.dir)))
	return b
}

// restore makes the laptop, which is off, what it was.
func (p *laptop) restore(t testing.TB, b backup) {
	t.Helper()
	must(t, os.RemoveAll(p.dir))
	must(t, os.CopyFS(p.dir, os.DirFS(b.dir)))
	p.log.all, p.log.name, p.log.repairs = slices.Clone(b.all), b.name, 0
}

// live adds n events that another history of the log does not have.
func (l *log) live(project string, n int) {
	l.add(project, n)
	for i := len(l.all) - n; i < len(l.all); i++ {
		l.all[i].ID, l.all[i].Data = fmt.Sprintf("other-%d", i), fmt.Appendf(nil, "another life %s %d", project, i)
	}
}

// What the hub has of a laptop whose log was set back, or is another, is kept as it is, and nothing is
// added to it, whatever the laptop records, forgets, shares and numbers. It is told, and ends when the log is
// what it was.
func TestRestoredLaptopKeepsTheHub(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		forgets bool // between the backup and its end
		alone   bool // the log is set back, and nothing beside it
		after   func(*testing.T, *laptop)
	}{
		"nothing since":       {after: func(*testing.T, *laptop) {}},
		"less since":          {after: func(_ *testing.T, p *laptop) { p.log.live("web", 50) }},
		"as much since":       {after: func(_ *testing.T, p *laptop) { p.log.live("web", 200) }},
		"more since":          {after: func(_ *testing.T, p *laptop) { p.log.live("web", 300) }},
		"nothing given since": {after: func(_ *testing.T, p *laptop) { p.log.live("hidden", 300) }},
		"both end with what is not given": {after: func(_ *testing.T, p *laptop) {
			p.log.live("web", 100)
			p.log.live("hidden", 200)
		}},
		"forgets":                               {after: func(_ *testing.T, p *laptop) { p.log.live("web", 300); p.forget(7) }},
		"repaired":                              {after: func(_ *testing.T, p *laptop) { p.repair(7) }},
		"repaired, and more since":              {after: func(_ *testing.T, p *laptop) { p.repair(7); p.log.live("web", 300) }},
		"repaired, and forgets":                 {after: func(_ *testing.T, p *laptop) { p.repair(7); p.log.live("web", 300); p.forget(8) }},
		"shares more":                           {after: func(t *testing.T, p *laptop) { p.log.live("web", 50); p.share(t, "web", "hidden") }},
		"shares less":                           {after: func(t *testing.T, p *laptop) { p.share(t, "hidden") }},
		"another log":                           {after: func(_ *testing.T, p *laptop) { p.log.all = nil; p.log.live("web", 600) }},
		"the log alone":                         {alone: true, after: func(*testing.T, *laptop) {}},
		"the log alone, and more since":         {alone: true, after: func(_ *testing.T, p *laptop) { p.log.live("web", 300) }},
		"the log alone, which forgot":           {alone: true, forgets: true, after: func(*testing.T, *laptop) {}},
		"the log alone, which forgot, and more": {alone: true, forgets: true, after: func(_ *testing.T, p *laptop) { p.log.live("web", 300) }},
		"forgot meanwhile":                      {forgets: true, after: func(_ *testing.T, p *laptop) { p.log.live("web", 300) }},
		"forgot meanwhile, and forgets": {forgets: true, after: func(_ *testing.T, p *laptop) {
			p.log.live("web", 300)
			p.forget(7)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, 1)
			alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
			h.Start(t)
			h.Announced(t)
			p := newLaptop(t, alice)
			p.log.add("web", 290)
			p.log.add("hidden", 10)
			p.share(t, "web")
			p.on()
			arrived(t, p)
			p.off()
			old := p.backup(t)
			p.log.add("web", 190)
			if c.forgets {
				p.forget(42)
			}
			p.log.add("hidden", 10)
			p.on()
			arrived(t, p)
			p.off()
			was := p.backup(t)
			js := reader(t, bob)
			numbers := copies(t, p)

			if c.alone {
				old.dir = was.dir
			}
			p.restore(t, old)
			c.after(t, p)
			for n := range 2 { // it stays so
				p.on()
				testutil.Eventually(t, "it is told", func() bool {
					s := p.status(t)
					return s.SetBack && s.Connected && !s.Refused && s.Problem != "" && s.Head == p.log.Head()
				})
				p.off()
				if s := p.status(t); !s.SetBack {
					t.Errorf("nobody looks, and it is forgotten: %+v", s)
				}
				if n == 0 {
					p.log.live("web", 5)
				}
			}
			if now := copies(t, p); !slices.Equal(now, numbers) {
				t.Fatalf("the hub had the copies %d, and has %d", numbers, now)
			}
			if found := holding(t, h.Dir, "another life"); len(found) != 0 {
				t.Errorf("what another history has is in %s", found)
			}

			p.restore(t, was)
			same(t, js, p, "web")
			p.log.add("web", 20)
			p.on()
			if s := arrived(t, p); s.SetBack || s.Problem != "" {
				t.Errorf("all is well, and it says %+v", s)
			}
			same(t, js, p, "web")
		})
	}
}

// A person may say that what the hub has is not wanted: it goes, and the log goes on as it is.
func TestRestoredLaptopByAPersonsWord(t *testing.T) {
	t.Parallel()
	h := newHub(t, 1)
	alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
	h.Start(t)
	h.Announced(t)
	p := newLaptop(t, alice)
	p.log.add("web", 100)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	p.off()
	old := p.backup(t)
	p.log.add("web", 100)
	p.forget(42)
	p.on()
	arrived(t, p)
	p.off()
	p.restore(t, old)
	p.on()
	testutil.Eventually(t, "it is told", func() bool { return p.status(t).SetBack })
	p.share(t)
	js := reader(t, bob)
	testutil.Eventually(t, "nothing is left", func() bool { return len(copies(t, p)) == 0 && !p.status(t).SetBack })
	p.share(t, "web")
	arrived(t, p)
	same(t, js, p, "web")
}

// A log that was repaired goes on, whatever it lost, as long as it tells of that; what the hub has from before
// stays until something is forgotten.
func TestRepairedLaptopGoesOn(t *testing.T) {
	t.Parallel()
	h := newHub(t, 1)
	alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
	h.Start(t)
	h.Announced(t)
	p := newLaptop(t, alice)
	p.log.add("web", 100)
	p.share(t, "web")
	for n, rebuild := range []func(){func() {}, func() { p.repair(p.log.Head()) }, func() { p.forget(50) }} {
		p.off()
		rebuild()
		p.log.add("web", 10)
		p.on()
		arrived(t, p)
		js := reader(t, bob)
		same(t, js, p, "web")
		if got := copies(t, p); !slices.Equal(got, [][]int{{1}, {1, 2}, {3}}[n]) {
			t.Fatalf("after %d rebuilds the hub has the copies %d", n, got)
		}
	}
}
