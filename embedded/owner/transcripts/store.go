package transcripts

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"journal/embedded/owner/writer"
	"journal/events"
	"journal/journal"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
	"journal/projections"
)

// inventory is what the log holds of the facts in a session's transcript, so that a fact that
// a hook or an import reported is not stored again. It also holds the hooks' facts that the
// transcript completes: commands with their exit code, compactions with their summary. An
// import has another inventory: it searches the whole log for facts that are identified only
// by their words and place (journal/agents/backfill).
type inventory struct {
	lane       string              // the lane of the transcript
	seq        uint64              // the log was read up to here
	told       map[string]bool     // facts of transcripts, by factOf
	calls      map[string]bool     // occurrence keys of commands that hooks reported
	compacted  map[string][]uint64 // compactions without a summary, in order, by turn
	summarised map[uint64]bool     // those of them that have one now
	newest     int64               // time of the newest event
	prompts    []prompt            // of the person
}

// transcribed are the event types that transcripts yield.
var transcribed = []events.Type{
	events.TypeOf[events.ToolRefused](), events.TypeOf[events.PromptSubmitted](), events.TypeOf[events.CommandRan](),
	events.TypeOf[events.TurnInterrupted](), events.TypeOf[events.SubagentTasked](), events.TypeOf[events.FileMoved](),
	events.TypeOf[events.ToolUsed](), events.TypeOf[events.CompactionCompleted](), events.TypeOf[events.UsageSampled](),
	events.TypeOf[events.CommandExited](), events.TypeOf[events.SummaryImported](), events.TypeOf[events.FileWritten](), events.TypeOf[events.PlanApproved](),
	events.TypeOf[events.ConversationRewound](),
}

// grow reads what the log holds up to a sequence.
func (k *inventory) grow(ctx context.Context, log *journal.Log, t projections.Target, head uint64) error {
	if k.told == nil {
		fresh := inventory{
			lane: k.lane, told: map[string]bool{}, calls: map[string]bool{}, compacted: map[string][]uint64{}, summarised: map[uint64]bool{},
		}
		if err := fresh.parts(ctx, log, t); err != nil {
			return err
		}
		*k = fresh
	}
	if head <= k.seq {
		return nil
	}
	sel := events.Selector{Project: t.Project, Session: t.Session}.Of(transcribed...)
	for e, err := range log.Events(ctx, events.Span{After: k.seq, Until: head}, sel...) {
		if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
			continue // twice is better than not at all
		}
		if err != nil {
			return err
		}
		k.note(e)
	}
	k.seq = head
	return nil
}

func (k *inventory) note(e events.Envelope) {
	hook := false // of the thread
	if events.Derived(e.ID) {
		k.told[e.ID] = true
	} else if e.Lane == k.lane && e.EchoOf == 0 {
		hook, k.newest = true, max(k.newest, e.At)
	}
	switch e.Type {
	case events.TypeOf[events.CommandRan]():
		k.calls[e.Key] = k.calls[e.Key] || hook
		return
	case events.TypeOf[events.ToolRefused](), events.TypeOf[events.SubagentTasked](),
		events.TypeOf[events.SummaryImported](), events.TypeOf[events.CompactionCompleted](), events.TypeOf[events.PromptSubmitted]():
	default:
		return
	}
	ev, err := events.Open(e)
	if err != nil {
		return // journal verify reports it
	}
	switch ev := ev.(type) {
	case events.PromptSubmitted:
		if e.Lane == k.lane && e.EchoOf == 0 && e.Seq != 0 && !ev.Machine {
			k.prompts = append(k.prompts, prompt{e.Seq, transcript.Prompt{ID: e.ID, Turn: e.Turn, Words: transcript.WordsOf(ev.Text), At: e.At}})
		}
	case events.ToolRefused, events.SubagentTasked:
		k.told[factOf(e, ev)] = true
	case events.SummaryImported:
		k.summarised[ev.Compaction] = true
	case events.CompactionCompleted:
		if hook && ev.Summary == "" {
			k.compacted[e.Turn] = append(k.compacted[e.Turn], e.Seq)
		}
	}
}

