package owner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"journal/events"
	"journal/journal/team"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay/recovery"
)

// question is what an answer is derived from: the asker's event, and the fold of
// the log up to it.
type question struct {
	owed     wire.Owed
	asked    events.Envelope
	fold     *projections.Fold
	settings Settings
	// offers gives what other machines have left unfinished in a project, as far as it is known.
	offers func(project string) []team.Offer
	// theirs gives what others have decided in a project, as far as it is known, newest first.
	theirs func(project string) []team.Decision
}

// origin is the sequence of the fact that the asker reports: its own, or that of
// the event it echoes. Two askers about one fact have one origin.
func (q question) origin() uint64 {
	if q.asked.EchoOf != 0 {
		return q.asked.EchoOf
	}
	return q.asked.Seq
}

// answer is a text, whom it is for, and the event that claims it under an id derived
// from its kind and the words of claim, in the asker's lane or in its project. Its kind is
// what it is, which need not be what was asked for.
type answer struct {
	kind  string
	text  string
	to    string
	scope projections.Scope
	claim []string
	event events.Event
}

// answerKind is one kind of answer; each has a file of its own.
type answerKind struct {
	needs []projections.Projection
	// worth says from what is at hand whether the lane of the asker may be owed
	// anything, so that nothing is folded in vain; nil is always. The caller holds the
	// writer's mu.
	worth func(*writer, projections.Target) bool
	// derive gives the zero answer when there is nothing to say. It is pure but
	// for the person's templates.
	derive func(*Owner, context.Context, question) (answer, error)
}

var answers = map[string]answerKind{}

// needed lists what any kind of answer is derived from, each once.
func needed() []projections.Projection {
	var all []projections.Projection
	for _, k := range answers {
		for _, p := range k.needs {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	slices.SortFunc(all, func(a, b projections.Projection) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}

// declareAnswer registers a kind of answer.
func declareAnswer(name string, k answerKind) struct{} {
	answers[name] = k
	return struct{}{}
}

func (o *Owner) worth(kind answerKind, lane projections.Target) bool {
	if kind.worth == nil {
		return true
	}
	o.writer.mu.Lock()
	defer o.writer.mu.Unlock()
	return kind.worth(o.writer, lane)
}

// answer derives what an agent is owed as of its own event, and claims it: of
// two askers for one answer, one gets it. At most once is preferred to twice.
func (o *Owner) answer(ctx context.Context, owed wire.Owed, lane projections.Target) (text, to string, err error) {
	kind, ok := answers[owed.Kind]
	if !ok || !o.worth(kind, lane) {
		return "", "", nil // a newer asker's wish, or nothing to tell
	}
	owed.Lang = recovery.Language(owed.Lang) // askers name a locale
	seq, until, ok := o.writer.reportAt(owed.Event, cmp.Or(owed.File, owed.Last))
	if !ok {
		return "", "", fmt.Errorf("answer: event %s is not in the log", owed.Event)
	}
	q := question{owed: owed, settings: o.config.Settings(), offers: o.offers, theirs: o.theirs}
	for e, err := range o.log.Events(ctx, events.Span{After: seq - 1, Until: seq}) {
		if err != nil {
			return "", "", fmt.Errorf("answer: %w", err)
		}
		q.asked = e
	}
	target := projections.Target{Project: q.asked.Project, Session: q.asked.Session, Lane: q.asked.Lane}
	if q.fold, err = o.folds.At(ctx, target, q.settings.Fold, until); err != nil {
		return "", "", err
	}
	given, err := o.derived(ctx, owed.Kind, q)
	if err != nil || given.text == "" {
		return "", "", err
	}
	won, err := o.claim(ctx, q, given)
	if err != nil || !won {
		return "", "", err
	}
	return given.text, given.to, nil
}

// derived derives an answer of a kind, which there is.
func (o *Owner) derived(ctx context.Context, kind string, q question) (answer, error) {
	a, err := answers[kind].derive(o, ctx, q)
	a.kind = cmp.Or(a.kind, kind)
	return a, err
}

// claim appends the event of an answer. The answer is the caller's if nobody
// appended it before.
func (o *Owner) claim(ctx context.Context, q question, a answer) (won bool, err error) {
	words := []string{a.kind, q.asked.Project}
	if a.scope == projections.Lane {
		words = append(words, q.asked.Session, q.asked.Lane)
	}
	words = append(words, a.claim...)
	d, err := draftOf(a.event, events.Meta{
		ID: events.DerivedID(words...), At: time.Now().UnixNano(), Agent: q.asked.Agent,
		Session: q.asked.Session, Lane: q.asked.Lane, Project: q.asked.Project, Turn: q.asked.Turn,
		Cause: q.asked.ID,
	})
	if err != nil {
		return false, err
	}
	err = o.writer.append(ctx, d)
	return !d.known, err
}
