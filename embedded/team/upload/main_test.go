package upload_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/team"
	"journal/embedded/team/dial"
	"journal/embedded/team/hub"
	"journal/embedded/team/peers"
	"journal/embedded/team/upload"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// log is a log in memory: a Source and its head.
type log struct {
	mu      sync.Mutex
	all     []record.Record
	name    string
	repairs uint64

	grown  chan struct{}
	looked atomic.Uint64 // how often somebody asked how long it is
}

func newLog() *log {
	return &log{name: "JOURNAL_1", grown: make(chan struct{}, 1)}
}

// add adds n events of a project, each with its place in its text.
func (l *log) add(project string, n int) { l.put(project, "id", n) }

// live adds n events that another history of the log does not have.
func (l *log) live(project string, n int) { l.put(project, "another life", n) }

func (l *log) put(project, of string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range n {
		seq := uint64(len(l.all) + 1)
		l.all = append(l.all, record.Record{
			Seq: seq, Subject: "journal." + project + ".s.prompt.submitted", ID: fmt.Sprintf("%s-%d", of, seq),
			Data: fmt.Appendf(nil, "%s %d %s%s", project, seq, strings.Repeat("what is said ", int(seq%40)), of),
		})
	}
	select {
	case l.grown <- struct{}{}:
	default:
	}
}

func (l *log) Head() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return uint64(len(l.all))
}

// stream is what the log is called, which changes where it is written anew.
func (l *log) stream() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.name
}

// look is Head for the link.
func (l *log) look() uint64 {
	l.looked.Add(1)
	return l.Head()
}

func (l *log) at(seq uint64) record.Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[seq-1]
}

func (l *log) Stored(_ context.Context, s events.Span) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		for seq := s.After + 1; seq <= min(s.Until, l.Head()); seq++ {
			if !yield(l.at(seq), nil) {
				return
			}
		}
	}
}

// newHub makes a hub of so many nodes; it is not started.
func newHub(t testing.TB, nodes int) *hubtest.Hub { return newHubOf(t, hub.Hub{}, nodes) }

// alter writes into a hub's directory what no verb does.
func alter(t testing.TB, h *hubtest.Hub, change func(*hub.Hub)) {
	t.Helper()
	path := filepath.Join(h.Dir, "hub.json")
	b, err := os.ReadFile(path)
	must(t, err)
	var is hub.Hub
	must(t, json.Unmarshal(b, &is))
	change(&is)
	b, err = json.Marshal(is)
	must(t, err)
	must(t, os.WriteFile(path, b, 0o600))
}

// newHubOf makes a hub that is more than nodes.
func newHubOf(t testing.TB, h hub.Hub, nodes int) *hubtest.Hub {
	t.Helper()
	return hubtest.New(t, filepath.Join(t.TempDir(), "hub"), h, nodes)
}

// laptop is a journal directory with a log and, while it is on, a link.
type laptop struct {
	dir    string
	member team.Membership
	log    *log
	ticks  <-chan time.Time
	stop   func()
	full   bool // its disk takes no rebuild
}

func newLaptop(t testing.TB, in team.Member) *laptop {
	t.Helper()
	p := &laptop{dir: t.TempDir(), log: newLog(), ticks: time.Tick(time.Second)}
	var err error
	if p.member, err = team.Join(p.dir, in); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.off)
	return p
}

// newTeam makes a hub of so many nodes that runs, alice's laptop, and bob, who reads what she shares.
func newTeam(t testing.TB, nodes int) (h *hubtest.Hub, alice *laptop, bob team.Member) {
	t.Helper()
	h = newHub(t, nodes)
	in, bob := h.Member(t, "alice"), h.Member(t, "bob")
	h.Start(t)
	h.Announced(t)
	return h, newLaptop(t, in), bob
}

func (p *laptop) on() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			p.run(ctx)
		}
	}()
	p.stop = func() { cancel(); <-done }
}

// run keeps a link until ctx ends or the log has to be written anew.
func (p *laptop) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m, err := team.Load(p.dir)
	if err != nil {
		panic(err)
	}
	var missing *upload.Missing
	level := slog.LevelError + 1
	if os.Getenv("LINK_LOG") != "" {
		level = slog.LevelDebug
	}
	l := upload.New(upload.Config{
		Dir: p.dir, Member: m, Log: p.log.stream(), Source: p.log, Head: p.log.look, Grown: p.log.grown, Ticks: p.ticks,
		Repairs: func(context.Context) (uint64, error) { return p.log.repairs, nil }, Summarizer: p.log,
		Restore: func(m upload.Missing) { missing = &m; cancel() },
		Logger:  slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})),
	})
	l.Run(ctx)
	if missing != nil && !p.full {
		p.give(*missing)
	}
}

// give writes the log anew with what it lacks, as a rebuild does.
func (p *laptop) give(m upload.Missing) {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	for there, err := range m.HubLog.Stored(context.Background(), events.Span{}) {
		if err != nil {
			panic(err)
		}
		if there.Seq > uint64(len(p.log.all)) {
			p.log.all = append(p.log.all, record.Record{})
		}
		is := m.Merge(p.log.all[there.Seq-1], there)
		is.Seq, is.Data = there.Seq, bytes.Clone(is.Data)
		p.log.all[there.Seq-1] = is
	}
	p.log.name = fmt.Sprintf("JOURNAL_%d", journal.Epoch(p.log.name)+1)
	m.Copy.Adopt = journal.Epoch(p.log.name)
	if err := m.Copy.Save(p.dir); err != nil {
		panic(err)
	}
}

