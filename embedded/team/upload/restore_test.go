package upload_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/team"
	"journal/embedded/team/chunk"
	"journal/embedded/team/dial"
	"journal/journal/record"
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

// clone makes another machine from a backup of the laptop, which is off.
func (p *laptop) clone(t testing.TB) *laptop {
	t.Helper()
	b := p.backup(t)
	other := &laptop{dir: b.dir, member: p.member, log: newLog()}
	other.log.all, other.log.name = b.all, b.name
	t.Cleanup(other.off)
	return other
}

// What the hub has of a laptop whose log was set back comes back into the log at its numbers, and the device goes on;
// what was forgotten meanwhile is forgotten. Where the log went on by itself, it goes on as a new device, and what
// the hub has of the one before stays as it is. Nobody is asked.
func TestRestoredLaptop(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		forgets uint64 // between the backup and its end
		alone   bool   // the log is set back, and nothing beside it
		splits  bool   // the log goes on as a new device
		after   func(*testing.T, *laptop)
	}{
		"a backup":                   {},
		"a backup of what is hidden": {after: func(_ *testing.T, p *laptop) { p.log.live("hidden", 5) }, splits: true},
		"its end is lost":            {alone: true},
		"its end is lost, and told": {alone: true, after: func(_ *testing.T, p *laptop) {
			p.log.all = append(p.log.all, record.Record{Seq: p.log.Head() + 1, Subject: "journal.none.none.log.repaired", ID: "repaired", Data: []byte("lost")})
			p.log.repairs++
		}},
		"emptied":                     {alone: true, after: func(_ *testing.T, p *laptop) { p.log.all = nil }},
		"emptied with its directory":  {after: func(t *testing.T, p *laptop) { p.log.all = nil; must(t, (team.Copy{}).Save(p.dir)) }},
		"it forgot since":             {forgets: 42},
		"it forgot the newest since":  {forgets: 300},
		"it forgot, and its log only": {forgets: 42, alone: true},
		"repaired":                    {after: func(_ *testing.T, p *laptop) { p.repair(7) }},
		"forgets":                     {after: func(_ *testing.T, p *laptop) { p.forget(7); p.forget(17) }},
		"less since":                  {splits: true, after: func(_ *testing.T, p *laptop) { p.log.live("web", 50) }},
		"as much since":               {splits: true, after: func(_ *testing.T, p *laptop) { p.log.live("web", 200) }},
		"more since":                  {splits: true, after: func(_ *testing.T, p *laptop) { p.log.live("web", 300) }},
		"nothing given since":         {splits: true, after: func(_ *testing.T, p *laptop) { p.log.live("hidden", 300) }},
		"both end with what is not given": {splits: true, after: func(_ *testing.T, p *laptop) {
			p.log.live("web", 100)
			p.log.live("hidden", 200)
		}},
		"more, and forgets":           {splits: true, after: func(_ *testing.T, p *laptop) { p.log.live("web", 300); p.forget(7) }},
		"repaired, and more since":    {splits: true, after: func(_ *testing.T, p *laptop) { p.repair(7); p.log.live("web", 300) }},
		"shares more":                 {splits: true, after: func(t *testing.T, p *laptop) { p.log.live("web", 50); p.share(t, "web", "hidden") }},
		"another log":                 {splits: true, after: func(_ *testing.T, p *laptop) { p.log.all = nil; p.log.live("web", 600) }},
		"the log alone, and more":     {splits: true, alone: true, after: func(_ *testing.T, p *laptop) { p.log.live("web", 300) }},
		"it forgot, and more":         {splits: true, forgets: 42, after: func(_ *testing.T, p *laptop) { p.log.live("web", 300) }},
		"one where one was forgotten": {splits: true, forgets: 301, after: func(_ *testing.T, p *laptop) { p.log.live("web", 1) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, p, bob := newTeam(t, 1)
			p.log.add("hidden", 10)
			p.log.add("web", 290)
			p.share(t, "web")
			p.on()
			arrived(t, p)
			p.off()
			old := p.backup(t)
			p.log.add("web", 190)
			p.log.add("hidden", 10)
			p.on()
			arrived(t, p)
			p.off()
			if c.forgets > 0 {
				p.forget(c.forgets)
				p.on()
				arrived(t, p)
				p.off()
			}
			was, before := p.backup(t), p.member
			js := reader(t, bob)

			if c.alone {
				old.dir = was.dir
			}
			p.restore(t, old)
			if c.after != nil {
				c.after(t, p)
			}
			share, err := team.LoadShare(p.dir)
			must(t, err)
			for range 2 { // it goes on so
				p.on()
				arrived(t, p)
				p.off()
				same(t, js, p, share.Projects...)
				p.log.add("web", 5)
			}
			if splits := p.member.Device != before.Device; splits != c.splits {
				t.Fatalf("it is device %s, and was %s", p.member.Device, before.Device)
			}
			if c.splits {
				p.restore(t, was)
				p.member = before
				same(t, js, p, "web")
				p.on()
				arrived(t, p)
				if p.member.Device != before.Device {
					t.Fatal("the log that it was becomes a new device")
				}
				return
			}
			for i, r := range was.all[:len(was.all)-10] {
				switch now := p.log.all[i]; {
				case name == "forgets" && i == 16:
					if !now.IsForgotten() {
						t.Errorf("#17 was forgotten, and is %q", now.Data)
					}
				case i >= 10 && (now.Subject != r.Subject || now.ID != r.ID || !bytes.Equal(now.Data, r.Data)):
					t.Fatalf("#%d was %q, and is %q", r.Seq, r.Data, now.Data)
				}
			}
			if c.forgets > 0 {
				if found := holding(t, h.Dir, fmt.Sprintf("web %d what", c.forgets)); len(found) != 0 {
					t.Errorf("what was forgotten is in %s", found)
				}
			}
		})
	}
}

