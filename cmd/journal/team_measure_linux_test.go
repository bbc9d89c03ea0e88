package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/catalogue"
	"journal/embedded/team"
	"journal/embedded/team/dial"
	"journal/embedded/team/facts"
	"journal/embedded/team/hub"
	"journal/journal/git"
	"journal/replay/recovery"
)

// trip is the round trip of the network that is measured over, and few are the members of small repositories.
const (
	trip = 40 * time.Millisecond
	few  = 10
)

// measured is a hub of one nats-server process with many members, of whom the first reads.
type measured struct {
	testing.TB
	hub     *hub.Hub
	server  *exec.Cmd
	members []team.Member
	admin   *nats.Conn
	facts   map[string]uint64 // sequences of the facts at the hub, by subject
}

// TestMeasureTeam measures what looks cost in a team of JOURNAL_MEMBERS, at 40 ms of round trip (J.9).
func TestMeasureTeam(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("JOURNAL_MEMBERS"))
	if err != nil {
		t.Skip("make e2e-team asks for it")
	}
	m := newMeasured(t, n)
	for i, in := range m.members[1:] {
		m.tell(in, i, 1, "web")
		for r := 0; i < few && r < 5; r++ {
			m.tell(in, i, 1, fmt.Sprint("few", r))
		}
	}
	bob := m.members[0]
	bob.Hub = []string{"nats://" + delayed(t, strings.TrimPrefix(bob.Hub[0], "nats://"))}
	m.looks(bob)
	m.idle(n)
	if n <= 100 {
		m.lists(bob)
		m.live()
		m.heard()
	}
}

func (m *measured) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

func newMeasured(t testing.TB, n int) *measured {
	m := &measured{TB: t, facts: map[string]uint64{}}
	server := filepath.Join(t.TempDir(), "nats-server")
	if out, err := exec.Command("go", "build", "-o", server, "github.com/nats-io/nats-server/v2").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	dir := filepath.Join(t.TempDir(), "hub")
	node, err := hub.ParseNode("127.0.0.1:"+hubtest.Ports(t), 1)
	m.must(err)
	m.hub, err = hub.Create(t.Context(), dir, hub.Hub{Team: "acme", Nodes: []hub.Node{node}})
	m.must(err)
	var names []string
	for i := range n {
		names = append(names, fmt.Sprint("m", i))
	}
	m.members, err = m.hub.Invite(names...)
	m.must(err)
	m.server = exec.Command(server, "-c", "node-1.conf")
	m.server.Dir, m.server.SysProcAttr = dir, &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	m.must(m.server.Start())
	t.Cleanup(func() { _ = m.server.Process.Kill(); _ = m.server.Wait() })
	testutil.Eventually(t, "the hub answers", func() bool { return m.hub.Reload(t.Context()) == nil })
	m.must(m.hub.Announce(t.Context()))
	in := m.members[0]
	m.admin, err = dial.Connect(t.Context(), in, in.Hub, m.hub.Key)
	m.must(err)
	t.Cleanup(m.admin.Close)
	return m
}

