package ui

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/projections"
	"journal/replay/audit"
)

// body is the content of an event for a page: words, or a call with its outcome.
type body struct {
	Words   string   // markdown
	Command string   // the command line of a command, the path of a written file
	Chips   []string // exit code, duration, outcome
	Output  string
	Added   []string // the first lines of each change of a file; an event has no more of them
	Changed int      // number of changed lines
	Cut     bool     // a text was cut
}

// body returns the body of an event, with words, command and output cut after wholeBytes. It is the zero value for an event that is
// not found, has no body, or cannot be opened.
func (s *Server) body(ctx context.Context, t projections.Target, seq uint64) (b body, err error) {
	e, found, err := s.log.event(ctx, t, seq)
	if err != nil || !found {
		return b, err
	}
	ev, err := events.Open(e)
	if err != nil {
		return b, nil // it cannot be shown
	}
	b = bodyOf(ev)
	for _, long := range []*string{&b.Words, &b.Output, &b.Command} {
		if len(*long) > wholeBytes {
			*long, b.Cut = (*long)[:text.Before(*long, wholeBytes)]+"…", true
		}
	}
	return b, nil
}

// bodyOf returns the whole body of an event.
func bodyOf(ev events.Event) (b body) {
	switch e := ev.(type) {
	case events.PromptSubmitted:
		b.Words = e.Text
	case events.TurnEnded:
		b.Words = e.Text
	case events.PlanApproved:
		b.Words = e.Text
	case events.NoteRecorded:
		b.Words = e.Text
	case events.DecisionRecorded:
		b.Words = e.Text
	case events.CheckpointRecorded:
		b.Words = e.Summary
	case events.SubagentTasked:
		b.Words = e.Text
	case events.SubagentEnded:
		b.Words = e.Text
	case events.SummaryImported:
		b.Words = visible(e.Summary)
	case events.CompactionCompleted:
		b.Words = visible(e.Summary)
	case events.CommandRan:
		b.Command, b.Output = e.Command, cmp.Or(e.Output, e.Error)
		if e.Exit != 0 {
			b.Chips = append(b.Chips, "exit "+strconv.Itoa(e.Exit))
		}
		b.Chips = append(b.Chips, took(e.Millis)...)
		if e.Outcome != "" {
			b.Chips = append(b.Chips, e.Outcome)
		}
	case events.ToolUsed:
		b.Output, b.Chips = e.Error, took(e.Millis)
	case events.FileWritten:
		for _, p := range e.Passages {
			b.Command = e.Path
			b.Added = append(b.Added, p.Lines...)
			b.Changed += max(p.Count, len(p.Lines))
		}
	}
	return b
}

// visible returns the part of a summary that the model sees.
func visible(summary string) string {
	from, to := audit.SeenRange(summary)
	return summary[from:to]
}

// took describes how long a call took; nothing if that is unknown.
func took(millis int64) []string {
	switch d := time.Duration(millis) * time.Millisecond; {
	case d == 0:
		return nil
	case d < time.Minute:
		return []string{fmt.Sprintf("%.1f s", d.Seconds())}
	default:
		return []string{fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)}
	}
}