// Of two machines that go on as one device, started at once, exactly one becomes a new device. Nothing mixes, and each
// has all of its own at the hub.
func TestClonedLaptops(t *testing.T) {
	t.Parallel()
	rounds := 10
	if n, err := strconv.Atoi(os.Getenv("JOURNAL_ROUNDS")); err == nil {
		rounds = n
	}
	_, p, bob := newTeam(t, 1)
	p.log.add("web", 50)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	js := reader(t, bob)
	for round := range rounds {
		p.off()
		clone := p.clone(t)
		clone.log.repairs = p.log.repairs
		was := p.member.Device
		p.log.add("web", 1+round%7)
		clone.log.live("web", 1+round%5)
		if round%3 == 0 { // also where both say another number of a copy
			p.forget(p.log.Head() - 1)
			clone.forget(7)
		}
		p.on()
		clone.on()
		p.log.add("web", 3)
		clone.log.live("web", 3)
		arrived(t, p)
		arrived(t, clone)
		p.log.add("web", 1) // a device hears of what another forgot when it has something to give
		clone.log.live("web", 1)
		arrived(t, p)
		arrived(t, clone)
		arrived(t, p)
		clone.off()
		if stays := []bool{p.member.Device == was, clone.member.Device == was}; stays[0] == stays[1] {
			t.Fatalf("round %d: %s and %s were %s", round, p.member.Device, clone.member.Device, was)
		}
		same(t, js, p, "web")
		same(t, js, clone, "web")
	}
}

// A person may say that what the hub has is not wanted: it goes, and the log goes on as it is.
func TestRestoredLaptopByAPersonsWord(t *testing.T) {
	t.Parallel()
	_, p, bob := newTeam(t, 1)
	p.log.add("web", 100)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	p.off()
	old := p.backup(t)
	p.log.add("web", 100)
	p.on()
	arrived(t, p)
	p.off()
	p.restore(t, old)
	p.share(t)
	p.on()
	js := reader(t, bob)
	testutil.Eventually(t, "nothing is left", func() bool { return len(copies(t, p)) == 0 })
	p.share(t, "web")
	arrived(t, p)
	same(t, js, p, "web")
}