// tell publishes a fact of a member, as large as those of a busy repository: 20 decisions, 3 sessions that left
// something, 40 rows.
func (m *measured) tell(in team.Member, i int, counter uint64, project string) {
	m.Helper()
	const device = "0a0a0a0a"
	t := facts.Summary{Listing: catalogue.Listing{Project: project, Name: "web"}, Identity: git.Identity{Remote: "acme.org/" + project}, Context: true}
	for d := range 20 {
		t.List = append(t.List, team.Decision{Session: "s1", Seq: uint64(d), At: time.Now().UnixNano(), Text: testutil.Words(uint64(1000*i+d)+counter<<40, 150)})
	}
	for s := range 40 {
		id := fmt.Sprintf("%08x-0000-4000-8000-%012x", 40*i+s, s)
		t.Sessions = append(t.Sessions, catalogue.Listed{ID: id, Root: "/home/m/web", Agent: "claude", Source: "startup", Began: 1, Last: time.Now().UnixNano(), Events: 700, Prompts: 12, Asked: true, Title: testutil.Words(uint64(s), 60)})
		if s < 3 {
			t.Left = append(t.Left, recovery.Offer{Session: id, Skill: "plan", Phase: "2", Ports: []recovery.OfferPort{{ID: "p", Title: testutil.Words(uint64(i), 40), Progress: "1/2"}}})
		}
	}
	key, err := in.Key.Pair()
	m.must(err)
	body, err := t.Pack()
	m.must(err)
	place := facts.PlaceOf(device, t.Project)
	h := facts.Head{Team: "acme", Member: in.Name, Device: device, Place: place, Counter: counter, Last: counter, Made: time.Now().UnixNano()}
	b, err := h.Seal(body, key)
	m.must(err)
	subject := facts.Subject(in.Account, place)
	reply, err := m.admin.Request(subject, b, testutil.Patience)
	m.must(err)
	if before := m.facts[subject]; before > 0 { // as a device removes what it replaces
		_, err = m.admin.Request("$JS.API.STREAM.MSG.DELETE."+in.Account, fmt.Appendf(nil, `{"seq":%d}`, before), testutil.Patience)
		m.must(err)
	}
	var stored struct {
		Seq uint64 `json:"seq"`
	}
	m.must(json.Unmarshal(reply.Data, &stored))
	m.facts[subject] = stored.Seq
}

// looks measures looks over one connection that stands, of who knows nothing, and then when nothing and when one fact is new.
func (m *measured) looks(bob team.Member) {
	took, used := map[string][]time.Duration{}, map[string][]time.Duration{}
	said := map[string]string{}
	for n := range 15 {
		nc, err := dial.Connect(m.Context(), bob, bob.Hub, bob.Key)
		m.must(err)
		var known *facts.Cache
		look := func(what string, want int, do func(*facts.Query) error) {
			l := &facts.Query{NC: nc, Member: team.Membership{Member: bob, Device: "0b0b0b0b"}, Keep: func(t facts.Summary) *facts.Summary { return &t }}
			busy, own, began, before := m.cpu(), ownCPU(), time.Now(), nc.Stats()
			err := do(l)
			took[what] = append(took[what], time.Since(began))
			used[what] = append(used[what], ownCPU()-own)
			m.must(err)
			said[what] = fmt.Sprintf("%d questions, %d KB, %v of the hub's CPU", nc.Stats().OutMsgs-before.OutMsgs, (nc.Stats().InBytes-before.InBytes)>>10, m.cpu()-busy)
			if got := len(known.All()); got != want {
				m.Fatalf("%s: %d facts, want %d", what, got, want)
			}
		}
		known = facts.NewCache(team.Roster{})
		all := func(l *facts.Query) error { return known.Fetch(m.Context(), l) }
		sharers := func(l *facts.Query) error {
			l.Only = known.Accounts()
			return known.Fetch(m.Context(), l)
		}
		others := len(m.members) - 1 + 5*min(few, len(m.members)-1)
		look("what members tell, the first time", others, all)
		known = facts.NewCache(known.Team)
		look("what members tell", others, all)
		look("nothing new", others, all)
		look("nothing new of who shares", others, sharers)
		m.tell(m.members[1], 0, uint64(n+2), "web")
		look("one new", others, all)
		nc.Close()
	}
	for what, all := range took {
		slices.Sort(all)
		slices.Sort(used[what])
		m.Logf("%d members, %s: %v at best, %v median, %v of CPU; %s", len(m.members), what, all[0].Round(time.Millisecond), all[len(all)/2].Round(time.Millisecond), used[what][len(all)/2].Round(time.Millisecond), said[what])
	}
	if out, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.server.Process.Pid)); err == nil {
		for line := range strings.Lines(string(out)) {
			if strings.HasPrefix(line, "VmRSS") {
				m.Log("hub ", strings.TrimSpace(line))
			}
		}
	}
}

// cpu is what the hub's process has used.
func (m *measured) cpu() time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", m.server.Process.Pid))
	m.must(err)
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+2:]))
	user, err := strconv.Atoi(f[11])
	m.must(err)
	system, err := strconv.Atoi(f[12])
	m.must(err)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// ownCPU is what this process has used, the way to the hub included.
