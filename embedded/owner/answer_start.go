package owner

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/team"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay"
	"journal/replay/recovery"
)

// What a session that begins or goes on should know of. Nothing when there is none, and for subagents.
var _ = declareAnswer(wire.StartText, answerKind{needs: recovery.StartNeeds, derive: (*Owner).start})

func (o *Owner) start(ctx context.Context, q question) (answer, error) {
	ev, err := events.Open(q.asked)
	began, ok := ev.(events.SessionStarted)
	if err != nil || !ok || q.asked.Lane != "" {
		return answer{}, err
	}
	var before *recovery.Past
	if began.Source == "clear" {
		if before, err = o.cleared(ctx, q); err != nil {
			return answer{}, err
		}
	}
	s := recovery.StartOf(q.fold, q.asked, began.Source, before)
	s.Quiet = q.settings.NoStart
	if err := o.completeStart(ctx, q, s); err != nil {
		return answer{}, err
	}
	out, err := s.Text(q.owed.Lang, o.command())
	if err != nil {
		return answer{}, err
	}
	return q.notice("start", "", wire.ToModel, out, q.origin(), strconv.FormatUint(q.origin(), 10)), nil
}

// completeStart adds what the fold does not hold: of other sessions, of the team, and when files changed.
func (o *Owner) completeStart(ctx context.Context, q question, s *recovery.Start) (err error) {
	if s.Left != nil {
		s.Left.Title = o.title(ctx, q.asked.Project, s.Left.Session)
	}
	if s.Fresh() {
		// What others have left is what the owner knew when it could last ask; nobody is asked now.
		s.AddOffers(offersOf(q.offers(q.asked.Project)))
	}
	if s.Quiet {
		return nil
	}
	if s.Fresh() {
		s.AddDecisions(decisionsOf(q.theirs(q.asked.Project)))
		if s.Overview.Before == nil {
			if s.Overview.Earlier, err = o.earlier(ctx, q); err != nil {
				return err
			}
		}
	}
	if s.Overview.Elsewhere() {
		s.Overview.NewestTitle = o.title(ctx, q.asked.Project, s.Overview.Newest.Session)
	}
	for i := range s.Overview.Files {
		if s.Overview.Files[i].At, err = o.timeOf(ctx, s.Overview.Files[i].Seq); err != nil {
			return err
		}
	}
	return nil
}

// titleUnits bounds the title of a session in what is told at a start, in UTF-16 units.
const titleUnits = 80

// title tells which session it was, empty where that is not known: an id tells nobody.
func (o *Owner) title(ctx context.Context, project, session string) string {
	title, err := replay.Title(ctx, o.log, projections.Target{Project: project, Session: session})
	if err != nil || session == events.None {
		return ""
	}
	return text.CutUnits(text.Line(title), titleUnits)
}

// timeOf gives the own time of the event at a sequence.
func (o *Owner) timeOf(ctx context.Context, seq uint64) (time.Time, error) {
	for e, err := range o.log.Events(ctx, events.Span{After: seq - 1, Until: seq}) {
		return e.Time(), err
	}
	return time.Time{}, nil
}

// offersOf gives what others have left unfinished as it is told.
func offersOf(all []team.Offer) (offers []recovery.Offer) {
	for _, o := range all {
		is := recovery.Offer{
			Member: o.Member, Device: o.Device, Session: o.Session, Skill: o.Skill, Phase: o.Phase, PhaseName: o.PhaseName,
			Plan: o.Plan, AsOf: o.AsOf, Last: o.Last, Ended: o.Ended,
		}
		for _, p := range o.Ports {
			is.Ports = append(is.Ports, recovery.OfferPort(p))
		}
		offers = append(offers, is)
	}
	return offers
}

// decisionsOf gives what others decided as it is told.
func decisionsOf(all []team.Decision) (theirs []recovery.TeamDecision) {
	for _, d := range all {
		theirs = append(theirs, recovery.TeamDecision{Member: d.Member, Question: d.Question, Text: d.Text, At: d.At})
	}
	return theirs
}

// maxPast bounds the sessions that are looked at for one that left something, the
// newest first.
const maxPast = 16

// cleared gives what the session before a /clear was at, nil when that is not known or
// there was nothing.
func (o *Owner) cleared(ctx context.Context, q question) (*recovery.Past, error) {
	t := projections.Target{Project: q.asked.Project, Session: q.asked.Session}
	before, ok, err := o.before(ctx, t, q.fold.Seq())
	if err != nil || !ok {
		return nil, err
	}
	w, err := o.past(ctx, before, q.fold.Seq())
	if err != nil || w.Nothing() {
		return nil, err
	}
	return w, nil
}

// earlier gives what the project's newest other session was at that has ended, whose
// process is gone, or that was silent for a while; nil when there was nothing.
func (o *Owner) earlier(ctx context.Context, q question) (*recovery.Past, error) {
	all, err := o.sessionsAt(ctx, q.fold.Seq())
	if err != nil {
		return nil, err
	}
	var found []projections.SessionRef
	looked := 0
	for ref := range all.Backward() {
		if ref.Project != q.asked.Project || ref.Session == q.asked.Session {
			continue
		}
		if looked++; looked > maxPast {
			break
		}
		if !ref.Ended {
			last, err := o.log.LastOf(ctx, journal.Session{Project: ref.Project, ID: ref.Session})
			if err != nil {
				return nil, err
			}
			if !ref.Gone && time.Duration(q.asked.At-last.At) < recovery.Silence {
				continue
			}
			ref.LastSeq, ref.LastAt = last.Seq, projections.Stamp(last.At)
		}
		found = append(found, ref)
	}
	slices.SortStableFunc(found, func(a, b projections.SessionRef) int { return cmp.Compare(b.LastSeq, a.LastSeq) })
	for _, ref := range found {
		w, err := o.past(ctx, projections.Target{Project: ref.Project, Session: ref.Session}, q.fold.Seq())
		if err != nil {
			return nil, err
		}
		if w.Request.Text != "" || len(w.Todos) > 0 {
			w.ByOther(ref, q.asked.At)
			return w, nil
		}
	}
	return nil, nil
}

// past gives what a session was at.
func (o *Owner) past(ctx context.Context, t projections.Target, seq uint64) (*recovery.Past, error) {
	f, err := o.lane(ctx, t, seq)
	if err != nil {
		return nil, err
	}
	return recovery.PastOf(f), nil
}
