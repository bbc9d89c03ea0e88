package main

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"journal/events"
	"journal/journal"
	"journal/journal/transcript"
)

// record is what the log holds, as far as it tells which steps of a transcript are
// in it (DECISIONS 2.8).
type record struct {
	ids      map[string]string // session by id, of imported events
	uses     map[string]placed // by occurrence key, of tool calls
	prompts  map[string]placed // by prompt id
	lanes    map[laneName]*laneRecord
	sessions map[string]bool
}

type placed struct {
	session string
	seq     uint64
}

type laneName struct{ session, lane string }

// laneRecord is what hooks told of a lane that has no identity but its words and
// its place.
type laneRecord struct {
	said        []saying // in the order of the log
	compactions []uint64
	started     bool
}

func newRecord() *record {
	return &record{
		ids: map[string]string{}, uses: map[string]placed{}, prompts: map[string]placed{},
		lanes: map[laneName]*laneRecord{}, sessions: map[string]bool{},
	}
}

// recordOf reads the whole log: a fork may have taken its rows from any session.
func recordOf(ctx context.Context, log *journal.Log) (*record, error) {
	r := newRecord()
	for e, err := range log.Events(ctx, events.Span{}) {
		switch {
		case errors.Is(err, journal.ErrHole), errors.Is(err, events.ErrMalformed):
			return r, damaged(err)
		case err != nil:
			return r, err
		}
		r.note(e)
	}
	return r, nil
}

func (r *record) lane(session, lane string) *laneRecord {
	name := laneName{session, lane}
	if r.lanes[name] == nil {
		r.lanes[name] = &laneRecord{}
	}
	return r.lanes[name]
}

func (r *record) note(e events.Envelope) {
	r.sessions[e.Session] = true
	if derived(e.ID) {
		r.ids[e.ID] = e.Session
	}
	if e.EchoOf != 0 || e.Agent == "" || events.Reserved(e.Type) {
		return
	}
	l := r.lane(e.Session, e.Lane)
	if derived(e.ID) { // an import's own; it is known by the id
		l.started = l.started || e.Type == events.TypeOf[events.SessionStarted]()
		return
	}
	at := placed{e.Session, e.Seq}
	if strings.HasPrefix(e.Key, events.ToolKey) {
		if _, known := r.uses[e.Key]; !known {
			r.uses[e.Key] = at
		}
		return
	}
	ev, err := events.Open(e)
	if err != nil {
		return // verify says so
	}
	switch ev := ev.(type) {
	case events.SessionStarted:
		l.started = true
	case events.ContextRestarted:
		l.compactions = append(l.compactions, e.Seq)
	case events.PromptSubmitted:
		if _, known := r.prompts[e.Turn]; !known && e.Turn != "" && !ev.Machine {
			r.prompts[e.Turn] = at
		}
	}
	if s := signature(ev); s != 0 {
		l.said = append(l.said, saying{s, e.Seq})
	}
}

// derived says whether an id was derived rather than made anew: a UUID of version 5.
func derived(id string) bool { return len(id) == 36 && id[14] == '5' }

// marks says of the steps of one lane what the log holds of them, and where the
// compactions are that hooks told.
func (r *record) marks(session, lane string, steps []importStep) (marks []transcript.Mark, compactions []uint64) {
	l := r.lanes[laneName{session, lane}]
	if l == nil {
		l = &laneRecord{}
	}
	marks = make([]transcript.Mark, len(steps))
	for i, s := range steps {
		m := &marks[i]
		switch s.report.Hook.Kind {
		case events.TurnEnd, events.SubagentEnd, events.TurnFail, events.ToolEnd:
			m.Told = true
		case events.ContextRestart, events.CompactIntent, events.CompactEnd:
			m.Compaction = true
		}
		switch at, known := r.find(s); {
		case !known:
		case at.session == session:
			m.State, m.Seq = transcript.Held, at.seq
		default:
			m.State = transcript.Elsewhere
		}
	}
	l.bySaying(marks, steps)
	for i, s := range steps {
		if marks[i].State == transcript.Unknown && s.sure {
			marks[i].State = transcript.Missing
		}
	}
	return marks, l.compactions
}

// find finds a step by its identity: its own id from an earlier import, that of
// the tool call, else the prompt's.
func (r *record) find(s importStep) (placed, bool) {
	if in := r.ids[s.ids[0]]; in != "" {
		return placed{session: base(in)}, true
	}
	switch hook := s.report.Hook; {
	case hook.Kind == events.ToolEnd:
		at, known := r.uses[s.report.Key]
		return at, known
	case hook.Kind == events.PromptSubmit && hook.Turn != "":
		at, known := r.prompts[hook.Turn]
		return at, known
	}
	return placed{}, false
}

// bySaying finds the steps without an identity by what was said, between each two
// that have one.
func (l *laneRecord) bySaying(marks []transcript.Mark, steps []importStep) {
	low := uint64(0)
	for from := 0; from <= len(steps); {
		to := from
		for to < len(steps) && marks[to].Seq <= low {
			to++
		}
		high := uint64(math.MaxUint64)
		if to < len(steps) {
			high = marks[to].Seq
		}
		var open []int // steps to be found
		for i := from; i < to; i++ {
			if marks[i].State == transcript.Unknown && !marks[i].Compaction && steps[i].what != 0 {
				open = append(open, i)
			}
		}
		begin, _ := slices.BinarySearchFunc(l.said, low+1, bySeq)
		end, _ := slices.BinarySearchFunc(l.said, high, bySeq)
		for _, p := range align(open, l.said[begin:end], steps, low == 0 && to < len(steps)) {
			marks[p.step].State, marks[p.step].Seq = transcript.Held, p.seq
		}
		if to < len(steps) {
			low = marks[to].Seq
		}
		from = to + 1
	}
}

func bySeq(s saying, seq uint64) int { return cmp.Compare(s.seq, seq) }

// base is the session that an imported part belongs to.
func base(session string) string {
	i := strings.LastIndexByte(session, '~')
	if i < 0 {
		return session
	}
	if _, err := strconv.Atoi(session[i+1:]); err != nil {
		return session
	}
	return session[:i]
}

// part names a new part of a session, from the n-th: 1 is what lies before the
// first hook, the others are what hooks missed in between (DECISIONS 2.8).
func (r *record) part(session string, n int) string {
	for ; ; n++ {
		name := session + "~" + strconv.Itoa(n)
		if !r.sessions[name] {
			r.sessions[name] = true
			return name
		}
	}
}
