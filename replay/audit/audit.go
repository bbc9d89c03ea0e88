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
	return audit(ctx, src, target, config, true)
}

// Audit audits the compactions of the target's lane, or of every lane of its session if the lane is empty. It returns
// the error of the source. It leaves out stored events that do not fit their type.
func Audit(ctx context.Context, src replay.Source, target projections.Target, config projections.Config) (Report, error) {
	return audit(ctx, src, target, config, false)
}

// audit is Audit, or ByRules if byRules is set.
func audit(ctx context.Context, src replay.Source, target projections.Target, config projections.Config, byRules bool) (Report, error) {
	r := Report{Session: target.Session, Compactions: []Compaction{}}
	var err error
	if r.Cleared, err = cleared(ctx, src, target); err != nil {
		return r, err
	}
	lanes, err := compacted(ctx, src, target)
	if err != nil {
		return r, err
	}
	for _, lane := range lanes {
		target.Lane = lane
		p := &pass{
			fold:  projections.NewFold(target, config, append(knowledge.AuditNeeds(), projections.SessionInfo)...),
			files: map[string]observation{}, named: map[string]uint64{}, subjects: map[uint64][]knowledge.Subject{}, config: config, byRules: byRules,
		}
		if err := p.read(ctx, src); err != nil {
			return r, err
		}
		earlier := earlierItems{summarized: map[string]bool{}, worthKeeping: map[string]bool{}}
		for _, e := range p.episodes {
			r.Compactions = append(r.Compactions, p.audited(e, earlier))
		}
	}
	slices.SortStableFunc(r.Compactions, func(a, b Compaction) int { return cmp.Compare(a.Seq, b.Seq) })
	return r.total(), nil
}

// compacted lists the lanes with facts, in the order of their first facts.
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

// cleared lists the parts of contexts that the client dropped without a compaction.
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
	noticed    *episode                       // the episode that begins if the newest weak evidence is confirmed
	files      map[string]observation         // path → newest observation
	promotions []uint64                       // events of compounds, oldest first
	named      map[string]uint64              // id of an entry that a compound named → event of the compound
	subjects   map[uint64][]knowledge.Subject // event of the lane → its subjects
	vocabulary match.Vocabulary
	config     projections.Config
	byRules    bool // the verdicts of judges are left out
}

// observation is an observation of a file.
type observation struct {
	events.FileObserved
	seq   uint64
	agent string // the agent whose hook observed it
}

// episode is one compaction, and the events up to the next compaction of its lane.
type episode struct {
	before     *projections.Fold // the fold before the first fact of the compaction
	since      uint64            // first fact of the previous compaction, 0 for none
	promotions []uint64          // as in pass, before the first fact of the compaction
	compaction projections.LastCompactState
	agent      string
	summary    string        // empty for none
	offered    []offeredText // in the order of the log, as are the other lists
	deliveries []delivery
	judgements []judgedItems

	// The fields below are as of the end of the episode.
	allPromotions []uint64
	named         map[string]uint64
	flow          projections.FlowState
	files         map[string]observation
}

// offeredText is a recovery text that was offered.
type offeredText struct {
	events.RecoveryGiven
	seq    uint64               // of the event
	shares map[knowledge.ID]int // item → share of it that the text has, in percent
}

func newOfferedText(e events.RecoveryGiven, seq uint64) offeredText {
	o := offeredText{e, seq, map[knowledge.ID]int{}}
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

// share returns the share of an item that the text has, in percent. carried is false if the text has nothing of the item.
func (o offeredText) share(id knowledge.ID) (percent int, carried bool) {
	percent, carried = o.shares[id]
	return percent, carried
}

// judgedItems holds the verdicts of a judge about items of a compaction.
type judgedItems struct {
	events.AuditJudged
	seq uint64
}

// delivery is the evidence of a transcript about the context after a compaction.
type delivery struct {
	events.DeliveryConfirmed
	seq   uint64
	shown string // the preview of a cut text, empty if unknown
}

// read reads the log into the episodes, and renders the texts that a client cut.
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
		p.apply(e)
	}
	p.close()
	return p.preview(ctx, src)
}

// apply applies an event to the fold and the episodes.
func (p *pass) apply(e events.Envelope) {
	if p.fold.TakenBack(e.Meta) {
		return
	}
	t := p.fold.Target()
	own := e.EchoOf == 0 && e.Session == t.Session && e.Project == t.Project && e.Lane == t.Lane
	earlier := projections.LastCompact.In(p.fold)
	var began *episode // the episode that begins if the event begins a compaction
	if own && IsFact(e.Type) {
		began = &episode{before: p.fold.Clone(), since: earlier.Seq, agent: e.Agent, promotions: slices.Clone(p.promotions)}
	}
	p.fold.Apply(e)
	now := projections.LastCompact.In(p.fold)
	if now.Flow.Compound.Seq != 0 && !slices.Contains(p.promotions, now.Flow.Compound.Seq) {
		p.promotions = append(p.promotions, now.Flow.Compound.Seq)
	}
	if began != nil && now.Facts.NoticedSeq == e.Seq {
		p.noticed = began
	}
	if now.Count > earlier.Count {
		p.close()
		p.episodes = append(p.episodes, cmp.Or(began, p.noticed)) // an event that confirms weak evidence is no fact itself
	}
	if n := len(p.episodes); n > 0 && (began != nil || now.Count > earlier.Count) {
		p.episodes[n-1].compaction = now
	}
	p.collect(e, own)
}

// close ends the newest episode, if there is one.
func (p *pass) close() {
	if n := len(p.episodes); n > 0 {
		e := p.episodes[n-1]
		e.allPromotions, e.named = slices.Clone(p.promotions), maps.Clone(p.named)
		e.flow, e.files = projections.LastCompact.In(p.fold).Flow, maps.Clone(p.files)
	}
}
