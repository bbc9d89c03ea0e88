// Package answers derives the texts that an agent gets after a hook: the recovery text and the notices. An answer is derived from
// a fold of the log as of the hook's own event. Before it is printed, an event records it (the claim), so that it is printed once.
package answers

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"journal/embedded/owner/writer"
	"journal/events"
	"journal/journal"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay"
	"journal/replay/knowledge"
	"journal/replay/recovery"
)

// Settings holds the configuration of answers that a person can change.
type Settings struct {
	Fold projections.Config
	// Stop names the receiver of the advice at the end of a turn: person (also when empty), model, or off (S1.2).
	Stop string
	// NoGuidance turns off the guidance for the summariser of a compaction (S3.5).
	NoGuidance bool
	// NoStart turns off the text at the start of a session, except for an unfinished skill.
	NoStart bool
	// Template returns the source of a person's own recovery template for a language, empty for the built-in one.
	Template func(lang string) string
}

// Config configures Answers. All fields are required.
type Config struct {
	Log      *journal.Log
	Writer   Writer
	Sessions *Sessions
	// Settings is called for each answer.
	Settings func() Settings
	Command  func() string // by which an agent runs the program, for texts that name it
	Logger   *slog.Logger
	OnError  func(error)
	Team     func() Team // returns nil on a machine that belongs to no team
}

// Team returns what was heard of the members of a team. Neither method asks the hub.
type Team interface {
	// Offers returns the unfinished work of others in a project.
	Offers(project string) []recovery.Offer
	// Decisions returns the decisions of others in a project, newest first.
	Decisions(project string) []knowledge.MemberDecision
}

// Writer stores claims. Its lock guards the set of lanes that may be owed an answer.
type Writer interface {
	sync.Locker
	// Head returns the sequence of the newest event.
	Head() uint64
	// Append stores events.
	Append(ctx context.Context, all ...*writer.Draft) error
	// ReportAt returns the sequences of a report's first and last event by their ids.
	ReportAt(first, last string) (seq, until uint64, ok bool)
}

// Answers derives answers. It is a listener of the writer. Its methods may be called by many goroutines.
type Answers struct {
	Config
	kinds  map[string]answerKind
	newest *replay.Newest // of the log
	folds  *replay.Folds  // of the lanes at work
	ready  ready

	// The writer's lock guards these fields.

	sampled    sampled
	unanswered unanswered
}

// liveLanes is the number of cached folds: enough for a few sessions at work with their subagents. A fold of 1,000 events takes
// some hundred kilobytes.
const liveLanes = 32

// New returns the answers of an owner.
func New(c Config) *Answers {
	newest := replay.NewNewest(c.Log)
	var needs []projections.Projection
	all := kinds()
	for _, k := range all {
		needs = append(needs, k.needs...)
	}
	folds := replay.NewFolds(newest, liveLanes, needs...)
	return &Answers{Config: c, kinds: all, newest: newest, folds: folds, sampled: sampled{}, unanswered: unanswered{}}
}

// Remember receives an event that the log held when the owner started.
func (a *Answers) Remember(e events.Envelope) {
	a.newest.Note(e)
	a.unanswered.note(e)
}

// Stored receives an event that was just stored.
func (a *Answers) Stored(e events.Envelope) {
	a.sampled.note(e)
	a.Remember(e)
}

// Folded returns the cached fold of a lane, and its configuration. The fold may be behind the log.
func (a *Answers) Folded(t projections.Target) (*projections.Fold, projections.Config, bool) {
	return a.folds.Peek(t)
}

// question holds the input of an answer: the event of the hook that asks, and the fold of the log up to it.
type question struct {
	request  wire.AnswerRequest
	event    events.Envelope
	fold     *projections.Fold
	settings Settings
}

// origin returns the sequence of the asker's event, or of the event that it echoes: two hooks that report one fact have one
// origin.
func (q question) origin() uint64 {
	return cmp.Or(q.event.EchoOf, q.event.Seq)
}

// lane returns the asker's lane.
func (q question) lane() projections.Target {
	return projections.Target{Project: q.event.Project, Session: q.event.Session, Lane: q.event.Lane}
}

