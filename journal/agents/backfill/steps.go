package backfill

import (
	"cmp"
	"slices"

	"journal/events"
	"journal/journal/agents/transcript"
)

// step is a step of a transcript: what an import has to know of it, and its events under the ids
// that every import derives. A whole transcript of them is in memory, so the texts are there once.
type step struct {
	kind events.HookKind
	turn string
	root string // of the project
	key  string // of the occurrence
	row  string
	sure bool
	what uint64 // signature of what it says
	all  []events.Envelope
	late []events.Envelope // what a hook leaves out of it
}

// id is that of the first event.
func (s step) id() string { return s.all[0].ID }

func stepOf(s transcript.Step, project string) (step, error) {
	h, facts := s.Report.Hook, events.Recognise(s.Report.Hook)
	all, err := s.Events(h.Session, project, facts...)
	if err != nil {
		return step{}, err
	}
	one := step{kind: h.Kind, turn: h.Turn, root: h.Root, key: s.Report.Key, row: s.Row, sure: s.Sure, all: all}
	for _, fact := range facts {
		one.what = cmp.Or(one.what, signature(fact))
	}
	if s.Late != nil {
		late, err := stepOf(*s.Late, project)
		if err != nil {
			return step{}, err
		}
		one.late = late.all
	}
	return one, nil
}

// asFork makes the beginning of a session that of a fork.
func asFork(s step) step {
	ev, err := events.Open(s.all[0])
	start, ok := ev.(events.SessionStarted)
	if err != nil || !ok {
		return s
	}
	start.Source = "fork"
	if e, err := events.Wrap(start, s.all[0].Meta); err == nil {
		e.More = s.all[0].More
		s.all[0] = e
	}
	return s
}

// tells says whether something happened in a stretch that is worth a session of its
// own: the ends of turns and samples alone are not.
func tells(steps []step) bool {
	return slices.ContainsFunc(steps, func(s step) bool {
		return s.sure || s.kind == events.ContextRestart || s.kind == events.CompactEnd
	})
}

// gapOf counts what hooks missed.
func gapOf(missed []step, part string) events.SessionGap {
	gap := events.SessionGap{Session: part}
	for _, s := range missed {
		switch s.kind {
		case events.PromptSubmit:
			gap.Prompts++
		case events.ToolEnd:
			gap.Tools++
		case events.TurnEnd:
			gap.Turns++
		}
	}
	return gap
}