func ownCPU() time.Duration {
	var used unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &used) // it cannot fail
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// idle measures what the hub does for n laptops whose connection stands, and which ask nothing.
func (m *measured) idle(n int) {
	var work errgroup.Group
	work.SetLimit(20)
	all := make([]*nats.Conn, n)
	for i, in := range m.members {
		work.Go(func() (err error) {
			all[i], err = dial.Connect(context.Background(), in, in.Hub, in.Key, nats.PingInterval(dial.PingInterval))
			return err
		})
	}
	m.must(work.Wait())
	time.Sleep(5 * time.Second)
	const span = 30 * time.Second
	before := m.cpu()
	time.Sleep(span)
	used := m.cpu() - before
	m.Logf("%d idle laptops: %.2f %% of a core at the hub", n, 100*used.Seconds()/span.Seconds())
	for _, nc := range all {
		nc.Close()
	}
}

// lists measures journal sessions --team, from the program's start to its end.
func (m *measured) lists(bob team.Member) {
	dir, err := os.MkdirTemp("", "jm")
	m.must(err)
	m.Cleanup(func() { os.RemoveAll(dir) })
	m.run(dir, dir, "team", "join", bob.Line())
	var took []time.Duration
	for range 9 {
		began := time.Now()
		out := m.run(dir, dir, "sessions", "--team")
		took = append(took, time.Since(began))
		if n := strings.Count(out, ", up to #"); n != len(m.members)-1 {
			m.Fatalf("%d members are listed", n)
		}
	}
	slices.Sort(took)
	m.Logf("sessions --team of %d members: %v at best, %v median", len(m.members)-1, took[0].Round(time.Millisecond), took[4].Round(time.Millisecond))
}

// live measures how long it takes from a decision here until a colleague's laptop, on which a session is at work, has it.
func (m *measured) live() {
	var dirs []string
	for i, in := range m.members[1:3] {
		in.Hub = []string{"nats://" + delayed(m, strings.TrimPrefix(in.Hub[0], "nats://"))}
		dir, err := os.MkdirTemp("", "jm")
		m.must(err)
		web := filepath.Join(dir, "web")
		m.must(os.Mkdir(web, 0o700))
		for _, args := range [][]string{{"init", "-q"}, {"remote", "add", "origin", "https://acme.org/live.git"}} {
			c := exec.Command("git", args...)
			c.Dir = web
			m.must(c.Run())
		}
		m.run(dir, web, "team", "join", in.Line())
		m.run(dir, web, "decide", "--new", "--session", fmt.Sprint("s", i), "begin", fmt.Sprint(i))
		m.run(dir, web, "team", "share", ".", "--yes")
		m.Cleanup(func() { m.run(dir, web, "stop"); os.RemoveAll(dir) })
		dirs = append(dirs, dir)
	}
	known := func(what string) func() bool {
		return func() bool {
			b, _ := os.ReadFile(filepath.Join(dirs[1], "j", "team", "heard.json"))
			return bytes.Contains(b, []byte(what))
		}
	}
	testutil.Eventually(m, "they hear each other", known("begin 0"))
	heard := map[string]time.Time{}
	var took, acknowledged []time.Duration
	for n := range 50 {
		what := fmt.Sprint("decided ", n, ".")
		m.run(dirs[0], filepath.Join(dirs[0], "web"), "decide", "--session", "s0", what)
		ended := time.Now()
		for began := time.Now(); !known(what)(); time.Sleep(time.Millisecond) {
			if time.Since(began) > time.Minute {
				m.Fatal("nobody hears")
			}
		}
		heard[what] = time.Now()
		acknowledged = append(acknowledged, time.Since(ended))
		time.Sleep(150 * time.Millisecond) // what comes sooner goes together
	}
	for line := range strings.Lines(m.run(dirs[0], filepath.Join(dirs[0], "web"), "log", "--json", "--type", "decision.recorded", "--session", "s0")) {
		var e struct {
			At   time.Time `json:"at"`
			Data struct {
				Text string `json:"text"`
			} `json:"data"`
		}
		m.must(json.Unmarshal([]byte(line), &e))
		if at, ok := heard[e.Data.Text]; ok {
			took = append(took, at.Sub(e.At))
		}
	}
	m.spread("from when the program was told a decision until a colleague at work keeps it", took)
	m.spread("from when the program that appended it has ended", acknowledged)
}

