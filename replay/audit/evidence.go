package audit

import (
	"slices"

	"journal/events"
	"journal/replay/knowledge"
)

// noted are the event types that are evidence by themselves.
var noted = map[events.Type]bool{
	events.TypeOf[events.SummaryImported](): true,

	events.TypeOf[events.FileObserved](): true, events.TypeOf[events.PromptSubmitted](): true,
	events.TypeOf[events.FileRead](): true, events.TypeOf[events.FileWritten](): true,
	events.TypeOf[events.RecoveryGiven](): true, events.TypeOf[events.DeliveryConfirmed](): true,
	events.TypeOf[events.CompactionCompleted](): true, events.TypeOf[events.CompoundFinished](): true, events.TypeOf[events.AuditJudged](): true,
}

// note records an event that is evidence by itself.
func (p *pass) note(e events.Envelope, own bool) error {
	if !noted[e.Type] || e.EchoOf != 0 || e.Project != p.fold.Target().Project {
		return nil
	}
	ev, err := events.Open(e)
	if err != nil {
		return err
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
		return nil
	}
	if about := knowledge.Subjects(ev); about != nil {
		p.subjects[e.Seq] = about
	}
	if len(p.episodes) > 0 {
		p.evidence(p.episodes[len(p.episodes)-1], ev, e.Seq)
	}
	return nil
}

// evidence adds an event to the newest compaction.
func (p *pass) evidence(s *episode, ev events.Event, seq uint64) {
	switch ev := ev.(type) {
	case events.RecoveryGiven:
		s.given = append(s.given, newOffer(ev, seq))
	case events.DeliveryConfirmed:
		p.receive(delivery{DeliveryConfirmed: ev, seq: seq})
	case events.CompactionCompleted:
		if s.compaction.SummarySeq == seq {
			s.summary = ev.Summary
		}
	case events.SummaryImported:
		p.summarise(ev, seq)
	case events.AuditJudged:
		for _, ep := range p.episodes {
			if ep.compaction.Seq == ev.Compaction && !p.rules {
				ep.judgements = append(ep.judgements, judged{ev, seq})
			}
		}
	}
}

// summarise adds a summary that was imported later to its compaction.
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

// SummaryIn returns the summary that an event holds; empty for none.
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

// receive adds a receipt to its compaction. That may be an older one, because transcripts are read later.
func (p *pass) receive(r delivery) {
	own := p.episodes[len(p.episodes)-1]
	for _, s := range p.episodes {
		gave := slices.ContainsFunc(s.given, func(o offer) bool { return o.seq == r.Recovery })
		if r.Compaction != 0 && s.compaction.Count == r.Compaction || r.Compaction == 0 && gave {
			own = s
		}
	}
	own.deliveries = append(own.deliveries, r)
}
