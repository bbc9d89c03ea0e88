// Package answers derives the texts that hooks print for their agents: the recovery text and the notices. An answer is derived from a fold
// of the log as of the hook's own event. Before an answer is printed, an event records it (the claim), so that it is printed once.
package answers

import (
	"cmp"
	"context"
	"fmt"
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
	// Template returns the source of a person's own recovery template for a language, empty if there is none. It is required.
	Template func(lang string) string
}

// Config configures Answers. All fields are required.
type Config struct {
	Log      *journal.Log
	Writer   *writer.Writer // stores claims
	Sessions *Sessions
	// Settings is called for each answer.
	Settings func() Settings
	Command  func() string // returns the command by which an agent runs the program, for texts that name it
	OnError  func(error)
	Team     func() Team // returns nil on a machine that belongs to no team
}

// Team provides what other members of a team have shared, as this machine last received it. No method sends a request to the hub.
type Team interface {
	// Offers returns the unfinished work of others in a project.
	Offers(project string) []recovery.Offer
	// Decisions returns the decisions of others in a project, newest first.
	Decisions(project string) []knowledge.MemberDecision
}

// Answers derives answers. It is a listener of the writer. Its methods may be called by many goroutines.
type Answers struct {
	Config
	kinds  map[string]answerKind
	newest *replay.Newest // cache of the log's newest events
	folds  *replay.Folds  // of the newest liveLanes lanes that asked
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
	a.newest.Add(e)
	a.unanswered.note(e)
}

// Stored receives an event that was just stored.
func (a *Answers) Stored(e events.Envelope) {
	a.sampled.note(e)
	a.Remember(e)
}

// Folded returns the cached fold of a lane and its configuration, false if there is none. The fold may be behind the log.
func (a *Answers) Folded(t projections.Target) (*projections.Fold, projections.Config, bool) {
	return a.folds.Peek(t)
}

// question holds the input of an answer.
type question struct {
	request  wire.AnswerRequest
	event    events.Envelope   // the first event of the hook that asks
	fold     *projections.Fold // of the hook's lane, up to the hook's last event
	settings Settings
}

// origin returns the sequence of the hook's event, or of the event that it echoes: two hooks that report one fact have one origin.
func (q question) origin() uint64 {
	return cmp.Or(q.event.EchoOf, q.event.Seq)
}

// lane returns the hook's lane.
func (q question) lane() projections.Target {
	return projections.Target{Project: q.event.Project, Session: q.event.Session, Lane: q.event.Lane}
}

// answer is a text with the event that claims it. The zero value is no answer.
type answer struct {
	kind  string // need not be the requested kind
	text  string
	to    string            // receiver of the text, such as wire.ToModel
	scope projections.Scope // Lane or Project: within one, only one answer with the same kind and claim is printed
	claim []string
	event events.Event
}

// mayBeDue reports, without a fold, whether an answer of a kind may be due to the lane of a report. Nothing is due to an empty report,
// unless the kind has no mayBeDue.
func (a *Answers) mayBeDue(kind answerKind, report []*writer.Draft) bool {
	if kind.mayBeDue == nil {
		return true
	}
	if len(report) == 0 {
		return false
	}
	a.Writer.Lock()
	defer a.Writer.Unlock()
	return kind.mayBeDue(a, report[0].Target())
}

// Answer derives the answer that is due to an agent as of a hook's event, and claims it. If two hooks ask for the same answer, only one
// gets it, so that an answer is printed at most once. A hook that asks again gets the answer that was claimed for its event. report holds
// the events of the hook; it may be empty. The text is empty if no answer is due. to is the receiver of the text, such as wire.ToModel.
func (a *Answers) Answer(ctx context.Context, request wire.AnswerRequest, report []*writer.Draft) (text, to string, err error) {
	kind, ok := a.kinds[request.Kind]
	if !ok || !request.Again && !a.mayBeDue(kind, report) {
		return "", "", nil // a kind of a newer program, or no answer is due
	}
	request.Lang = recovery.Language(request.Lang) // hooks name a locale
	seq, until, ok := a.Writer.ReportAt(request.Event, request.Last)
	if !ok {
		return "", "", fmt.Errorf("answer: event %s is not among the newest events of the log", request.Event)
	}
	q := question{request: request, settings: a.Settings()}
	if len(report) > 0 && report[0].Sequence == seq && !report[0].InLog {
		q.event = report[0].Envelope
		q.event.Seq = seq
	} else if q.event, err = a.event(ctx, seq); err != nil {
		return "", "", fmt.Errorf("answer: %w", err)
	}
	a.ready.put(q.lane(), prepared{request, a.ready.get(q.lane()).text})
	if q.fold, err = a.folds.At(ctx, q.lane(), q.settings.Fold, until); err != nil {
		return "", "", err
	}
	result, err := a.derive(ctx, request.Kind, q)
	if err != nil || result.text == "" {
		return "", "", err
	}
	won, err := a.claim(ctx, q, result)
	if err != nil || !won {
		return "", "", err
	}
	return result.text, result.to, nil
}

// event returns the event with a sequence, the zero value if there is none.
func (a *Answers) event(ctx context.Context, seq uint64) (events.Envelope, error) {
	for e, err := range a.newest.Events(ctx, events.Span{After: seq - 1, Until: seq}) {
		return e, err
	}
	return events.Envelope{}, nil
}

// derive returns an answer of a kind in kinds.
func (a *Answers) derive(ctx context.Context, kind string, q question) (answer, error) {
	result, err := a.kinds[kind].derive(a, ctx, q)
	result.kind = cmp.Or(result.kind, kind)
	return result, err
}

// claim stores the event of an answer. won is false if another hook has claimed the answer before.
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
	mayBeOwn := q.request.Again // a claim in the log may be of this hook
	if err = a.Writer.Append(ctx, d); err != nil {
		// The event may be stored although Append failed. The second try finds it then.
		mayBeOwn, err = true, a.Writer.Append(ctx, d)
	}
	if err != nil {
		return false, err
	}
	if !d.InLog || !mayBeOwn {
		return !d.InLog, nil
	}
	e, err := a.event(ctx, d.Sequence)
	return err == nil && e.Cause == q.event.ID, err
}
