package hubcopy_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/embedded/hubcopy"
	"journal/embedded/hubcopy/hubtest"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
	"journal/journal/team"
	"journal/journal/team/hub"
	"journal/journal/team/peers"
)

// log is a log in memory: a Source and its head.
type log struct {
	mu      sync.Mutex
	all     []record.Record
	name    string
	repairs uint64

	grown  chan struct{}
	looked chan time.Time // when somebody asked how long it is; nobody has to listen
}

func newLog() *log {
	return &log{name: "JOURNAL_1", grown: make(chan struct{}, 1), looked: make(chan time.Time)}
}

// add adds n events of a project, each with its place in its text.
func (l *log) add(project string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range n {
		seq := uint64(len(l.all) + 1)
		l.all = append(l.all, record.Record{
			Seq: seq, Subject: "journal." + project + ".s.prompt.submitted", ID: fmt.Sprintf("id-%d", seq),
			Data: fmt.Appendf(nil, "%s %d %s", project, seq, strings.Repeat("what is said ", int(seq%40))),
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

// look is Head for the link.
func (l *log) look() uint64 {
	select {
	case l.looked <- time.Now():
	default:
	}
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
	stop   func()
}

func newLaptop(t testing.TB, in team.Member) *laptop {
	t.Helper()
	p := &laptop{dir: t.TempDir(), log: newLog()}
	var err error
	if p.member, err = team.Join(p.dir, in); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.off)
	return p
}

func (p *laptop) on() {
	ctx, cancel := context.WithCancel(context.Background())
	level := slog.LevelError + 1
	if os.Getenv("LINK_LOG") != "" {
		level = slog.LevelDebug
	}
	l := hubcopy.New(hubcopy.Config{
		Dir: p.dir, Member: p.member, Log: p.log.name, Source: p.log, Head: p.log.look, Grown: p.log.grown,
		Repairs: func(context.Context) (uint64, error) { return p.log.repairs, nil },
		Logger:  slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})),
	})
	done := make(chan struct{})
	go func() { defer close(done); l.Run(ctx) }()
	p.stop = func() { cancel(); <-done }
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
	if err := (team.Share{Projects: projects}).Save(p.dir); err != nil {
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

// reach reaches the hub as a reader.
func reach(t testing.TB, in team.Member) *nats.Conn {
	t.Helper()
	nc, err := peers.Connect(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// reader reads what a member has at the hub as another does.
func reader(t testing.TB, in team.Member, of string) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.NewWithAPIPrefix(reach(t, in), "M."+of+".API")
	if err != nil {
		t.Fatal(err)
	}
	return js
}