// spread logs how measurements are spread.
func (m *measured) spread(what string, all []time.Duration) {
	slices.Sort(all)
	at := func(percent int) time.Duration { return all[(len(all)-1)*percent/100].Round(100 * time.Microsecond) }
	m.Logf("%s, %d times: %v at best, p50 %v, p95 %v, %v at most", what, len(all), all[0].Round(100*time.Microsecond), at(50), at(95), at(100))
}

// heard measures how long a look takes after which a colleague has verified what a member told.
func (m *measured) heard() {
	var to [2]*nats.Conn
	for i, in := range m.members[3:5] {
		nc, err := dial.Connect(m.Context(), in, []string{"nats://" + delayed(m, strings.TrimPrefix(in.Hub[0], "nats://"))}, in.Key)
		m.must(err)
		defer nc.Close()
		to[i] = nc
	}
	writer := m.members[3]
	project := git.Identity{Remote: "acme.org/heard"}
	known := facts.NewCache(team.Roster{})
	look := &facts.Query{NC: to[1], Member: team.Membership{Member: m.members[4], Device: "0b0b0b0b"}, Keep: func(t facts.Summary) *facts.Summary { return &t }}
	m.must(known.Fetch(m.Context(), look)) // who is in the team
	look.Only = []string{writer.Account}
	key, err := writer.Key.Pair()
	m.must(err)
	var took []time.Duration
	for n := range 50 {
		t := facts.Summary{Listing: catalogue.Listing{Project: "heard"}, Identity: project, Context: true}
		for d := range 20 {
			t.List = append(t.List, team.Decision{Text: testutil.Words(uint64(20*n+d), 150)})
		}
		body, err := t.Pack()
		m.must(err)
		place := facts.PlaceOf("0a0a0a0a", t.Project)
		b, err := facts.Head{Team: "acme", Member: writer.Name, Device: "0a0a0a0a", Place: place, Counter: uint64(n + 1), Last: uint64(n + 1)}.Seal(body, key)
		m.must(err)
		_, err = to[0].Request(facts.Put(place), b, testutil.Patience)
		m.must(err)
		began := time.Now()
		err = known.Fetch(m.Context(), look)
		is := time.Now()
		if m.must(err); !slices.ContainsFunc(known.All(), func(f *facts.Fact) bool { return f.Last == uint64(n+1) }) {
			m.Fatal("it is not believed")
		}
		took = append(took, is.Sub(began))
	}
	m.spread("from the hub's acknowledgement until a colleague has verified it", took)
}

// run runs the program in a directory, with a journal directory.
func (m *measured) run(dir, in string, args ...string) string {
	m.Helper()
	var out, errOut bytes.Buffer
	c := exec.Command(program, args...)
	c.Env = append(os.Environ(), "JOURNAL_TEAM=", "JOURNAL_DIR="+filepath.Join(dir, "j"), "HOME="+dir, "JOURNAL_IDLE=10m", "JOURNAL_OWNER=")
	c.Stdout, c.Stderr, c.Dir = &out, &errOut, in
	if err := c.Run(); err != nil {
		m.Fatalf("journal %s: %v, %s", strings.Join(args, " "), err, &errOut)
	}
	return out.String()
}

// delayed gives the address of a way to another one that takes half of trip in each direction.
func delayed(t testing.TB, to string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	carry := func(to, from net.Conn) {
		type piece struct {
			at time.Time
			b  []byte
		}
		way := make(chan piece, 1<<16)
		go func() {
			defer to.Close()
			for p := range way {
				time.Sleep(time.Until(p.at))
				if _, err := to.Write(p.b); err != nil {
					from.Close()
					for range way { //nolint:revive // until who reads has noticed
					}
					return
				}
			}
		}()
		defer close(way)
		for {
			b := make([]byte, 64<<10)
			n, err := from.Read(b)
			if err != nil {
				return
			}
			way <- piece{time.Now().Add(trip / 2), b[:n]}
		}
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			up, err := net.Dial("tcp", to)
			if err != nil {
				c.Close()
				continue
			}
			go carry(c, up)
			go carry(up, c)
		}
	}()
	return l.Addr().String()
}
