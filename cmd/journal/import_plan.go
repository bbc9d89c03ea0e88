package main

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"journal/events"
	"journal/journal"
	"journal/journal/transcript"
	"journal/projections"
)

// The parts of a session that was imported as well as hooked (DECISIONS 2.8).
const (
	beforeHooks = "~1" // what lies before the first event that a hook told
	holesOf     = "~2" // what hooks missed in between
)

// onRecord is what the log knows of one lane of a session, for telling which steps
// of its transcript it holds.
type onRecord struct {
	any         bool
	ids         map[string]bool // of events, also of the imported parts
	keys        map[string]bool // occurrence keys of tool calls
	prompts     map[string]bool // texts
	answers     map[string]bool // texts at the ends of turns
	compactions int
}

// onRecordOf reads what the log knows of a lane.
func onRecordOf(ctx context.Context, log *journal.Log, t projections.Target) (onRecord, error) {
	r := onRecord{ids: map[string]bool{}, keys: map[string]bool{}, prompts: map[string]bool{}, answers: map[string]bool{}}
	if log == nil {
		return r, nil
	}
	for _, part := range []string{"", beforeHooks, holesOf} {
		for e, err := range log.Events(ctx, events.Span{}, events.Selector{Session: t.Session + part}) {
			if err != nil {
				return r, err
			}
			r.ids[e.ID] = true
			if part != "" || e.Lane != t.Lane || e.EchoOf != 0 {
				continue
			}
			if err := r.note(e); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

func (r *onRecord) note(e events.Envelope) error {
	if events.Reserved(e.Type) {
		return nil
	}
	ev, err := events.Open(e)
	if err != nil {
		return err
	}
	r.any = true
	switch ev := ev.(type) {
	case events.PromptSubmitted:
		r.prompts[ev.Text] = true
	case events.TurnEnded:
		r.answers[ev.Text] = true
	case events.SubagentEnded:
		r.answers[ev.Text] = true
	case events.CompactionCompleted:
		r.compactions++
	}
	if strings.HasPrefix(e.Key, events.ToolKey) {
		r.keys[e.Key] = true
	}
	return nil
}

// stretch is what one hook would have said, ready to be appended.
type stretch struct {
	what   string
	events []events.Envelope
	root   string
	known  bool // the log holds it
}

// planned is what an import of one transcript does.
type planned struct {
	target  projections.Target
	before  []stretch // goes to the session's predecessor
	holes   []stretch
	after   []stretch // goes to the session itself
	covered int       // steps that the log holds
}

// plan cuts a transcript at the edges of what hooks recorded.
func plan(steps []stretch, t projections.Target, known onRecord) planned {
	p := planned{target: t}
	first, last := -1, -1
	for i := range steps {
		if steps[i].known {
			p.covered++
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	switch {
	case first < 0 && known.any:
		p.before = steps
	case first < 0:
		p.after = steps
	default:
		p.before, p.after = steps[:first], steps[last+1:]
		for _, s := range steps[first : last+1] {
			if !s.known {
				p.holes = append(p.holes, s)
			}
		}
	}
	if !tells(p.before) {
		p.before = nil
	}
	if !tells(p.holes) {
		p.holes = nil
	}
	return p
}

// tells says whether something happened in a stretch that is worth a session of
// its own: the beginnings and ends of turns alone are not.
func tells(steps []stretch) bool {
	for _, s := range steps {
		if s.what == "UserPromptSubmit" || strings.HasPrefix(s.what, "PostToolUse") || s.what == "PostCompact" {
			return true
		}
	}
	return false
}

// stretches makes the events of the steps of a transcript, under ids that a second
// import derives alike.
func stretches(r *transcript.Reader, known func(projections.Target) (onRecord, error)) (steps []stretch, t projections.Target, log onRecord, err error) {
	compactions := 0
	for n := 0; ; n++ {
		step, err := r.Next()
		if err != nil {
			if isEnd(err) {
				return steps, t, log, nil
			}
			return steps, t, log, err
		}
		hook := step.Report.Hook
		if hook.Broken != "" {
			continue
		}
		envelopes, err := envelopesOf(step.Report)
		if err != nil {
			return steps, t, log, err
		}
		row := step.Row
		if row == "" {
			row = strconv.Itoa(n)
		}
		for i := range envelopes {
			envelopes[i].ID = events.DerivedID("import", hook.Session, hook.Lane, row, step.What, strconv.Itoa(i))
			if i > 0 {
				envelopes[i].Cause = envelopes[0].ID
			}
		}
		if t.Session == "" {
			t = projections.Target{Project: envelopes[0].Project, Session: hook.Session, Lane: hook.Lane}
			if log, err = known(t); err != nil {
				return steps, t, log, err
			}
		}
		s := stretch{what: step.What, events: envelopes, root: hook.Root}
		if step.What == "PostCompact" || step.What == "SessionStart" && hook.Kind == events.ContextRestart {
			if step.What == "SessionStart" {
				compactions++
			}
			s.known = log.ids[envelopes[0].ID] || compactions <= log.compactions
		} else {
			s.known = log.holds(step, envelopes)
		}
		steps = append(steps, s)
	}
}

// holds says whether the log has a step: by its own id, by the tool call's, else by
// what was said.
func (r onRecord) holds(step transcript.Step, envelopes []events.Envelope) bool {
	if r.ids[envelopes[0].ID] {
		return true
	}
	hook := step.Report.Hook
	switch hook.Kind {
	case events.ToolEnd:
		return r.keys[step.Report.Key]
	case events.PromptSubmit:
		return r.prompts[hook.Text]
	case events.TurnEnd, events.SubagentEnd:
		return r.answers[hook.Text]
	}
	return false
}

// under puts steps into a part of the session.
func under(steps []stretch, session string) []stretch {
	moved := make([]stretch, len(steps))
	for i, s := range steps {
		moved[i] = s
		moved[i].events = append([]events.Envelope(nil), s.events...)
		for j := range moved[i].events {
			moved[i].events[j].Session = session
		}
	}
	return moved
}

var errNoTranscript = errors.New("no row of a transcript is in it")