// A copy that cannot be given back, because it is damaged, stays as it is, and the laptop goes on as a new device.
func TestDamagedCopyMakesANewDevice(t *testing.T) {
	t.Parallel()
	_, p, bob := newTeam(t, 1)
	key, err := p.member.Key.Pair()
	must(t, err)
	was := p.member.Device
	torn, err := chunk.Encode(chunk.Head{Team: "acme", Member: "alice", Device: was, Copy: 7, First: 5, Last: 5}, nil, key)
	must(t, err)
	_, err = hubtest.As(t, p.member.Member).Request(team.Put+was+".7", torn, testutil.Patience)
	must(t, err)
	p.log.add("web", 10)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	if p.member.Device == was {
		t.Error("it goes on as the device whose copy is damaged")
	}
	same(t, reader(t, bob), p, "web")
}

// A log that cannot be written anew is not asked for it forever: the laptop goes on as a new device.
func TestRestoreThatFailsMakesANewDevice(t *testing.T) {
	t.Parallel()
	_, p, bob := newTeam(t, 1)
	p.log.add("web", 100)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	p.off()
	old, was := p.backup(t), p.member.Device
	p.log.add("web", 50)
	p.on()
	arrived(t, p)
	p.off()
	p.restore(t, old)
	p.full = true
	p.on()
	arrived(t, p)
	if p.member.Device == was {
		t.Error("it goes on as the device whose copy has more")
	}
	same(t, reader(t, bob), p, "web")
}

