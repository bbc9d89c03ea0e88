package audit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/audit/match"
	"journal/replay/knowledge"
)

// ByRules is Audit without the verdicts of judges.
func ByRules(ctx context.Context, src replay.Source, target projections.Target, config projections.Config) (Report, error) {
	return audited(ctx, src, target, config, true)
}

// Audit audits the compactions of the target's lane, or of every lane of its session if the lane is empty. It returns
// errors of the source, and of stored events that cannot be decoded.
func Audit(ctx context.Context, src replay.Source, target projections.Target, config projections.Config) (Report, error) {
	return audited(ctx, src, target, config, false)
}

func audited(ctx context.Context, src replay.Source, target projections.Target, config projections.Config, rules bool) (Report, error) {
	r := Report{Session: target.Session, Compactions: []Compaction{}}
	asked := target.Lane
	lanes, err := compacted(ctx, src, target)
	if err != nil {
		return r, err
	}
	for _, lane := range lanes {
		target.Lane = lane
		p := &pass{
			fold:  projections.NewFold(target, config, append(knowledge.AuditNeeds(), projections.SessionInfo)...),
			files: map[string]observation{}, named: map[string]uint64{}, subjects: map[uint64][]knowledge.Subject{}, config: config, rules: rules,
		}
		if err := p.read(ctx, src); err != nil {
			return r, err
		}
		earlier := earlierItems{summarized: map[string]bool{}, worthKeeping: map[string]bool{}}
		for _, w := range p.episodes {
			r.Compactions = append(r.Compactions, p.answer(w, earlier))
		}
	}
	if r.Cleared, err = cleared(ctx, src, projections.Target{Project: target.Project, Session: target.Session, Lane: asked}); err != nil {
		return r, err
	}
	slices.SortStableFunc(r.Compactions, func(a, b Compaction) int { return cmp.Compare(a.Seq, b.Seq) })
	return r.total(), nil
}

// compacted lists the lanes with a compaction, in the order of the log.
func compacted(ctx context.Context, src replay.Source, t projections.Target) ([]string, error) {
	var lanes []string
	for e, err := range src.Events(ctx, events.Span{}, events.Selector{Project: t.Project, Session: t.Session}.Of(facts...)...) {
		if err != nil {
			return nil, fmt.Errorf("audit: %w", err)
		}
		if e.EchoOf == 0 && (t.Lane == "" || t.Lane == e.Lane) && !slices.Contains(lanes, e.Lane) {
			lanes = append(lanes, e.Lane)
		}
	}
	return lanes, nil
}

// cleared lists what went from contexts without a compaction.
func cleared(ctx context.Context, src replay.Source, t projections.Target) (all []Cleared, err error) {
	sel := events.Selector{Project: t.Project, Session: t.Session, Type: events.TypeOf[events.ContextCleared]()}
	for e, err := range src.Events(ctx, events.Span{}, sel) {
		if err != nil {
			return nil, fmt.Errorf("audit: %w", err)
		}
		if ev, ok := events.As[events.ContextCleared](e); ok && e.EchoOf == 0 && (t.Lane == "" || t.Lane == e.Lane) {
			all = append(all, Cleared{e.Seq, projections.Stamp(e.At), e.Lane, ev.Before, ev.Freed, len(ev.Uses)})
		}
	}
	return all, nil
}

// pass reads the log once for one lane.
type pass struct {
	fold       *projections.Fold
	episodes   []*episode
	files      map[string]observation
	promotions []uint64
	named      map[string]uint64              // entry that a compound named → the event
	subjects   map[uint64][]knowledge.Subject // event of the lane → its subjects
	vocabulary match.Vocabulary
	config     projections.Config
	rules      bool // judges are left out
}

// observation is the newest observation of a file.
type observation struct {
	events.FileObserved
	seq   uint64
	agent string // that observed it
}

// episode is one compaction, and the events up to the next one of its lane.
type episode struct {
	before     *projections.Fold // before its first event
	since      uint64            // first event of the previous compaction
	promotions []uint64          // before its first event
	compaction projections.LastCompactState
	agent      string
	summary    string
	given      []offer
	deliveries []delivery
	judgements []judged

	// At its end.
	all   []uint64 // promotions
	named map[string]uint64
	flow  projections.FlowState
	files map[string]observation
}

// offer is a recovery text that was given.
type offer struct {
	events.RecoveryGiven
	seq    uint64
	shares map[knowledge.ID]int // item → how much the text has of it, in percent
}

func newOffer(e events.RecoveryGiven, seq uint64) offer {
	o := offer{e, seq, map[knowledge.ID]int{}}
	for _, item := range e.Items {
		if id, ok := knowledge.ParseID(item); ok {
			o.shares[id] = 100
		}
	}
	for _, p := range e.Partial {
		if id, ok := knowledge.ParseID(p.Item); ok {
			o.shares[id] = p.Percent
		}
	}
	return o
}

// share returns how much the text has of an item, in percent.
func (o offer) share(id knowledge.ID) (percent int, carried bool) {
	percent, carried = o.shares[id]
	return percent, carried
}

// judged is the answer of a judge.
type judged struct {
	events.AuditJudged
	seq uint64
}

type delivery struct {
	events.DeliveryConfirmed
	seq   uint64
	shown string // the preview of a cut text, if known
}

func (p *pass) read(ctx context.Context, src replay.Source) error {
	t := p.fold.Target()
	rewinds, err := replay.Rewinds(ctx, src, t.Project, "", 0)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	p.fold.SetRewinds(rewinds)
	sel := append(replay.Selectors(p.fold), events.Selector{Project: t.Project, Type: events.TypeOf[events.FileObserved]()})
	for e, err := range src.Events(ctx, events.Span{}, sel...) {
		if err != nil {
			return fmt.Errorf("audit: %w", err)
		}
		if err := p.apply(e); err != nil {
			return fmt.Errorf("audit: %w", err)
		}
	}
	p.close()
	return p.preview(ctx, src)
}

func (p *pass) apply(e events.Envelope) error {
	if p.fold.TakenBack(e.Meta) {
		return nil
	}
	t := p.fold.Target()
	own := e.EchoOf == 0 && e.Session == t.Session && e.Project == t.Project && e.Lane == t.Lane
	var before *projections.Fold
	if own && slices.Contains(facts, e.Type) {
		before = p.fold.Clone()
	}
	if err := p.fold.Apply(e); err != nil {
		return err
	}
	if flow := projections.LastCompact.In(p.fold).Flow; flow.Compound.Seq != 0 && !slices.Contains(p.promotions, flow.Compound.Seq) {
		p.promotions = append(p.promotions, flow.Compound.Seq)
	}
	if before != nil {
		p.fact(before, e.Agent)
	}
	return p.note(e, own)
}

// fact begins an episode if an event began a compaction.
func (p *pass) fact(before *projections.Fold, agent string) {
	now, earlier := projections.LastCompact.In(p.fold), projections.LastCompact.In(before)
	if now.Count > earlier.Count {
		p.close()
		p.episodes = append(p.episodes, &episode{before: before, since: earlier.Seq, agent: agent, promotions: slices.Clone(p.promotions)})
	}
	if n := len(p.episodes); n > 0 {
		p.episodes[n-1].compaction = now
	}
}

// close ends the newest episode with what is known now.
func (p *pass) close() {
	if n := len(p.episodes); n > 0 {
		w := p.episodes[n-1]
		w.all, w.flow, w.files, w.named = slices.Clone(p.promotions), projections.LastCompact.In(p.fold).Flow, maps.Clone(p.files), maps.Clone(p.named)
	}
}
