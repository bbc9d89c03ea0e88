package backfill

import (
	"cmp"
	"slices"

	"journal/events"
	"journal/journal/client"
	"journal/journal/hooks"
	"journal/journal/transcript"
)

// step is a step of a transcript under the ids that every import derives.
type step struct {
	report hooks.Report
	row    string
	sure   bool
	what   uint64 // signature of what it says
	all    []events.Envelope
	ids    []string
}

func stepOf(s transcript.Step) (step, error) {
	all, err := client.ReportOf(s.Report.Hook, s.Report.Key)
	if err != nil {
		return step{}, err
	}
	one := step{report: s.Report, row: s.Row, sure: s.Sure, ids: s.IDs(len(all)), all: all}
	for i := range all {
		all[i].ID = one.ids[i]
		if i > 0 {
			all[i].Cause = one.ids[0]
		}
	}
	for _, e := range events.Recognise(s.Report.Hook) {
		one.what = cmp.Or(one.what, signature(e))
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
		return s.sure || s.report.Hook.Kind == events.ContextRestart || s.report.Hook.Kind == events.CompactEnd
	})
}

// gapOf counts what hooks missed.
func gapOf(missed []step, part string) events.SessionGap {
	gap := events.SessionGap{Session: part}
	for _, s := range missed {
		switch s.report.Hook.Kind {
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
