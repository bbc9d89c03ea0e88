package audit

import (
	"slices"

	"journal/events"
	"journal/replay/knowledge"
)

// evidenceTypes are the types of events that collect reads.
var evidenceTypes = map[events.Type]bool{
	events.TypeOf[events.FileObserved](): true, events.TypeOf[events.PromptSubmitted](): true,
	events.TypeOf[events.FileRead](): true, events.TypeOf[events.FileWritten](): true, events.TypeOf[events.SummaryImported](): true,
	events.TypeOf[events.RecoveryGiven](): true, events.TypeOf[events.DeliveryConfirmed](): true,
	events.TypeOf[events.CompactionCompleted](): true, events.TypeOf[events.CompoundFinished](): true, events.TypeOf[events.AuditJudged](): true,
}

// collect records an event that is evidence about items. own reports whether the event is of the audited lane.
func (p *pass) collect(e events.Envelope, own bool) {
	if !evidenceTypes[e.Type] || e.EchoOf != 0 || e.Project != p.fold.Target().Project {
		return
	}
	ev, err := events.Open(e)
	if err != nil {
		return // journal verify reports it
	}
	switch ev := ev.(type) {
	case events.FileObserved:
		p.files[ev.Path] = observation{ev, e.Seq, e.Agent}
	case events.CompoundFinished:
		for _, id := range ev.Entries {
			p.named[id] = e.Seq
		}
	}
	if !own {
		return
	}
	if about := knowledge.Subjects(ev); about != nil {
		p.subjects[e.Seq] = about
	}
	if len(p.episodes) > 0 {
		p.assign(ev, e.Seq)
	}
}

// assign adds an event of the audited lane to the episode that it is about.
func (p *pass) assign(ev events.Event, seq uint64) {
	newest := p.episodes[len(p.episodes)-1]
	switch ev := ev.(type) {
	case events.RecoveryGiven:
		newest.offered = append(newest.offered, newOfferedText(ev, seq))
	case events.DeliveryConfirmed:
		p.receive(delivery{DeliveryConfirmed: ev, seq: seq})
	case events.CompactionCompleted:
		if newest.compaction.SummarySeq == seq {
			newest.summary = ev.Summary
		}
	case events.SummaryImported:
		p.summarise(ev, seq)
	case events.AuditJudged:
		for _, ep := range p.episodes {
			if ep.compaction.Seq == ev.Compaction && !p.byRules {
				ep.judgements = append(ep.judgements, judgedItems{ev, seq})
			}
		}
	}
}

// summarise adds an imported summary to the episode of its compaction, unless the episode has a summary.
func (p *pass) summarise(e events.SummaryImported, seq uint64) {
	for _, s := range slices.Backward(p.episodes) {
		if s.compaction.Seq <= e.Compaction {
			if s.summary == "" {
				s.summary, s.compaction.SummarySeq = e.Summary, seq
			}
			return
		}
	}
}

// SummaryIn returns the summary in an event; empty for none. It returns the error of events.Open.
func SummaryIn(e events.Envelope) (string, error) {
	ev, err := events.Open(e)
	switch ev := ev.(type) {
	case events.CompactionCompleted:
		return ev.Summary, err
	case events.SummaryImported:
		return ev.Summary, err
	}
	return "", err
}

// receive adds a delivery to the episode of its compaction, or if it has no number to that of its recovery text. That may be an older
// episode, because transcripts are read later. Without either, it is the newest episode.
func (p *pass) receive(r delivery) {
	target := p.episodes[len(p.episodes)-1]
	for _, e := range p.episodes {
		belongs := e.compaction.Count == r.Compaction
		if r.Compaction == 0 {
			belongs = slices.ContainsFunc(e.offered, func(o offeredText) bool { return o.seq == r.Recovery })
		}
		if belongs {
			target = e
		}
	}
	target.deliveries = append(target.deliveries, r)
}
