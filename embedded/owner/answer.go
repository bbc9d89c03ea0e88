package owner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"journal/events"
	"journal/journal/redact"
	"journal/journal/wire"
	"journal/projections"
)

// question is what an answer is derived from: the asker's event, and the fold of
// the log up to it.
type question struct {
	owed     wire.Owed
	asked    events.Envelope
	fold     *projections.Fold
	settings Settings
}

// origin is the sequence of the fact that the asker reports: its own, or that of
// the event it echoes. Two askers about one fact have one origin.
func (q question) origin() uint64 {
	if q.asked.EchoOf != 0 {
		return q.asked.EchoOf
	}
	return q.asked.Seq
}

// given is an answer: a text, whom it is for, and the event that claims it under
// an id derived from the words of claim, in the asker's lane or in its project.
type given struct {
	text  string
	to    string
	scope projections.Scope
	claim []string
	event events.Event
}

// kindOfAnswer is one kind of answer; each has a file of its own.
type kindOfAnswer struct {
	needs []projections.Projection
	// derive gives the zero given when there is nothing to say. It is pure but
	// for the person's templates.
	derive func(*Owner, question) (given, error)
}

var answers = map[string]kindOfAnswer{}

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

// answerKind registers a kind of answer.
func answerKind(name string, k kindOfAnswer) struct{} {
	answers[name] = k
	return struct{}{}
}

// answer derives what an agent is owed as of its own event, and claims it: of
// two askers for one answer, one gets it (DECISIONS 2.5). At most once is
// preferred to twice.
func (o *Owner) answer(ctx context.Context, owed wire.Owed) (text, to string, err error) {
	kind, ok := answers[owed.Kind]
	if !ok {
		return "", "", nil // a newer asker's wish
	}
	o.appending.Lock()
	seq, ok := o.placed.get(owed.Event)
	until, all := o.placed.get(cmp.Or(owed.File, owed.Last, owed.Event))
	o.appending.Unlock()
	if !ok || !all {
		return "", "", fmt.Errorf("answer: event %s is not in the log", owed.Event)
	}
	q := question{owed: owed, settings: o.config.Settings()}
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
	g, err := kind.derive(o, q)
	if err != nil || g.text == "" {
		return "", "", err
	}
	won, err := o.claim(ctx, q, g)
	if err != nil || !won {
		return "", "", err
	}
	return g.text, g.to, nil
}

// claim appends the event of an answer. The answer is the caller's if nobody
// appended it before.
func (o *Owner) claim(ctx context.Context, q question, g given) (won bool, err error) {
	words := []string{q.owed.Kind, q.asked.Project}
	if g.scope == projections.Lane {
		words = append(words, q.asked.Session, q.asked.Lane)
	}
	words = append(words, g.claim...)
	e, err := events.Wrap(g.event, events.Meta{
		ID: events.DerivedID(words...), At: time.Now().UnixNano(), Agent: q.asked.Agent,
		Session: q.asked.Session, Lane: q.asked.Lane, Project: q.asked.Project, Turn: q.asked.Turn,
		Cause: q.asked.ID, Rules: int(redact.RuleSet),
	})
	if err != nil {
		return false, err
	}
	o.appending.Lock()
	defer o.appending.Unlock()
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	place, taken, err := o.log.Append(ctx, e)
	if err != nil {
		return false, err
	}
	o.head = max(o.head, place)
	return !taken, nil
}
