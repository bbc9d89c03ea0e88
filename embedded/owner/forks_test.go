package owner_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/testutil"
	"journal/events"
)

// transcripts is a folder of an agent that writes transcripts of sessions.
type transcripts struct {
	*home
	dir   string
	marks int
}

func newTranscripts(t *testing.T) *transcripts {
	t.Helper()
	h := newHome(t)
	h.serve()
	return &transcripts{home: h, dir: t.TempDir()}
}

func (f *transcripts) path(session string) string { return filepath.Join(f.dir, session+".jsonl") }

// rowAt is a row of a transcript, so long after the moment of about.
func rowAt(at time.Duration, id string) map[string]any {
	return map[string]any{"type": "user", "uuid": id, "timestamp": time.Unix(0, about(at).At).UTC()}
}

// took is an answer in a fork's transcript that another session had asked for.
func took(row map[string]any, from string) map[string]any {
	row["requestSessionId"] = from
	return row
}

func (f *transcripts) rows(session string, rows ...map[string]any) {
	f.t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for _, r := range rows {
		if err := enc.Encode(r); err != nil {
			f.t.Fatal(err)
		}
	}
	write(f.t, f.path(session), b.String())
}

// says reports what a session's hook says.
func (f *transcripts) says(session string, at time.Duration, ev events.Event) {
	f.t.Helper()
	m := about(at)
	m.Session = session
	f.handle(report(f.t, m, ev)...)
}

// forks begins a session that is a fork.
func (f *transcripts) forks(session string, at time.Duration) {
	f.t.Helper()
	f.says(session, at, events.SessionStarted{Source: "fork", Transcript: f.path(session)})
}

// settle waits until what was asked before it is decided: those who ask are served
// one after the other, and the fork that it begins is linked last.
func (f *transcripts) settle() {
	f.t.Helper()
	f.marks++
	n := numbered(f.marks)
	f.rows("marked"+n, rowAt(0, "marker"+n))
	f.rows("marker"+n, took(rowAt(0, "marker"+n), "marked"+n), rowAt(time.Hour, "own"))
	f.forks("marker"+n, time.Minute)
	f.says("marker"+n, time.Hour, events.TurnEnded{})
	testutil.Eventually(f.t, "the mark", func() bool {
		return len(f.log(events.Selector{Session: "marker" + n, Type: events.TypeOf[events.SessionLinked]()})) == 1
	})
}

// links are the links there are, by session, without those of settle.
func (f *transcripts) links() map[string][]events.SessionLinked {
	f.t.Helper()
	f.settle()
	all := map[string][]events.SessionLinked{}
	for _, e := range f.logOf(events.TypeOf[events.SessionLinked]()) {
		ev, err := events.Open(e)
		if err != nil {
			f.t.Fatal(err)
		}
		if !strings.HasPrefix(e.Session, "marker") {
			all[e.Session] = append(all[e.Session], ev.(events.SessionLinked))
		}
	}
	return all
}

func (f *transcripts) wantLinks(want map[string][]events.SessionLinked) {
	f.t.Helper()
	if diff := cmp.Diff(want, f.links()); diff != "" {
		f.t.Errorf("links (-want +got):\n%s", diff)
	}
}

func linkTo(session, row string) []events.SessionLinked {
	return []events.SessionLinked{{Session: session, How: "fork", Row: row}}
}

// A fork is linked to its parent while it runs (S3.8, ADR-0020): two forks of
// one parent, and a fork of a fork.
func TestForks(t *testing.T) {
	t.Parallel()
	f := newTranscripts(t)
	u1, u2, a1 := rowAt(1*time.Second, "u1"), rowAt(2*time.Second, "u2"), rowAt(5*time.Second, "a1")
	f.rows("parent", u1, u2)
	f.forks("a", 4*time.Second)
	f.rows("a", u1, took(rowAt(2*time.Second, "u2"), "parent"), a1)
	f.says("a", 5*time.Second, events.PromptSubmitted{Text: "the other way"})
	f.forks("b", 6*time.Second)
	f.rows("b", u1, took(rowAt(2*time.Second, "u2"), "parent"), rowAt(7*time.Second, "b1"))
	f.says("b", 7*time.Second, events.CommandRan{Command: "make"})
	f.forks("c", 8*time.Second)
	f.rows("c", u1, took(rowAt(2*time.Second, "u2"), "parent"), took(rowAt(5*time.Second, "a1"), "a"), rowAt(9*time.Second, "c1"))
	f.says("c", 9*time.Second, events.TurnEnded{})
	want := map[string][]events.SessionLinked{"a": linkTo("parent", "u1"), "b": linkTo("parent", "u1"), "c": linkTo("a", "u1")}
	f.wantLinks(want)

	link := f.log(events.Selector{Session: "a", Type: events.TypeOf[events.SessionLinked]()})[0]
	if link.ID != events.ForkID("p", "a") || link.Project != "p" || link.Agent != "claude" || link.Lane != "" {
		t.Errorf("link %+v", link.Meta)
	}
	// Nothing is recorded twice, also by another owner.
	f.restart()
	f.serve()
	f.says("a", 10*time.Second, events.TurnEnded{})
	f.wantLinks(want)
}

