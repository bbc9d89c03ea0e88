// Package day reports the work of one session between two times: requests, written files, decisions, refusals, failures,
// and open work. It reads only a source, and no clock.
package day

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/knowledge"
)

// maxPause is the longest time between two events of a session that counts as work.
const maxPause = 15 * time.Minute

// Session is the work of one session between two times, by the events' own clocks.
type Session struct {
	Session     string            `json:"session"`
	Project     string            `json:"project"`
	Root        string            `json:"root"`
	Agent       string            `json:"agent"`
	Headless    bool              `json:"headless"`  // a program started it, and no person used it
	Title       string            `json:"title"`     // the client's own, else the first request of the session that was not taken back
	From        projections.Stamp `json:"from"`      // first event of the span
	To          projections.Stamp `json:"to"`        // last event of the span
	Seconds     int64             `json:"seconds"`   // time of work
	Asked       []Quote           `json:"asked"`     // requests of the person, oldest first
	Written     []string          `json:"written"`   // paths of files written and edited, last used first; those of subagents last
	Failed      []Failure         `json:"failed"`    // failed commands worth reporting (see reading.failed), oldest first
	Decisions   []Quote           `json:"decisions"` // decisions of the span that hold at its end
	Refused     []Refusal         `json:"refused"`
	Open        []Quote           `json:"open"`        // todos open at the end of the span
	Skill       string            `json:"skill"`       // skill running at the end of the span, and its phase; empty for none
	Compactions int               `json:"compactions"` // number of compactions
	Cleared     int               `json:"cleared"`     // number of times that the client dropped a part of the context without a compaction
	Offered     int               `json:"offered"`     // number of different items in recovery texts
	// Tokens is the growth of the lanes' contexts in the span, as far as the agent reported it: a lower bound of the tokens
	// read and written.
	Tokens int64 `json:"tokens"`
	// Used counts the requests of the span. The caller sets it, because some requests may be only in transcripts.
	Used Used `json:"used"`
}

// Used counts requests to models and their tokens.
type Used struct {
	Requests int           `json:"requests"`
	Tokens   events.Tokens `json:"tokens"`
}

// Quote is a text and the event that holds it.
type Quote struct {
	Seq  uint64 `json:"seq"`
	Text string `json:"text"`
}

// Failure is a failed command. Fixed is set if a later run of the same task replaced it, passed or failed.
type Failure struct {
	Seq     uint64 `json:"seq"`
	Command string `json:"command"`
	Error   string `json:"error"`
	Fixed   bool   `json:"fixed"`
}

// Refusal is a tool call that the person refused.
type Refusal struct {
	Seq    uint64 `json:"seq"`
	Tool   string `json:"tool"`
	Target string `json:"target"` // the command or the path, empty if unknown
	Words  string `json:"text"`   // the person's reason, empty for none
}

// List is one of the lists that describe a session.
type List struct {
	Name  string // asked, wrote, failed, fixed, decided, refused or open
	Lines []string
}

// Lists returns the lists that describe a session, also the empty ones. fixedText returns the text for n fixed commands.
func (s Session) Lists(fixedText func(n int) string) []List {
	var refused, fixed []string
	for _, r := range s.Refused {
		refused = append(refused, r.String())
	}
	failed, n := s.unfixed()
	if n > 0 {
		fixed = []string{fixedText(n)}
	}
	return []List{
		{"asked", textsOf(s.Asked)}, {"wrote", s.files()}, {"failed", failed}, {"fixed", fixed},
		{"decided", textsOf(s.Decisions)}, {"refused", refused}, {"open", textsOf(s.Open)},
	}
}

// String returns the call and the person's reason.
func (r Refusal) String() string {
	call := strings.TrimSpace(r.Tool + " " + r.Target)
	if r.Words != "" {
		call += ": " + r.Words
	}
	return call
}

// ByProject groups sessions by project, in the order of their first sessions.
func ByProject(all []Session) (projects [][]Session) {
	for _, s := range all {
		i := slices.IndexFunc(projects, func(p []Session) bool { return p[0].Project == s.Project })
		if i < 0 {
			i = len(projects)
			projects = append(projects, nil)
		}
		projects[i] = append(projects[i], s)
	}
	return projects
}

