package answers

import (
	"context"
	"strconv"

	"journal/events"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay/recovery"
)

// recovery returns the recovery text of the newest compaction, once. If the client loses the text, recovery returns it again when the
// session is resumed (ADR-0019 rule 5). Without a compaction it returns the text of the start.
func (a *Answers) recovery(ctx context.Context, q question) (answer, error) {
	r := recovery.Of(q.fold)
	if r.Compaction == 0 {
		return a.start(ctx, q) // the resumption lost nothing
	}
	late := q.event.Type != events.TypeOf[events.ContextRestarted]() // the event is the start of a resumed session
	if r.Empty() || !late && projections.Answers.In(q.fold).Recovery >= r.Compaction {
		return answer{}, nil
	}
	claim := []string{strconv.Itoa(r.Compaction)}
	if late {
		claim = append(claim, strconv.FormatUint(q.origin(), 10))
	}
	return a.answerWith(q, r, late, claim)
}

// resumed returns the recovery text for a session that goes on with a prompt although no hook reported that it was resumed. Clients up to
// 2.0 report the resumption for another session, and have lost the text (docs/CLIENTS.md §11). The text is due once after each end of the
// session, if any session of the project was resumed since that end.
func (a *Answers) resumed(ctx context.Context, q question) (answer, error) {
	s, answers := projections.SessionInfo.In(q.fold), projections.Answers.In(q.fold)
	if q.event.Lane != "" || s.EndedSeq == 0 || answers.RecoverySeq == 0 || answers.RecoverySeq > s.EndedSeq {
		return answer{}, nil
	}
	all, err := a.Sessions.at(ctx, q.fold.Seq())
	if err != nil {
		return answer{}, err
	}
	resumedSince := false // a session of the project was resumed since this one ended
	for ref := range all.Backward() {
		if ref.Seq < s.EndedSeq {
			break
		}
		resumedSince = resumedSince || ref.Project == q.event.Project && ref.Source == "resume"
	}
	r := recovery.Of(q.fold)
	if !resumedSince || r.Compaction == 0 || r.Empty() {
		return answer{}, nil
	}
	return a.answerWith(q, r, true, []string{strconv.Itoa(r.Compaction), "after", strconv.FormatUint(s.EndedSeq, 10)})
}

// answerWith returns the answer with a recovery text. late is true if the session was resumed. See answer.claim.
func (a *Answers) answerWith(q question, r recovery.Recovery, late bool, claim []string) (answer, error) {
	text, err := a.rendered(q, r, q.settings.Template(q.request.Lang))
	if err != nil {
		// A person's broken template must not cost the agent its memory.
		a.OnError(err)
		if text, err = a.rendered(q, r, ""); err != nil {
			return answer{}, err
		}
	}
	return answer{
		text: text.Text, to: wire.ToModel, claim: claim,
		event: events.RecoveryGiven{
			Compaction: r.Compaction, AsOf: r.AsOf, Lang: q.request.Lang, Units: text.Units,
			Digest: text.Digest, Items: text.Items, Partial: text.Partial, Resume: late,
		},
	}, nil
}

// rendered returns the text of a recovery. source is that of the template; empty means the built-in template.
func (a *Answers) rendered(q question, r recovery.Recovery, source string) (recovery.Text, error) {
	t, err := recovery.Template(q.request.Lang, source)
	if err != nil {
		return recovery.Text{}, err
	}
	if team := a.Team(); team != nil {
		r = r.With(team.Decisions(q.event.Project))
	}
	r.Command = a.Command()
	limit := recovery.Limit{Units: q.request.Units, Vital: q.request.Vital}
	if text, ok := a.ready.get(q.lane()).text.Again(r, t, limit); ok {
		return text, nil
	}
	made, err := recovery.Make(r, t, limit)
	if err != nil {
		return made.Rendered, err
	}
	a.ready.put(q.lane(), prepared{q.request, made})
	return made.Rendered, nil
}