// answer holds a text, its receiver, and the event that claims it. The event's id is derived from the kind, the words in claim, and
// the asker's lane or project. The kind need not be the requested one.
type answer struct {
	kind  string
	text  string
	to    string
	scope projections.Scope
	claim []string
	event events.Event
}

func (a *Answers) mayOwe(kind answerKind, lane projections.Target) bool {
	if kind.mayOwe == nil {
		return true
	}
	a.Writer.Lock()
	defer a.Writer.Unlock()
	return kind.mayOwe(a, lane)
}

// Answer derives the answer that an agent is owed as of the hook's event, and claims it. If two hooks ask for one answer, one gets
// it: an answer is printed at most once. A hook that asks again gets the answer that was claimed for its event. report holds the
// events of the hook.
func (a *Answers) Answer(ctx context.Context, request wire.AnswerRequest, report []*writer.Draft) (text, to string, err error) {
	kind, ok := a.kinds[request.Kind]
	if !ok || !request.Again && !a.mayOwe(kind, writer.LaneOf(report)) {
		return "", "", nil // a kind of a newer program, or no answer is due
	}
	request.Lang = recovery.Language(request.Lang) // hooks name a locale
	seq, until, ok := a.Writer.ReportAt(request.Event, request.Last)
	if !ok {
		return "", "", fmt.Errorf("answer: event %s is not among the newest events of the log", request.Event)
	}
	q := question{request: request, settings: a.Settings()}
	if len(report) > 0 && report[0].Place == seq && !report[0].InLog {
		q.event = report[0].Envelope
		q.event.Seq = seq
	} else if q.event, err = a.event(ctx, seq); err != nil {
		return "", "", fmt.Errorf("answer: %w", err)
	}
	a.ready.put(q.lane(), asker{request, a.ready.asker(q.lane()).text})
	if q.fold, err = a.folds.At(ctx, q.lane(), q.settings.Fold, until); err != nil {
		return "", "", err
	}
	result, err := a.derived(ctx, request.Kind, q)
	if err != nil || result.text == "" {
		return "", "", err
	}
	won, err := a.claim(ctx, q, result)
	if err != nil || !won {
		return "", "", err
	}
	return result.text, result.to, nil
}

// event returns the event at a sequence, the zero one if there is none.
func (a *Answers) event(ctx context.Context, seq uint64) (events.Envelope, error) {
	for e, err := range a.newest.Events(ctx, events.Span{After: seq - 1, Until: seq}) {
		return e, err
	}
	return events.Envelope{}, nil
}

// derived returns an answer of a declared kind.
func (a *Answers) derived(ctx context.Context, kind string, q question) (answer, error) {
	result, err := a.kinds[kind].derive(a, ctx, q)
	result.kind = cmp.Or(result.kind, kind)
	return result, err
}

// claim stores the event of an answer. won is false if it was stored before: then another hook got the answer.
func (a *Answers) claim(ctx context.Context, q question, result answer) (won bool, err error) {
	words := []string{result.kind, q.event.Project}
	if result.scope == projections.Lane {
		words = append(words, q.event.Session, q.event.Lane)
	}
	words = append(words, result.claim...)
	d, err := writer.DraftOf(result.event, events.Meta{
		ID: events.DerivedID(words...), At: time.Now().UnixNano(), Agent: q.event.Agent,
		Session: q.event.Session, Lane: q.event.Lane, Project: q.event.Project, Turn: q.event.Turn,
		Cause: q.event.ID,
	})
	if err != nil {
		return false, err
	}
	repeated := q.request.Again
	if err = a.Writer.Append(ctx, d); err != nil { // it may be stored all the same: then no other hook gets the answer
		repeated, err = true, a.Writer.Append(ctx, d)
	}
	if err != nil || !d.InLog || !repeated {
		return err == nil && !d.InLog, err
	}
	e, err := a.event(ctx, d.Place) // the claim may be that of this hook, which asks again
	return err == nil && e.Cause == q.event.ID, err
}
