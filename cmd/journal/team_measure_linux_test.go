package main

import (
	"bytes"
	"context"
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

	"journal/journal/git"
	"journal/journal/team"
	"journal/journal/team/dial"
	"journal/journal/team/facts"
	"journal/journal/team/hub"
	"journal/journal/team/hubtest"
	"journal/journal/testutil"
)

// trip is the round trip of the network that is measured over.
const trip = 40 * time.Millisecond

// measured is a hub of one nats-server process with many members, of whom the first reads.
type measured struct {
	testing.TB
	hub     *hub.Hub
	server  *exec.Cmd
	members []team.Member
	admin   *nats.Conn
}

// TestMeasureTeam measures what looks cost in a team of JOURNAL_MEMBERS, at 40 ms of round trip (J.9).
func TestMeasureTeam(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("JOURNAL_MEMBERS"))
	if err != nil {
		t.Skip("make e2e-team asks for it")
	}
	m := newMeasured(t, n)
	for i, in := range m.members[1:] {
		m.tell(in, i, 1)
	}
	bob := m.members[0]
	bob.Hub = []string{"nats://" + delayed(t, strings.TrimPrefix(bob.Hub[0], "nats://"))}
	m.looks(bob)
	m.idle(n)
	if n <= 100 {
		m.lists(bob)
		m.live()
	}
}

func (m *measured) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

func newMeasured(t testing.TB, n int) *measured {
	m := &measured{TB: t}
	server := filepath.Join(t.TempDir(), "nats-server")
	if out, err := exec.Command("go", "build", "-o", server, "github.com/nats-io/nats-server/v2").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	dir := filepath.Join(t.TempDir(), "hub")
	node, err := hub.ParseNode("127.0.0.1:"+hubtest.Ports(t), 1)
	m.must(err)
	m.hub, err = hub.Create(t.Context(), dir, hub.Hub{Team: "acme", Nodes: []hub.Node{node}})
	m.must(err)
	for i := range n {
		in, err := m.hub.Invite(fmt.Sprint("m", i))
		m.must(err)
		m.members = append(m.members, in)
	}
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

// tell publishes a fact of a member, as large as those of a busy repository: 20 decisions, 3 sessions that left something, 40 rows.
func (m *measured) tell(in team.Member, i int, counter uint64) {
	m.Helper()
	const device, project = "0a0a0a0a", "web"
	t := facts.Told{Project: project, Is: git.Identity{Remote: "acme.org/web"}, Root: "/home/m/web", Name: "web", Offered: true, Decided: true}
	for d := range 20 {
		t.List = append(t.List, team.Decision{Session: "s1", Seq: uint64(d), At: time.Now().UnixNano(), Text: testutil.Words(uint64(1000*i+d)+counter<<40, 150)})
	}
	for s := range 40 {
		id := fmt.Sprintf("%08x-0000-4000-8000-%012x", 40*i+s, s)
		t.Sessions = append(t.Sessions, facts.Session{ID: id, Root: t.Root, Agent: "claude", Source: "startup", Began: 1, Last: time.Now().UnixNano(), Events: 700, Prompts: 12, Asked: true, Title: testutil.Words(uint64(s), 60)})
		if s < 3 {
			t.Left = append(t.Left, team.Offer{Session: id, Skill: "plan", Phase: "2", Ports: []team.OfferedPort{{ID: "p", Title: testutil.Words(uint64(i), 40), Progress: "1/2"}}})
		}
	}
	body, err := t.Pack()
	m.must(err)
	key, err := in.Key.Pair()
	m.must(err)
	place := facts.PlaceOf(device, project, nil)
	b, err := facts.Head{Team: "acme", Member: in.Name, Device: device, Place: place, Counter: counter, Made: time.Now().UnixNano()}.Seal(body, key)
	m.must(err)
	_, err = m.admin.Request(facts.Subject(in.AccountName(), place), b, testutil.Patience)
	m.must(err)
}

// looks measures looks over one connection that stands: the first, one with nothing new, and one with one fact that is new.
func (m *measured) looks(bob team.Member) {
	took := map[string][]time.Duration{}
	said := map[string]string{}
	var cpu time.Duration
	for n := range 9 {
		nc, err := dial.Connect(m.Context(), bob, bob.Hub, bob.Key)
		m.must(err)
		known, err := facts.Load(m.TempDir())
		m.must(err)
		if n > 0 {
			known.Team = team.Register{}
		}
		look := func(what string) {
			l := &facts.Look{NC: nc, Member: team.Membership{Member: bob, Device: "0b0b0b0b"}, Keep: func(t facts.Told) *facts.Told { t.Sessions = nil; return &t }}
			busy, began := m.cpu(), time.Now()
			_, err := known.Look(m.Context(), l)
			took[what] = append(took[what], time.Since(began))
			cpu = m.cpu() - busy
			m.must(err)
			said[what] = fmt.Sprintf("%d questions, %d KB, %v of the hub's CPU", l.Asked, l.Bytes>>10, cpu)
		}
		look("first, who is in the team is not known")
		if got := len(known.All()); got != len(m.members)-1 {
			m.Fatalf("%d facts", got)
		}
		look("nothing new")
		m.tell(m.members[1], 0, uint64(n+2))
		look("one new")
		known.Again("")
		look("first, who is in the team is known")
		nc.Close()
	}
	for what, all := range took {
		slices.Sort(all)
		m.Logf("%d members, %s: %v at best, %v median; %s", len(m.members), what, all[0].Round(time.Millisecond), all[len(all)/2].Round(time.Millisecond), said[what])
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

// idle measures what the hub does for n laptops whose connection stands, and which ask nothing.
func (m *measured) idle(n int) {
	var work errgroup.Group
	work.SetLimit(20)
	all := make([]*nats.Conn, n)
	for i, in := range m.members {
		work.Go(func() (err error) {
			all[i], err = dial.Connect(context.Background(), in, in.Hub, in.Key, nats.PingInterval(5*time.Second))
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
	line, err := bob.Line()
	m.must(err)
	m.run(dir, dir, "team", "join", line)
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
		line, err := in.Line()
		m.must(err)
		m.run(dir, web, "team", "join", line)
		m.run(dir, web, "decide", "--new", "--session", fmt.Sprint("s", i), "begin", fmt.Sprint(i))
		m.run(dir, web, "team", "share", ".", "--yes")
		m.run(dir, web, "team", "decisions", ".", "--yes")
		m.Cleanup(func() { m.run(dir, web, "stop"); os.RemoveAll(dir) })
		dirs = append(dirs, dir)
	}
	known := func(what string) func() bool {
		return func() bool {
			b, _ := os.ReadFile(filepath.Join(dirs[1], "j", "team", "decisions.json"))
			return bytes.Contains(b, []byte(what))
		}
	}
	testutil.Eventually(m, "they hear each other", known("begin 0"))
	var took []time.Duration
	for n := range 12 {
		what := fmt.Sprint("decided ", n)
		began := time.Now()
		m.run(dirs[0], filepath.Join(dirs[0], "web"), "decide", "--session", "s0", what)
		for !known(what)() {
			if time.Since(began) > time.Minute {
				m.Fatal("nobody hears")
			}
			m.run(dirs[1], filepath.Join(dirs[1], "web"), "decide", "--session", "s1", fmt.Sprint("at work ", time.Now()))
			time.Sleep(200 * time.Millisecond)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	m.Logf("from a decision until a colleague at work has it: %v at best, %v median, %v at most", took[0].Round(10*time.Millisecond), took[6].Round(10*time.Millisecond), took[11].Round(10*time.Millisecond))
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
