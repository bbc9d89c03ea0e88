package answers

import (
	"cmp"
	"context"
	"strconv"

	"journal/events"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay/recovery"
)

// start returns the text for a session that begins or is resumed, the zero value for other events and for subagents.
func (a *Answers) start(ctx context.Context, q question) (answer, error) {
	ev, err := events.Open(q.event)
	started, ok := ev.(events.SessionStarted)
	if err != nil || !ok || q.event.Lane != "" {
		return answer{}, err
	}
	var before *recovery.Past
	if started.Source == "clear" {
		if before, err = a.Sessions.before(ctx, q.lane(), q.fold.Seq()); err != nil {
			return answer{}, err
		}
	}
	s := recovery.StartOf(q.fold, q.event, started.Source, before)
	s.Quiet = q.settings.NoStart
	if err := a.completeStart(ctx, q, s); err != nil {
		return answer{}, err
	}
	words, err := s.Text(q.request.Lang, a.Command())
	return q.notice(events.NoticeGiven{Kind: "start", To: wire.ToModel, About: q.origin()}, words, strconv.FormatUint(q.origin(), 10)), err
}

// completeStart adds the data that the fold lacks: titles and pressure of other sessions, unfinished work and decisions of the team, and the
// times when files changed. It leaves out the newest compaction if that was a headless session's.
func (a *Answers) completeStart(ctx context.Context, q question, s *recovery.Start) (err error) {
	for i := range s.Unfinished {
		s.Unfinished[i].Title = a.Sessions.title(ctx, q.event.Project, s.Unfinished[i].Session)
	}
	if team := a.Team(); team != nil && s.Fresh() {
		s.AddOffers(team.Offers(q.event.Project))
		if !s.Quiet {
			s.AddDecisions(team.Decisions(q.event.Project))
		}
	}
	if s.Quiet {
		return nil
	}
	if s.Fresh() && s.Overview.Before == nil {
		if s.Overview.Earlier, err = a.Sessions.earlier(ctx, q.lane(), q.fold.Seq(), q.event.At); err != nil {
			return err
		}
	}
	if past := cmp.Or(s.Overview.Before, s.Overview.Earlier); past != nil {
		t := projections.Target{Project: q.event.Project, Session: past.Session}
		if past.Full, err = a.Sessions.usedPercent(ctx, t, q.settings.Fold, q.fold.Seq()); err != nil {
			return err
		}
	}
	all, err := a.Sessions.at(ctx, q.fold.Seq())
	if err != nil {
		return err
	}
	if ref, _ := all.Of(q.event.Project, s.Overview.Newest.Session); ref.Headless {
		s.Overview.Newest = projections.ProjectCompactState{}
	}
	if s.Overview.Elsewhere() {
		s.Overview.NewestTitle = a.Sessions.title(ctx, q.event.Project, s.Overview.Newest.Session)
	}
	for i := range s.Overview.Files {
		e, err := a.event(ctx, s.Overview.Files[i].Seq)
		if err != nil {
			return err
		}
		s.Overview.Files[i].At = e.Time()
	}
	return nil
}
