package owner

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"journal/events"
	"journal/events/text"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay"
	"journal/replay/recovery"
)

// What a session that begins or goes on should know of (S1.10, S3.3): a skill that was
// left unfinished, by it or by an earlier session, to go on with or to discard; and
// where there is any, what the project's newest session was at, running ports, the
// decisions of the last week, its own and those of others in the team, what others have left unfinished, the files of notes and knowledge with counts, and one
// line each about the last compaction, compound and the pressure. Nothing when there is
// none, and for subagents.
var _ = declareAnswer(wire.StartText, answerKind{needs: startNeeds, derive: (*Owner).start})

var startNeeds = []projections.Projection{
	projections.Flow, projections.Stock, projections.Phase, projections.LastCompact, projections.CompoundLastRun,
	projections.Pressure, projections.Skills, projections.Ports, projections.Decisions, projections.ProjectCompact,
	projections.Compile, projections.Handovers,
}

// startUnits bounds the text at a start, the name of the command included, beside an unfinished skill's own state, in
// UTF-16 units: it stands in every request of the session.
const startUnits = 1200

func (o *Owner) start(ctx context.Context, q question) (answer, error) {
	ev, err := events.Open(q.asked)
	began, ok := ev.(events.SessionStarted)
	if err != nil || !ok || q.asked.Lane != "" {
		return answer{}, err
	}
	var before *pastWork
	if began.Source == "clear" {
		if before, err = o.cleared(ctx, q); err != nil {
			return answer{}, err
		}
	}
	var parts []string
	skill, err := o.skill(ctx, q, began.Source, before)
	if err != nil {
		return answer{}, err
	}
	if skill != "" {
		parts = append(parts, skill)
	}
	if run := openRunOf(q); run != nil {
		compile, err := recovery.Phrase(q.owed.Lang, "start-compile", run)
		if err != nil {
			return answer{}, err
		}
		parts = append(parts, compile)
	}
	others, err := elsewhere(q, began.Source)
	if err != nil {
		return answer{}, err
	}
	units := startUnits
	if others != "" {
		parts = append(parts, others)
		units -= text.Units(others) + len(between)
	}
	command, err := recovery.Phrase(q.owed.Lang, "start-command", o.command())
	if err != nil {
		return answer{}, err
	}
	if !q.settings.NoStart {
		known, err := o.known(ctx, q, began.Source, before, units-text.Units(command)-len(between))
		if err != nil {
			return answer{}, err
		}
		if known != "" {
			parts = append(parts, known)
		}
	}
	if len(parts) == 0 {
		return answer{}, nil
	}
	parts = append([]string{command}, parts...)
	return q.notice("start", "", wire.ToModel, strings.Join(parts, between), q.origin(), strconv.FormatUint(q.origin(), 10)), nil
}

// skill tells of a skill that was left unfinished: the session's own, that of the
// session before a /clear, or an earlier one's.
func (o *Owner) skill(ctx context.Context, q question, source string, before *pastWork) (string, error) {
	page := struct {
		Skill   projections.PhaseState
		Carried bool       // over a /clear
		Left    *leftSkill // by an earlier session; nil when there is one of its own
	}{Skill: projections.Phase.In(q.fold)}
	if !page.Skill.Active() && before != nil && before.Skill.Active() {
		page.Skill, page.Carried = before.Skill, true
	}
	if !page.Skill.Active() && (source == "startup" || source == "resume" || source == "clear") {
		page.Left = left(q)
	}
	if page.Left != nil {
		page.Left.Title = o.title(ctx, q.asked.Project, page.Left.Session)
	}
	if !page.Skill.Active() && page.Left == nil {
		return "", nil
	}
	return recovery.Phrase(q.owed.Lang, "start-skill", page)
}

// between stands between the parts of the text at a start.
const between = "\n\n"

// known tells what else there is to know, as much of it as units have room for.
func (o *Owner) known(ctx context.Context, q question, source string, before *pastWork, units int) (string, error) {
	page := startPage{
		Files:    slices.Concat(notes(projections.Flow.In(q.fold)), knowledge(projections.Stock.In(q.fold))),
		Compact:  projections.LastCompact.In(q.fold),
		Newest:   projections.ProjectCompact.In(q.fold),
		Compound: projections.CompoundLastRun.In(q.fold),
		Pressure: projections.Pressure.In(q.fold),
		Before:   before,
	}
	// At a resume and in a fork the agent knows the rest already.
	if source == "startup" || source == "clear" {
		page.Ports, page.Decisions, page.Theirs = offeredPorts(q), decisions(q, before), theirs(q)
		if before == nil {
			var err error
			if page.Earlier, err = o.earlier(ctx, q); err != nil {
				return "", err
			}
		}
	}
	if page.empty() {
		return "", nil
	}
	if page.Compact.Count == 0 && page.Newest.Seq != 0 {
		page.NewestTitle = o.title(ctx, q.asked.Project, page.Newest.Session)
	}
	for i := range page.Files {
		at, err := o.timeOf(ctx, page.Files[i].Seq)
		if err != nil {
			return "", err
		}
		page.Files[i].At = at
	}
	var out string
	for _, r := range rooms {
		var err error
		if out, err = recovery.Phrase(q.owed.Lang, "start", page.within(r)); err != nil {
			return "", err
		}
		if text.Units(out) <= units {
			break
		}
	}
	return text.CutUnits(out, units), nil
}

// leftSkill is a skill that an earlier session has left unfinished.
type leftSkill struct {
	projections.SkillState
	Stale bool
	Title string // of that session
}

// titleUnits bounds the title of a session in what is told at a start, in UTF-16 units.
const titleUnits = 80

// title tells which session it was, empty where that is not known: an id tells nobody.
func (o *Owner) title(ctx context.Context, project, session string) string {
	title, err := replay.Title(ctx, o.log, projections.Target{Project: project, Session: session})
	if err != nil || session == events.None {
		return ""
	}
	return short(title, titleUnits)
}

// left gives what a session that begins or is resumed can go on with, as of its own
// event.
func left(q question) *leftSkill {
	now := projections.Stamp(q.asked.At)
	s, ok := projections.Skills.In(q.fold).Left(q.asked.Session, now)
	if !ok {
		return nil
	}
	return &leftSkill{SkillState: s, Stale: s.Stale(now)}
}