// The client writes the first rows of a fork late, after the end of the first turn
// at times. What is not there with the next event is given up.
func TestForkWithALateTranscript(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, next events.Event
		late        bool // the rows come only after both
	}{
		"by the next prompt":          {events.TurnEnded{}, events.PromptSubmitted{Text: "go on"}, false},
		"by the end":                  {events.TurnEnded{}, events.SessionEnded{}, false},
		"by the turn's own end":       {events.CommandRan{Command: "make"}, events.TurnEnded{}, false},
		"after a turn that failed":    {events.TurnFailed{}, events.PromptSubmitted{Text: "again"}, false},
		"later than the prompt":       {events.TurnEnded{}, events.PromptSubmitted{Text: "go on"}, true},
		"later than the end":          {events.CommandRan{Command: "make"}, events.SessionEnded{}, true},
		"too late after a failed one": {events.TurnFailed{}, events.PromptSubmitted{Text: "again"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newTranscripts(t)
			f.rows("parent", rowAt(1*time.Second, "u1"))
			f.forks("fork", 3*time.Second)
			f.says("fork", 4*time.Second, events.PromptSubmitted{Text: "begin"})
			f.settle()
			write(t, f.path("fork"), `{"type":"mode"}`+"\n")
			f.says("fork", 5*time.Second, c.first)
			if c.late {
				f.says("fork", 6*time.Second, c.next)
			}
			f.wantLinks(map[string][]events.SessionLinked{})
			f.rows("fork", took(rowAt(1*time.Second, "u1"), "parent"), rowAt(5*time.Second, "own"))
			want := map[string][]events.SessionLinked{}
			if c.late {
				f.says("fork", 7*time.Second, events.TurnEnded{})
			} else {
				f.says("fork", 7*time.Second, c.next)
				want["fork"] = linkTo("parent", "u1")
			}
			f.wantLinks(want)
		})
	}
}

// An owner that comes while a fork runs finds its parent too.
func TestForkAcrossOwners(t *testing.T) {
	t.Parallel()
	f := newTranscripts(t)
	f.rows("parent", rowAt(1*time.Second, "u1"))
	f.forks("fork", 3*time.Second)
	f.says("fork", 4*time.Second, events.PromptSubmitted{Text: "begin"})
	f.restart()
	f.serve()
	f.rows("fork", took(rowAt(1*time.Second, "u1"), "parent"), rowAt(5*time.Second, "own"))
	f.says("fork", 6*time.Second, events.TurnEnded{})
	f.wantLinks(map[string][]events.SessionLinked{"fork": linkTo("parent", "u1")})
}

// A transcript that could not be read is read after the next event.
func TestForkAfterAFailure(t *testing.T) {
	t.Parallel()
	f := newTranscripts(t)
	f.rows("parent", rowAt(1*time.Second, "u1"))
	f.forks("fork", 3*time.Second)
	if err := os.Mkdir(f.path("fork"), 0o700); err != nil {
		t.Fatal(err)
	}
	f.says("fork", 4*time.Second, events.PromptSubmitted{Text: "begin"})
	f.settle()
	if err := os.Remove(f.path("fork")); err != nil {
		t.Fatal(err)
	}
	f.rows("fork", took(rowAt(1*time.Second, "u1"), "parent"), rowAt(5*time.Second, "own"))
	f.says("fork", 6*time.Second, events.TurnEnded{})
	f.wantLinks(map[string][]events.SessionLinked{"fork": linkTo("parent", "u1")})
}

// A link that the log has is not added to.
func TestForkThatAnImportLinked(t *testing.T) {
	t.Parallel()
	f := newTranscripts(t)
	f.rows("parent", rowAt(1*time.Second, "u1"))
	f.rows("fork", took(rowAt(1*time.Second, "u1"), "parent"), rowAt(5*time.Second, "own"))
	f.says("fork", 1*time.Second, linkTo("parent", "u0")[0])
	f.forks("fork", 3*time.Second)
	f.says("fork", 6*time.Second, events.TurnEnded{})
	f.wantLinks(map[string][]events.SessionLinked{"fork": linkTo("parent", "u0")})
}

// A session that is not a fork, an echo, and a fork without any sign of its parent stay unlinked and cause no trouble.
func TestForkWithoutParent(t *testing.T) {
	t.Parallel()
	f := newTranscripts(t)
	f.rows("parent", rowAt(1*time.Second, "u1"))
	write(t, f.path("garbage"), "\x00\xff{\n\n")
	if err := os.Mkdir(f.path("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	f.rows("alone", rowAt(1*time.Second, "x1"), rowAt(5*time.Second, "x2"))
	f.rows("resumed", took(rowAt(1*time.Second, "u1"), "parent"), rowAt(5*time.Second, "own"))
	f.says("resumed", 3*time.Second, events.SessionStarted{Source: "resume", Transcript: f.path("resumed")})
	f.says("nowhere", 3*time.Second, events.SessionStarted{Source: "fork"})
	lane := about(3 * time.Second)
	lane.Session, lane.Lane = "resumed", "agent"
	f.handle(report(t, lane, events.SessionStarted{Source: "fork", Transcript: f.path("resumed")})...)
	stranger := about(3 * time.Second)
	stranger.Session, stranger.Agent = "stranger", "unheard-of"
	f.handle(report(t, stranger, events.SessionStarted{Source: "fork", Transcript: f.path("resumed")})...)
	for _, s := range []string{"garbage", "alone", "gone"} {
		f.forks(s, 3*time.Second)
	}
	for i, s := range []string{"resumed", "nowhere", "garbage", "alone", "gone", "stranger"} {
		at := time.Duration(4+i) * time.Second
		f.says(s, at, events.PromptSubmitted{Text: s})
		f.says(s, at, events.TurnEnded{})
		f.says(s, at, events.SessionEnded{})
	}
	f.wantLinks(map[string][]events.SessionLinked{})
	if s := f.status(); s.Problem != "" {
		t.Errorf("trouble: %s", s.Problem)
	}
	f.forks("folder", 20*time.Second)
	f.says("folder", 21*time.Second, events.TurnEnded{})
	testutil.Eventually(t, "the trouble", func() bool { return f.status().Problem != "" })
}