// textsOf returns the texts of quotes.
func textsOf(quotes []Quote) (texts []string) {
	for _, q := range quotes {
		texts = append(texts, q.Text)
	}
	return texts
}

// files returns the paths of the written files. Those below the root are relative to it.
func (s Session) files() []string {
	short := make([]string, len(s.Written))
	for i, p := range s.Written {
		if rel, err := filepath.Rel(s.Root, p); s.Root != "" && err == nil && filepath.IsLocal(rel) {
			p = rel
		}
		short[i] = p
	}
	return short
}

// unfixed returns the failed commands that were not fixed, and the number of those that were fixed.
func (s Session) unfixed() (commands []string, fixed int) {
	for _, f := range s.Failed {
		if f.Fixed {
			fixed++
		} else {
			commands = append(commands, f.Command)
		}
	}
	return commands, fixed
}

// OpenWork returns a text about the open work, empty for none. open returns the text for n open todos.
func (s Session) OpenWork(open func(n int) string) string {
	var parts []string
	if s.Skill != "" {
		parts = append(parts, s.Skill)
	}
	if n := len(s.Open); n > 0 {
		parts = append(parts, open(n)+": "+s.Open[0].Text)
	}
	return strings.Join(parts, ", ")
}

// Unfinished reports whether a person's session has open work.
func (s Session) Unfinished() bool { return !s.Headless && (len(s.Open) > 0 || s.Skill != "") }

// Sort sorts sessions for a person: the newest first, and headless ones behind all others.
func Sort(all []Session) {
	slices.SortStableFunc(all, func(a, b Session) int {
		switch {
		case a.Headless && !b.Headless:
			return 1
		case b.Headless && !a.Headless:
			return -1
		}
		return b.To.Time().Compare(a.To.Time())
	})
}

// Of reports the work of a session from one time up to, but excluding, another. ok is false if the session has no event then but
// events.Bookkeeping. It returns the error of src.
func Of(ctx context.Context, src replay.Source, t projections.Target, from, to time.Time) (s Session, ok bool, err error) {
	r := reading{offered: map[string]bool{}, context: map[string]int64{}, fold: projections.NewFold(t, projections.Config{}, slices.Concat(knowledge.Needs(), []projections.Projection{projections.SessionInfo, projections.LastCompact})...)}
	for e, err := range src.Events(ctx, events.Span{}, events.Selector{Project: t.Project, Session: t.Session}) {
		if err != nil {
			return s, false, fmt.Errorf("read session %s: %w", t.Session, err)
		}
		if !e.Time().Before(to) {
			continue
		}
		if err := r.apply(ctx, src, e, from); err != nil {
			return s, false, fmt.Errorf("read session %s: %w", t.Session, err)
		}
	}
	if r.first == 0 {
		return s, false, nil
	}
	return r.session(), true, nil
}

// reading holds what was read of a session.
type reading struct {
	fold        *projections.Fold
	title       string
	first       uint64    // sequence of the first event of the span, 0 for none yet
	from, to    time.Time // times of the first and the latest event of the span
	worked      time.Duration
	compactions []events.Meta // first facts of the compactions
	cleared     int
	offered     map[string]bool // ids of items
	tokens      int64
	context     map[string]int64 // lane → tokens in its context
}

// apply applies the next event, which is before the end of the span. The span begins at from. It returns the error of src.
func (r *reading) apply(ctx context.Context, src replay.Source, e events.Envelope, from time.Time) error {
	compactions := projections.LastCompact.In(r.fold).Count
	if err := replay.Apply(ctx, src, r.fold, e); err != nil {
		return err
	}
	if r.title == "" {
		r.title = replay.TitleIn(e)
	}
	rewound := e.Type == events.TypeOf[events.ConversationRewound]()
	if rewound {
		title, err := replay.Title(ctx, src, r.fold.Target())
		if err != nil {
			return err
		}
		r.title = title
	}
	r.title = cmp.Or(replay.TitleOf(projections.SessionInfo.In(r.fold)), r.title)
	at := e.Time()
	if e.EchoOf != 0 {
		return nil
	}
	if e.Type == events.TypeOf[events.UsageSampled]() {
		r.addSample(e, !at.Before(from))
	}
	if at.Before(from) {
		return nil
	}
	if e.Type == events.TypeOf[events.RecoveryGiven]() {
		r.addOffered(e)
		return nil
	}
	if events.Bookkeeping(e.Type) {
		return nil
	}
	if r.first == 0 {
		r.first, r.from, r.to = e.Seq, at, at
	}
	if gap := at.Sub(r.to); gap > 0 {
		r.to = at
		if gap <= maxPause {
			r.worked += gap
		}
	}
	if projections.LastCompact.In(r.fold).Count > compactions && !rewound {
		r.compactions = append(r.compactions, e.Meta)
	}
	if e.Type == events.TypeOf[events.ContextCleared]() {
		r.cleared++
	}
	return nil
}