// A log that was repaired goes on, whatever it lost, as long as it tells of that; what the hub has from before
// stays until something is forgotten.
func TestRepairedLaptopGoesOn(t *testing.T) {
	t.Parallel()
	_, p, bob := newTeam(t, 1)
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

// What a machine forgets that became a new device goes also from the copy and the facts of the device that it was, as far
// as both logs are one; what else is there stays. A machine that still goes on as that device forgets it too.
func TestForgettingReachesTheDeviceBefore(t *testing.T) {
	t.Parallel()
	h, p, bob := newTeam(t, 1)
	p.log.add("web", 300)
	p.log.all[41].Data = []byte("the marker that both have")
	p.log.all[42].Data = []byte("the marker that stays")
	p.share(t, "web")
	p.on()
	arrived(t, p)
	p.off()
	clone := p.clone(t)
	p.log.add("web", 30)
	p.log.all[309].Data = []byte("the marker of the old device alone")
	p.on()
	arrived(t, p)
	p.off()

	clone.log.live("web", 20)
	clone.log.all[309].Data = []byte("another at that place")
	clone.on()
	arrived(t, clone)
	if clone.member.Device == p.member.Device {
		t.Fatal("the clone is no new device")
	}
	clone.off()
	h.StopAll()
	clone.forget(42)
	clone.forget(310)
	clone.on()
	testutil.Eventually(t, "it is pending", func() bool { return clone.status(t).Pending > 0 })
	h.Start(t)
	arrived(t, clone)
	testutil.Eventually(t, "nothing is pending", func() bool { return clone.status(t).Pending == 0 })
	if found := holding(t, h.Dir, "the marker that both have"); len(found) != 0 {
		t.Errorf("it is in %s", found)
	}
	bobs := newHearer(t, bob)
	testutil.Eventually(t, "one device tells of the project", func() bool {
		told, _, err := bobs.hear(true)
		return err == nil && told["web"] == "320 the marker that stays"
	})
	js := reader(t, bob)
	same(t, js, clone, "web")
	was := p.log.all[41]
	p.log.all[41] = record.Record{Seq: 42, Subject: record.Forgotten}
	same(t, js, p, "web")
	p.log.all[41] = was

	p.on()
	p.log.add("web", 1)
	arrived(t, p)
	if r := p.log.at(42); !r.IsForgotten() {
		t.Errorf("the machine that goes on as the device before still has %q", r.Data)
	}
	if r := p.log.at(310); string(r.Data) != "the marker of the old device alone" {
		t.Errorf("#310 is %q there", r.Data)
	}
	same(t, js, p, "web")
}

// A copy of the device before that was replaced, and not erased because the machine was switched off in between, is erased at the next
// session: it still has what was forgotten.
func TestForgettingGoesOnAfterAnInterruption(t *testing.T) {
	t.Parallel()
	h, p, _ := newTeam(t, 1)
	p.log.add("web", 300)
	p.log.all[41].Data = []byte("the marker that both have")
	p.share(t, "web")
	p.on()
	arrived(t, p)
	p.off()
	clone := p.clone(t)
	p.log.add("web", 30)
	p.on()
	arrived(t, p)
	p.off()
	clone.log.live("web", 20)
	clone.on()
	arrived(t, clone)
	clone.off()

	nc := hubtest.As(t, p.member.Member)
	var before [][]byte
	q := dial.Query{Stream: p.member.Account, Next: team.Subject(p.member.Account, p.member.Device, 1), From: 1, Most: 100, Bytes: 1 << 20}
	must(t, dial.All(t.Context(), nc, q, func(a dial.Message) error {
		before = append(before, bytes.Clone(a.Data))
		return nil
	}))
	clone.forget(42)
	clone.on()
	arrived(t, clone)
	testutil.Eventually(t, "it is gone", func() bool { return clone.status(t).Pending == 0 })
	clone.off()
	if got := copies(t, p); len(before) == 0 || !slices.Equal(got, []int{2}) {
		t.Fatalf("%d chunks before; copies %d", len(before), got)
	}
	for _, b := range before { // the hub and the laptop as they were before the old copy was erased
		_, err := nc.Request(team.Put+p.member.Device+".1", b, testutil.Patience)
		must(t, err)
	}
	c, err := team.LoadCopy(clone.dir)
	must(t, err)
	c.ErasedThrough = 0
	must(t, c.Save(clone.dir))
	if got := copies(t, p); !slices.Equal(got, []int{1, 2}) {
		t.Fatalf("copies %d", got)
	}

	clone.on()
	testutil.Eventually(t, "nothing is pending", func() bool {
		c, err := team.LoadCopy(clone.dir)
		return err == nil && !c.Unswept()
	})
	if got := copies(t, p); !slices.Equal(got, []int{2}) {
		t.Errorf("the hub has the copies %d", got)
	}
	if found := holding(t, h.Dir, "the marker that both have"); len(found) != 0 {
		t.Errorf("it is in %s", found)
	}
}

// The facts of the device before are emptied too: they may tell what was forgotten.
func TestForgettingReachesTheFactsBefore(t *testing.T) {
	t.Parallel()
	_, p, bob := newTeam(t, 1)
	p.log.add("web", 60)
	p.log.all[41].Data = []byte("the marker that both have")
	p.share(t, "web")
	p.on()
	arrived(t, p)
	p.off()
	clone := p.clone(t)
	bobs := newHearer(t, bob)
	markers := func() (n int) {
		_, _, err := bobs.hear(false)
		must(t, err)
		for _, f := range bobs.known.All() {
			n += strings.Count(fmt.Sprint(f.Summary.List), "the marker")
		}
		return n
	}
	p.log.add("web", 5)
	p.on()
	arrived(t, p)
	testutil.Eventually(t, "the device tells", func() bool { return markers() == 1 }) // after the copy is there
	p.off()
	clone.log.live("web", 20)
	clone.on()
	arrived(t, clone)
	testutil.Eventually(t, "both devices tell", func() bool { return markers() == 2 })
	clone.off()
	clone.forget(42)
	clone.on()
	testutil.Eventually(t, "one device tells, and not of what was forgotten", func() bool {
		return markers() == 0 && len(bobs.known.All()) == 1
	})
	clone.off()
}
