package writer

import (
	"journal/events"
	"journal/projections"
)

// falls holds the newest usage sample of each lane, to find a context that lost a part without a compaction. A fall of the usage alone is
// weak evidence (S0.1). It counts only if the lane's next event does not explain it; samples and bookkeeping are passed over.
type falls map[projections.Target]fall

// fall is a usage sample, and a fall of the usage that no event has explained yet.
type fall struct {
	events.UsageSampled
	before int64       // tokens before the fall, 0 for no fall
	shown  events.Meta // of the first sample that showed the fall
}

// explaining holds the events that explain a smaller context.
var explaining = map[events.Type]bool{
	events.TypeOf[events.SessionStarted](): true, events.TypeOf[events.SessionEnded](): true, events.TypeOf[events.SubagentEnded](): true,
	events.TypeOf[events.CompactionIntended](): true, events.TypeOf[events.CompactionNoticed](): true, events.TypeOf[events.CompactionCompleted](): true,
	events.TypeOf[events.ContextRestarted](): true, events.TypeOf[events.ConversationRewound](): true, events.TypeOf[events.ContextCleared](): true,
}

// note records the next event of the log. It returns a draft of ContextCleared if a fall before that event is unexplained, else nil.
func (f falls) note(e events.Envelope) *Draft {
	id := laneOf(e.Meta)
	last, known := f[id]
	sample, sampled := events.As[events.UsageSampled](e)
	switch {
	case e.EchoOf != 0 || !sampled && !known: // nothing to compare
	case explaining[e.Type]:
		delete(f, id)
	case sampled:
		f[id] = last.next(sample, e.Meta)
	case last.before > 0 && !events.Bookkeeping(e.Type):
		shown := last.shown
		f[id] = fall{UsageSampled: last.UsageSampled}
		d, err := DraftOf(events.ContextCleared{Before: last.before, Freed: last.before - last.Tokens}, events.Meta{
			ID: events.DerivedID("context.cleared", shown.Project, shown.Session, shown.Lane, shown.ID), At: shown.At,
			Agent: shown.Agent, Session: shown.Session, Lane: shown.Lane, Project: shown.Project, Turn: shown.Turn,
		})
		if err == nil {
			return d
		}
	}
	return nil
}

// next returns the state after a sample. f is zero for the first sample of a lane. A fall is a loss of at least a quarter of the tokens.
// Samples of different models or windows are not compared.
func (f fall) next(s events.UsageSampled, m events.Meta) fall {
	after := fall{UsageSampled: s}
	before := max(f.before, f.Tokens)
	if f.Model != s.Model || f.Window != s.Window || s.Tokens <= 0 || 4*s.Tokens > 3*before {
		return after
	}
	after.before, after.shown = before, m
	if f.before > 0 {
		after.shown = f.shown
	}
	return after
}