// addSample records the size of a lane's context, and if it is within the span, its growth.
func (r *reading) addSample(e events.Envelope, within bool) {
	if u, ok := events.As[events.UsageSampled](e); ok && u.Tokens > 0 {
		if within {
			r.tokens += max(0, u.Tokens-r.context[e.Lane])
		}
		r.context[e.Lane] = u.Tokens
	}
}

// addOffered records the items of a recovery text.
func (r *reading) addOffered(e events.Envelope) {
	if g, ok := events.As[events.RecoveryGiven](e); ok {
		for _, id := range g.Items {
			r.offered[id] = true
		}
	}
}

// within reports whether an event is the first one of the span, or after it in the log.
func (r *reading) within(seq uint64) bool { return seq >= r.first }

// session returns the work of the session in the span.
func (r *reading) session() Session {
	t, info := r.fold.Target(), projections.SessionInfo.In(r.fold)
	s := Session{
		Session: t.Session, Project: t.Project, Root: info.Root, Agent: info.Agent, Headless: info.Headless, Title: r.title,
		From: projections.Stamp(r.from.UnixNano()), To: projections.Stamp(r.to.UnixNano()), Seconds: int64(r.worked / time.Second),
		Asked: []Quote{}, Written: []string{}, Failed: r.failed(), Decisions: []Quote{}, Refused: []Refusal{}, Open: []Quote{},
		Cleared: r.cleared, Offered: len(r.offered), Tokens: r.tokens,
	}
	for _, m := range r.compactions {
		if !r.fold.TakenBack(m) {
			s.Compactions++
		}
	}
	for p := range projections.Prompts.In(r.fold).All() {
		if r.within(p.Seq) && !p.Compact {
			s.Asked = append(s.Asked, Quote{p.Seq, p.Text})
		}
	}
	for _, files := range []projections.FilesState{projections.Files.In(r.fold), projections.SubagentFiles.In(r.fold)} {
		for f := range files.All() {
			isSame := func(path string) bool { return projections.Slashed(path) == projections.Slashed(f.Path) }
			if f.WrittenSeq > 0 && r.within(f.WrittenSeq) && !slices.ContainsFunc(s.Written, isSame) {
				s.Written = append(s.Written, f.Path)
			}
		}
	}
	for d := range projections.Decisions.In(r.fold).All() {
		if r.within(d.Seq) && d.Holds() {
			s.Decisions = append(s.Decisions, Quote{d.Seq, d.Text})
		}
	}
	for c := range projections.Refusals.In(r.fold).All() {
		if r.within(c.Seq) {
			s.Refused = append(s.Refused, Refusal{c.Seq, c.Tool, c.Target, c.Words})
		}
	}
	for _, todo := range projections.Todos.In(r.fold).Open() {
		s.Open = append(s.Open, Quote{todo.Seq, todo.Text})
	}
	if p := projections.Phase.In(r.fold); p.Active() {
		s.Skill = p.Skill + ", " + p.Phase
	}
	return s
}

// failed lists the failed commands of the span that knowledge.Rate rates as failures. It leaves out others, such as commands that
// only read.
func (r *reading) failed() []Failure {
	all, rate := []Failure{}, knowledge.Rate(r.fold)
	for c := range projections.Commands.In(r.fold).All() {
		if c.OK || c.Undecided() || !r.within(c.Seq) {
			continue
		}
		worth := rate(knowledge.Item{Kind: knowledge.Failure, Seq: c.Seq, Text: c.Command, Detail: c.Error})
		if fixed := worth.Rerun(); fixed || worth.Passed() || worth.Stands() {
			all = append(all, Failure{c.Seq, c.Command, c.Error, fixed})
		}
	}
	return all
}
