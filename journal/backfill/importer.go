package backfill

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"journal/events"
	"journal/journal/client"
	"journal/journal/redact"
	"journal/journal/transcript"
)

// Options are the choices of an import.
type Options struct {
	// Send makes what is added durable. Nil: nothing is added, and the summary says what would be.
	Send Send
	// Progress, when not nil, gets the bytes that were read.
	Progress func(done int64)
}

// Import adds to the log what it does not hold of transcripts, one after the other, in the order
// in which Transcripts gives them. The inventory is that of the log; what is added is noted there.
// Transcripts before one that ends with an error are imported.
func Import(ctx context.Context, files []File, inv *Inventory, o Options) (*Summary, error) {
	im := importer{inventory: inv, outbox: outbox{send: o.Send}, sum: &Summary{
		Files: []FileSummary{}, Types: map[events.Type]int{}, DryRun: o.Send == nil, sessions: map[string]bool{},
	}, readers: map[*transcript.Format]func(*os.File) transcript.Reader{}}
	im.read = func(n int64) {
		if im.sum.Bytes += n; o.Progress != nil {
			o.Progress(im.sum.Bytes)
		}
	}
	for _, f := range files {
		if err := im.file(ctx, f); err != nil {
			return im.sum, fmt.Errorf("import %s: %w", f.path, err)
		}
	}
	im.sum.Spooled = im.outbox.spooled
	return im.sum, nil
}

type importer struct {
	inventory *Inventory
	outbox    outbox
	sum       *Summary
	read      func(bytes int64)
	readers   map[*transcript.Format]func(*os.File) transcript.Reader
}

// file imports one transcript.
func (im *importer) file(ctx context.Context, f File) error {
	doc := FileSummary{Path: f.path, Skip: f.skip}
	defer func() { im.sum.add(doc) }()
	if f.skip != "" {
		return nil
	}
	in, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer in.Close()
	read := im.readers[f.form]
	if read == nil {
		read = f.form.Readers(im.read)
		im.readers[f.form] = read
	}
	r := read(in)
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
		err = im.outbox.flush(ctx)
	}
	if errors.Is(err, client.ErrPaused) { // the person said so of this project
		doc.Skip, doc.Events = "recording is paused", 0
		im.outbox.drop()
		return nil
	}
	return err
}

// lane imports what the log lacks of one lane (J.5).
func (im *importer) lane(ctx context.Context, doc *FileSummary, lane string, steps []step) error {
	session := doc.Session
	started := im.inventory.lane(session, lane).started
	var start []step // belongs to whatever is imported first
	if h := steps[0].report.Hook; h.Kind == events.SessionStart {
		start, steps = steps[:1], steps[1:]
		started = started || im.inventory.ids[start[0].ids[0]] != ""
	}
	marks, compactions := im.inventory.marks(session, lane, steps)
	plan := transcript.Cut(marks, compactions)
	doc.Common += plan.Fork
	before, after := steps[plan.Before.From:plan.Before.To], steps[plan.After.From:plan.After.To]
	if tells(before) {
		part := im.inventory.part(session, 1)
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
		part := im.inventory.part(session, 2)
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
		from := base(im.inventory.home(first))
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

// link tells of a session what an import found, beside the step that shows it.
func (im *importer) link(ctx context.Context, doc *FileSummary, s step, ev events.Event) error {
	m := s.all[0].Meta
	e, err := events.Wrap(events.MapText(ev, redact.Text), events.Meta{
		At: m.At, Agent: m.Agent, Session: doc.Session, Lane: m.Lane, Project: m.Project, Rules: int(redact.RuleSet),
	})
	if err != nil {
		return err
	}
	e.ID = events.DerivedID("transcript", string(e.Type), doc.Session, m.ID)
	if l, ok := ev.(events.SessionLinked); ok && l.How == "fork" {
		e.ID = events.ForkID(m.Project, doc.Session)
	}
	return im.put(ctx, doc, s.report.Hook.Root, e)
}

// under imports steps into a session.
func (im *importer) under(ctx context.Context, doc *FileSummary, session string, steps []step) error {
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

func (im *importer) put(ctx context.Context, doc *FileSummary, root string, es ...events.Envelope) error {
	es = slices.DeleteFunc(slices.Clone(es), func(e events.Envelope) bool { return im.inventory.ids[e.ID] != "" })
	if len(es) == 0 {
		return nil
	}
	for _, e := range es {
		im.inventory.note(e)
		im.sum.Types[e.Type]++
	}
	doc.Events += len(es)
	return im.outbox.add(ctx, root, es...)
}