// factOf identifies the fact of an event: by the tool call or the lane that it is about, because hooks report it too, or by
// the event's id.
func factOf(e events.Envelope, ev events.Event) string {
	if refused, ok := ev.(events.ToolRefused); ok && refused.Use != "" {
		return "refused " + refused.Use
	} else if tasked, ok := ev.(events.SubagentTasked); ok {
		return "tasked " + tasked.Lane
	}
	return e.ID
}

// parts reads the parts that an import added to the session (ADR-0011 rule 2).
func (k *inventory) parts(ctx context.Context, log *journal.Log, t projections.Target) error {
	for n := 1; ; n++ {
		found := false
		part := events.Selector{Project: t.Project, Session: t.Session + "~" + strconv.Itoa(n)}
		for e, err := range log.Events(ctx, events.Span{}, part) {
			if err != nil {
				return err
			}
			found = true
			k.note(e)
		}
		if !found && n > 1 { // the first part may be missing
			return nil
		}
	}
}

// store stores what a transcript showed. The caller has one's turn.
func (f *Reader) store(ctx context.Context, one *follower) error {
	steps := one.file.steps
	if len(steps) == 0 {
		return nil
	}
	// The first time this reads a long log; appenders do not wait for it.
	if err := one.told.grow(ctx, f.log, one.target, f.writer.Head()); err != nil {
		return err
	}
	f.writer.Lock()
	defer f.writer.Unlock()
	if err := one.told.grow(ctx, f.log, one.target, f.writer.Newest()); err != nil {
		return err
	}
	var all []*writer.Draft
	for len(steps) > 0 {
		s := steps[0]
		facts := events.Recognise(s.Report.Hook)
		when := one.told.complete(s, steps[1:], facts)
		if when == later {
			break
		}
		if steps = steps[1:]; when == never {
			continue
		}
		all = append(all, f.drafts(one, s, facts)...)
	}
	if len(all) > 0 {
		if err := f.writer.Store(ctx, all...); err != nil {
			one.told = inventory{lane: one.told.lane} // the log shows which of it is stored
			return err
		}
	}
	one.file.steps = steps
	return nil
}

// drafts returns the events of a step that the log does not hold.
func (f *Reader) drafts(one *follower, s transcript.Step, facts []events.Event) (all []*writer.Draft) {
	es, err := s.Events(one.target.Session, one.target.Project, facts...)
	if err != nil {
		f.trouble(err)
	}
	for i, e := range es {
		if one.told.told[factOf(e, facts[i])] {
			continue
		}
		one.told.note(e)
		d, err := writer.NewDraft(e)
		if err != nil {
			f.trouble(err)
			continue
		}
		all = append(all, d)
	}
	return all
}

// prompt is a prompt in the log.
type prompt struct {
	seq uint64
	transcript.Prompt
}

// find returns the number of a prompt that a transcript has, 0 if the log lacks it: that with its id, the first of its
// turn, or that with its words which is next to it in time.
func (k *inventory) find(p transcript.Prompt) (seq uint64) {
	distance := int64(math.MaxInt64)
	for _, one := range k.prompts {
		switch {
		case one.ID == p.ID, p.Turn != "" && one.Turn == p.Turn:
			return one.seq
		case one.Words == p.Words && (one.Turn == "" || p.Turn == "") && max(one.At-p.At, p.At-one.At) < distance:
			seq, distance = one.seq, max(one.At-p.At, p.At-one.At)
		}
	}
	return seq
}

// rewound fills in the numbers of a rewind. ok is false as long as the log lacks the prompts.
func (k *inventory) rewound(r transcript.Rewind, facts []events.Event) (ok bool) {
	ev := events.ConversationRewound{First: k.find(r.First), Files: r.Files}
	if r.Next != nil {
		next := k.find(*r.Next)
		if next == 0 {
			return false
		}
		ev.Last = next - 1
	} else if i := slices.IndexFunc(k.prompts, func(p prompt) bool { return p.seq > ev.First && p.At > r.At }); i >= 0 {
		ev.Last = k.prompts[i].seq - 1
	}
	facts[0] = ev
	return ev.First != 0
}

// fact returns the oldest compaction of a turn without a summary, 0 for none.
func (k *inventory) fact(turn string) uint64 {
	for _, seq := range k.compacted[turn] {
		if !k.summarised[seq] {
			return seq
		}
	}
	return 0
}

