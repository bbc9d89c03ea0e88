package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"journal/events"
	"journal/journal/client"
	"journal/journal/hookrun"
	"journal/journal/hooks"
	"journal/journal/redact"
	"journal/journal/transcript"
)

// importStep is a step of a transcript under the ids that every import derives.
type importStep struct {
	report hooks.Report
	row    string
	sure   bool
	what   uint64 // signature of what it says
	all    []events.Envelope
	ids    []string
}

// importer imports transcripts one after the other.
type importer struct {
	record *record
	send   *sender
	doc    *importDoc
	show   func(int64)
	tasks  transcript.Tasks
}

// file imports one transcript.
func (im *importer) file(ctx context.Context, f importFile) error {
	doc := importedFile{Path: f.path, Skip: f.skip}
	defer func() { im.doc.add(doc) }()
	if f.skip != "" {
		return nil
	}
	in, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := transcript.NewReader(in, &im.tasks, im.show)
	if err != nil {
		return err
	}
	lanes, order, err := stepsOf(r)
	if err != nil {
		return err
	}
	sum := r.Summary()
	doc.Session, doc.Rows, doc.Broken, doc.Compactions = r.Session(), sum.Rows, sum.Broken, sum.Compactions
	for _, lane := range order {
		if err = im.lane(ctx, &doc, lane, lanes[lane]); err != nil {
			break
		}
	}
	if err == nil {
		err = im.send.flush(ctx)
	}
	if errors.Is(err, client.ErrPaused) { // the person said so of this project
		doc.Skip, doc.Events = "recording is paused", 0
		im.send.drop()
		return nil
	}
	return err
}

// stepsOf reads the steps of a transcript, by lane, and the lanes in their order.
func stepsOf(r *transcript.Reader) (lanes map[string][]importStep, order []string, err error) {
	lanes = map[string][]importStep{}
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return lanes, order, nil
		}
		if err != nil {
			return nil, nil, err
		}
		all, err := hookrun.Envelopes(s.Report)
		if err != nil {
			return nil, nil, err
		}
		step := importStep{report: s.Report, row: s.Row, sure: s.Sure, ids: s.IDs(len(all)), all: all}
		for i := range all {
			all[i].ID = step.ids[i]
			if i > 0 {
				all[i].Cause = step.ids[0]
			}
		}
		for _, e := range events.Recognise(s.Report.Hook) {
			step.what = cmp.Or(step.what, signature(e))
		}
		lane := s.Report.Hook.Lane
		if _, known := lanes[lane]; !known {
			order = append(order, lane)
		}
		lanes[lane] = append(lanes[lane], step)
	}
}

// lane imports what the log lacks of one lane (DECISIONS 2.8).
func (im *importer) lane(ctx context.Context, doc *importedFile, lane string, steps []importStep) error {
	session := doc.Session
	started := im.record.lane(session, lane).started
	var start []importStep // belongs to whatever is imported first
	if h := steps[0].report.Hook; h.Kind == events.SessionStart {
		start, steps = steps[:1], steps[1:]
		started = started || im.record.ids[start[0].ids[0]] != ""
	}
	marks, compactions := im.record.marks(session, lane, steps)
	plan := transcript.Cut(marks, compactions)
	doc.Common += plan.Fork
	before, after := steps[plan.Before.From:plan.Before.To], steps[plan.After.From:plan.After.To]
	if tells(before) {
		part := im.record.part(session, 1)
		doc.Before += len(before)
		if err := im.under(ctx, doc, part, slices.Concat(start, before)); err != nil {
			return err
		}
		if err := im.link(ctx, doc, before[0], events.SessionLinked{Session: part, How: "predecessor"}); err != nil {
			return err
		}
		start = nil
	}
	for _, hole := range plan.Holes {
		missed := steps[hole.From:hole.To]
		if !tells(missed) {
			continue
		}
		part := im.record.part(session, 2)
		doc.Missed += len(missed)
		doc.Gaps++
		if err := im.under(ctx, doc, part, missed); err != nil {
			return err
		}
		if err := im.link(ctx, doc, missed[0], gapOf(missed, part)); err != nil {
			return err
		}
	}
	doc.Covered += len(steps) - len(before) - len(after) - plan.Fork
	if started {
		start = nil
	}
	if plan.Fork > 0 && len(after) > 0 {
		first := steps[0]
		from := base(im.record.home(first))
		for i := range start {
			start[i] = asFork(start[i])
		}
		if err := im.link(ctx, doc, first, events.SessionLinked{Session: from, How: "fork", Row: first.row}); err != nil {
			return err
		}
	}
	if len(after) == 0 {
		return nil
	}
	return im.under(ctx, doc, session, slices.Concat(start, after))
}

// home is the session that holds a step.
func (r *record) home(s importStep) string {
	at, _ := r.find(s)
	return at.session
}

// asFork makes the beginning of a session that of a fork.
func asFork(s importStep) importStep {
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
func tells(steps []importStep) bool {
	return slices.ContainsFunc(steps, func(s importStep) bool {
		return s.sure || s.report.Hook.Kind == events.ContextRestart || s.report.Hook.Kind == events.CompactEnd
	})
}

// gapOf counts what hooks missed.
func gapOf(missed []importStep, part string) events.SessionGap {
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

// link tells of a session what an import found, beside the step that shows it.
func (im *importer) link(ctx context.Context, doc *importedFile, s importStep, ev events.Event) error {
	m := s.all[0].Meta
	at := events.Meta{
		At: m.At, Agent: m.Agent, Session: doc.Session, Lane: m.Lane, Project: m.Project,
		ID: events.DerivedID("transcript", string(typeOf(ev)), doc.Session, m.ID), Rules: int(redact.RuleSet),
	}
	if l, ok := ev.(events.SessionLinked); ok && l.How == "fork" {
		at.ID = events.ForkID(m.Project, doc.Session)
	}
	e, err := events.Wrap(events.MapText(ev, redact.Text), at)
	if err != nil {
		return err
	}
	return im.put(ctx, doc, s.report.Hook.Root, e)
}

func typeOf(ev events.Event) events.Type {
	if _, ok := ev.(events.SessionGap); ok {
		return events.TypeOf[events.SessionGap]()
	}
	return events.TypeOf[events.SessionLinked]()
}

// under imports steps into a session.
func (im *importer) under(ctx context.Context, doc *importedFile, session string, steps []importStep) error {
	for _, s := range steps {
		for i := range s.all {
			s.all[i].Session = session
		}
		if err := im.put(ctx, doc, s.report.Hook.Root, s.all...); err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) put(ctx context.Context, doc *importedFile, root string, es ...events.Envelope) error {
	es = slices.DeleteFunc(slices.Clone(es), func(e events.Envelope) bool { return im.record.ids[e.ID] != "" })
	if len(es) == 0 {
		return nil
	}
	for _, e := range es {
		im.record.note(e)
		im.doc.Types[e.Type]++
	}
	doc.Events += len(es)
	return im.send.add(ctx, root, es...)
}