// reload reads which device the laptop is.
func (p *laptop) reload(t testing.TB) {
	t.Helper()
	m, err := team.Load(p.dir)
	must(t, err)
	p.member = m
}

// forget has the log forget a message, as a rebuild does.
func (p *laptop) forget(seq uint64) { p.rebuild(record.Record{Seq: seq, Subject: record.Forgotten}) }

// repair has a rebuild of the log lose a message, and tell of that.
func (p *laptop) repair(seq uint64) {
	p.rebuild(record.Record{Seq: seq, Subject: "journal.none.none.log.gap", ID: "gap", Data: []byte("lost")})
	p.log.repairs++
}

// rebuild puts something in the place of a message: the log has another stream then.
func (p *laptop) rebuild(with record.Record) {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	p.log.all[with.Seq-1] = with
	p.log.name = fmt.Sprintf("JOURNAL_%d", journal.Epoch(p.log.name)+1)
}

func (p *laptop) off() {
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
}

func (p *laptop) share(t testing.TB, projects ...string) {
	t.Helper()
	if err := team.ChangeShare(p.dir, func(team.Share) (team.Share, error) { return team.Share{Projects: projects}, nil }); err != nil {
		t.Fatal(err)
	}
}

// status is what the owner would tell.
func (p *laptop) status(t testing.TB) team.Status {
	t.Helper()
	s, err := team.LoadStatus(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// reader reaches the hub as a member who reads.
func reader(t testing.TB, in team.Member) *peers.Hub {
	t.Helper()
	var h *peers.Hub
	testutil.Eventually(t, "the hub says who is in the team", func() bool { // of three nodes, none may lead for a moment
		is, err := peers.Reach(t.Context(), in)
		if err != nil && !errors.Is(err, team.ErrRoster) {
			t.Fatal(err)
		}
		h = is
		return err == nil
	})
	t.Cleanup(h.Close)
	return h
}

// copies returns the numbers of the copies that the hub has of a laptop.
func copies(t testing.TB, p *laptop) (all []int) {
	t.Helper()
	nc, subjects := hubtest.As(t, p.member.Member), []string(nil)
	// A server that has just started knows an account before the services that the account imports, if two connections of the
	// account come at once.
	testutil.Eventually(t, "the account has its services", func() (known bool) {
		var err error
		subjects, err = dial.Subjects(t.Context(), nc, team.Info+p.member.Account)
		if err != nil && !errors.Is(err, dial.ErrNoStream) {
			t.Fatal(err)
		}
		return err == nil
	})
	for _, subject := range subjects {
		if device, number, _ := team.SubjectOf(subject); device == p.member.Device {
			all = append(all, number)
		}
	}
	slices.Sort(all)
	return all
}

// arrived waits until the hub has all of a laptop's copy and nothing that has to be gone.
func arrived(t testing.TB, p *laptop) team.Status {
	t.Helper()
	var s team.Status
	testutil.Eventually(t, "the hub has all of it", func() bool {
		s = p.status(t)
		c, err := team.LoadCopy(p.dir)
		share, _ := team.LoadShare(p.dir)
		return err == nil && c.Share.Same(share) && (share.None() || c.Epoch == journal.Epoch(p.log.stream())) &&
			s.Connected && s.Copy == c.Number && s.Hub == p.log.Head() && len(c.Erase()) == 0
	})
	p.reload(t)
	return s
}

// same compares what another member reads with what it has to be.
func same(t testing.TB, h *peers.Hub, p *laptop, projects ...string) {
	t.Helper()
	all, err := h.Copies(t.Context(), p.member.Name)
	must(t, err)
	i := slices.IndexFunc(all, func(c peers.Copy) bool { return c.Device == p.member.Device })
	if i < 0 {
		t.Fatalf("nothing of %s is there, but %+v", p.member.Device, all)
	}
	log, err := all[i].Log(t.Context())
	must(t, err)
	filter, next := team.Share{Projects: projects}, uint64(1)
	for r, err := range log.Stored(t.Context(), events.Span{}) {
		must(t, err)
		if want := filter.Derive(p.log.at(next)); r.Seq != next || r.Subject != want.Subject || r.ID != want.ID || !bytes.Equal(r.Data, want.Data) {
			t.Fatalf("#%d is #%d %q %q %q, want %q %q %q", next, r.Seq, r.Subject, r.ID, r.Data, want.Subject, want.ID, want.Data)
		}
		next++
	}
	for ; next <= p.log.Head(); next++ {
		if r := filter.Derive(p.log.at(next)); r.Subject != record.Withheld {
			t.Fatalf("#%d is not there", next)
		}
	}
}

// holding lists the files below a directory that hold some bytes, as they are or compressed.
func holding(t testing.TB, dir, what string) (found []string) {
	t.Helper()
	found, err := testutil.Holding(dir, what)
	must(t, err)
	return found
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