// placing says when a step of a transcript goes into the log.
type placing uint8

const (
	now   placing = iota
	later         // the hook that it adds to has not come yet
	never         // that hook will not come, or it is too late to store the step
)

// complete places a step: what adds to a fact comes after the fact, whether transcript or
// hook is faster. It fills in the compaction of a summary. A hook later than the step shows
// that an earlier one will not come. A sample of the usage before a compaction is of no use
// after it.
func (k *inventory) complete(s transcript.Step, rest []transcript.Step, facts []events.Event) placing {
	h := s.Report.Hook
	switch {
	case h.Kind == events.CompactSummary && k.told[s.IDs(1)[0]]:
		return never
	case s.Rewind != nil && k.rewound(*s.Rewind, facts):
		return now
	case s.Rewind != nil, s.After != "" && !k.calls[s.After]:
	case h.Kind == events.CompactSummary:
		if fact := k.fact(h.Turn); fact != 0 {
			facts[0] = events.SummaryImported{Compaction: fact, Trigger: h.Trigger, Summary: h.Text}
			return now
		}
	case h.Kind == events.UsageSample && slices.ContainsFunc(rest, func(r transcript.Step) bool {
		return r.Report.Hook.Kind == events.CompactSummary && k.fact(r.Report.Hook.Turn) != 0
	}):
		return never
	default:
		return now
	}
	if k.newest > h.At {
		return never
	}
	return later
}

// subagents stores what the transcripts of the session's subagents show by now: what they were asked to do, and what no
// hook reports about them.
func (f *Reader) subagents(ctx context.Context, one *follower, deadline time.Time) (more bool, err error) {
	format, path := one.file.format, one.file.path
	if format == nil || path == "" || one.file.paused {
		return false, nil
	}
	f.writer.Lock()
	lanes := maps.Clone(one.lanes)
	f.writer.Unlock()
	for lane, ended := range lanes {
		left := false
		switch {
		case format.Lane != nil:
			left, err = f.subagent(ctx, one, lane, deadline)
			more = more || left
			ended = ended && !left
		case format.Task != nil && !ended:
			err = f.task(ctx, one, lane)
			ended = !errors.Is(err, fs.ErrNotExist)
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrPermission) || errors.Is(err, disk.ErrNotRegular) {
			err = nil // agents write it late, or nobody can read it
		}
		if ended && (err == nil || format.Lane == nil) {
			delete(one.subs, lane)
			f.writer.Lock()
			delete(one.lanes, lane)
			f.writer.Unlock()
		}
		if err != nil {
			return more, err
		}
	}
	return more, nil
}

// task stores what a subagent was asked to do.
func (f *Reader) task(ctx context.Context, one *follower, lane string) error {
	s, err := one.file.format.Task(one.file.path, lane)
	if err != nil {
		return err
	}
	one.file.steps = append(one.file.steps, s)
	return f.store(ctx, one)
}

// subagent reads on in the transcript of a subagent.
func (f *Reader) subagent(ctx context.Context, one *follower, lane string, deadline time.Time) (more bool, err error) {
	sub := one.subs[lane]
	if sub == nil {
		path, err := one.file.format.Lane(one.file.path, lane)
		if err != nil {
			return false, err
		}
		sub = &follower{target: one.target, told: inventory{lane: lane}, file: reading{agent: one.file.agent, format: one.file.format, path: path}}
		one.subs[lane] = sub
		one.beside = append(one.beside, path)
	}
	file, info, err := disk.Open(sub.file.path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	return f.readRows(ctx, sub, file, info, deadline)
}

// Repeats returns the sequence of an event from a transcript that a hook's event repeats, 0 for
// none: the task of a subagent, which the hook reports only after the subagent has answered.
// The caller holds the writer's lock.
func (f *Reader) Repeats(e events.Envelope) uint64 {
	t, ok := events.As[events.SubagentTasked](e)
	one := f.all[projections.Target{Project: e.Project, Session: e.Session}]
	if !ok || t.Background || one == nil || events.Derived(e.ID) {
		return 0 // that a subagent works in the background is news
	}
	return one.tasked[t.Lane]
}
