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

// inventory holds the facts in a session's transcript that the log has, so that a fact from a hook or an import is not stored again. It
// also holds facts of hooks that the transcript completes: commands, which get their exit code, and compactions, which get their summary.
// An import has an inventory of its own, which searches the whole log (journal/agents/backfill).
type inventory struct {
	lane       string              // the lane of the transcript
	seq        uint64              // up to which the log was read
	facts      map[string]bool     // by factOf
	calls      map[string]bool     // occurrence keys of commands; true if a hook reported the command
	compacted  map[string][]uint64 // sequences of compactions that hooks reported without a summary, in order, by turn
	summarised map[uint64]bool     // sequences of the compactions that got their summary later
	newest     int64               // time of the lane's newest event, of the types in transcribed, that a hook reported; ns since 1970 UTC
	prompts    []prompt            // of the person
}

// transcribed holds the event types that transcripts yield.
var transcribed = []events.Type{
	events.TypeOf[events.ToolRefused](), events.TypeOf[events.PromptSubmitted](), events.TypeOf[events.CommandRan](),
	events.TypeOf[events.TurnInterrupted](), events.TypeOf[events.SubagentTasked](), events.TypeOf[events.FileMoved](),
	events.TypeOf[events.ToolUsed](), events.TypeOf[events.CompactionCompleted](), events.TypeOf[events.UsageSampled](),
	events.TypeOf[events.CommandExited](), events.TypeOf[events.SummaryImported](), events.TypeOf[events.FileWritten](), events.TypeOf[events.PlanApproved](),
	events.TypeOf[events.ConversationRewound](),
}

// catchUp reads the part of the log up to head that the inventory lacks.
func (inv *inventory) catchUp(ctx context.Context, log *journal.Log, t projections.Target, head uint64) error {
	if inv.facts == nil {
		fresh := inventory{
			lane: inv.lane, facts: map[string]bool{}, calls: map[string]bool{}, compacted: map[string][]uint64{}, summarised: map[uint64]bool{},
		}
		if err := fresh.parts(ctx, log, t); err != nil {
			return err
		}
		*inv = fresh
	}
	if head <= inv.seq {
		return nil
	}
	sel := events.Selector{Project: t.Project, Session: t.Session}.Of(transcribed...)
	for e, err := range log.Events(ctx, events.Span{After: inv.seq, Until: head}, sel...) {
		if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
			continue // a fact stored twice is better than a lost one
		}
		if err != nil {
			return err
		}
		inv.note(e)
	}
	inv.seq = head
	return nil
}

// note adds an event of the log.
func (inv *inventory) note(e events.Envelope) {
	hook := false // a hook reported it in the lane
	if events.Derived(e.ID) {
		inv.facts[e.ID] = true
	} else if e.Lane == inv.lane && e.EchoOf == 0 {
		hook, inv.newest = true, max(inv.newest, e.At)
	}
	switch e.Type {
	case events.TypeOf[events.CommandRan]():
		inv.calls[e.Key] = inv.calls[e.Key] || hook
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
		if e.Lane == inv.lane && e.EchoOf == 0 && e.Seq != 0 && !ev.Machine {
			inv.prompts = append(inv.prompts, prompt{e.Seq, transcript.Prompt{ID: e.ID, Turn: e.Turn, Words: transcript.WordsOf(ev.Text), At: e.At}})
		}
	case events.ToolRefused, events.SubagentTasked:
		inv.facts[factOf(e, ev)] = true
	case events.SummaryImported:
		inv.summarised[ev.Compaction] = true
	case events.CompactionCompleted:
		if hook && ev.Summary == "" {
			inv.compacted[e.Turn] = append(inv.compacted[e.Turn], e.Seq)
		}
	}
}

// factOf identifies the fact of an event: by its tool call or its lane if hooks report the fact too, else by the event's id.
func factOf(e events.Envelope, ev events.Event) string {
	if refused, ok := ev.(events.ToolRefused); ok && refused.Use != "" {
		return "refused " + refused.Use
	} else if tasked, ok := ev.(events.SubagentTasked); ok {
		return "tasked " + tasked.Lane
	}
	return e.ID
}

// parts adds the events of a session's parts. An import stores rows that hooks missed, and that come before recorded ones, as sessions of
// their own (ADR-0011 rule 2).
func (inv *inventory) parts(ctx context.Context, log *journal.Log, t projections.Target) error {
	for n := 1; ; n++ {
		found := false
		part := events.Selector{Project: t.Project, Session: t.Session + "~" + strconv.Itoa(n)}
		for e, err := range log.Events(ctx, events.Span{}, part) {
			if err != nil {
				return err
			}
			found = true
			inv.note(e)
		}
		if !found && n > 1 { // the first part may be missing
			return nil
		}
	}
}

// store stores the facts in the steps of a transcript, except those that have to wait. The caller holds the semaphore of the session.
func (rd *Reader) store(ctx context.Context, lr *laneReader) error {
	steps := lr.file.steps
	if len(steps) == 0 {
		return nil
	}
	// The first call reads a long log, without the lock: appenders do not wait for it.
	if err := lr.recorded.catchUp(ctx, rd.log, lr.target, rd.writer.Head()); err != nil {
		return err
	}
	rd.writer.Lock()
	defer rd.writer.Unlock()
	if err := lr.recorded.catchUp(ctx, rd.log, lr.target, rd.writer.Newest()); err != nil {
		return err
	}
	var all []*writer.Draft
	for len(steps) > 0 {
		s := steps[0]
		facts := events.Recognise(s.Report.Hook)
		when := lr.recorded.complete(s, steps[1:], facts)
		if when == later {
			break
		}
		steps = steps[1:]
		if when == never {
			continue
		}
		all = append(all, rd.drafts(lr, s, facts)...)
	}
	if len(all) > 0 {
		if err := rd.writer.Store(ctx, all...); err != nil {
			lr.recorded = inventory{lane: lr.recorded.lane} // some facts were not stored: the next call reads the log again
			return err
		}
	}
	lr.file.steps = steps
	return nil
}

// drafts returns the events of a step that the log lacks, and adds them to the inventory.
func (rd *Reader) drafts(lr *laneReader, s transcript.Step, facts []events.Event) (all []*writer.Draft) {
	es, err := s.Events(lr.target.Session, lr.target.Project, facts...)
	if err != nil {
		rd.onError(err)
	}
	for i, e := range es {
		if lr.recorded.facts[factOf(e, facts[i])] {
			continue
		}
		lr.recorded.note(e)
		d, err := writer.NewDraft(e)
		if err != nil {
			rd.onError(err)
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

// find returns the sequence of the prompt in the log that is a prompt of the transcript, 0 if the log lacks it. It is the prompt with the
// same id, or the first one of the same turn. If one of the two names no turn, it is the one with the same words that is nearest in time.
func (inv *inventory) find(p transcript.Prompt) (seq uint64) {
	distance := int64(math.MaxInt64)
	for _, known := range inv.prompts {
		switch {
		case known.ID == p.ID, p.Turn != "" && known.Turn == p.Turn:
			return known.seq
		case known.Words == p.Words && (known.Turn == "" || p.Turn == ""):
			if apart := max(known.At-p.At, p.At-known.At); apart < distance {
				seq, distance = known.seq, apart
			}
		}
	}
	return seq
}

// completeRewind sets facts[0] to the event of a rewind, with its sequences. Last stays 0, for the newest event, if no prompt followed the
// rewind. ok is false if the log lacks the prompts so far.
func (inv *inventory) completeRewind(r transcript.Rewind, facts []events.Event) (ok bool) {
	ev := events.ConversationRewound{First: inv.find(r.First), Files: r.Files}
	if r.Next != nil {
		next := inv.find(*r.Next)
		if next == 0 {
			return false
		}
		ev.Last = next - 1
	} else if i := slices.IndexFunc(inv.prompts, func(p prompt) bool { return p.seq > ev.First && p.At > r.At }); i >= 0 {
		ev.Last = inv.prompts[i].seq - 1
	}
	facts[0] = ev
	return ev.First != 0
}

// unsummarised returns the sequence of the oldest compaction of a turn that has no summary, 0 if there is none.
func (inv *inventory) unsummarised(turn string) uint64 {
	for _, seq := range inv.compacted[turn] {
		if !inv.summarised[seq] {
			return seq
		}
	}
	return 0
}

// storeTime is the time at which a step of a transcript is stored.
type storeTime uint8

const (
	now   storeTime = iota
	later           // after the hook whose fact it completes has come
	never           // that hook will not come, or the step is outdated or stored
)

// complete returns when a step is stored. A step that completes a fact is stored after that fact. If a hook has reported an event that is
// later than the step, the hook of that fact will not come any more. complete also sets the compaction of a summary, or the sequences of a
// rewind, in facts, which are the events of the step. rest holds the steps after this one: a usage sample from before a compaction is
// useless after it.
func (inv *inventory) complete(s transcript.Step, rest []transcript.Step, facts []events.Event) storeTime {
	h := s.Report.Hook
	switch {
	case h.Kind == events.CompactSummary && inv.facts[s.IDs(1)[0]]:
		return never
	case s.Rewind != nil && inv.completeRewind(*s.Rewind, facts):
		return now
	case s.Rewind != nil, s.After != "" && !inv.calls[s.After]: // the log lacks the fact that the step completes
	case h.Kind == events.CompactSummary:
		if compaction := inv.unsummarised(h.Turn); compaction != 0 {
			facts[0] = events.SummaryImported{Compaction: compaction, Trigger: h.Trigger, Summary: h.Text}
			return now
		}
	case h.Kind == events.UsageSample && slices.ContainsFunc(rest, func(r transcript.Step) bool {
		return r.Report.Hook.Kind == events.CompactSummary && inv.unsummarised(r.Report.Hook.Turn) != 0
	}):
		return never
	default:
		return now
	}
	if inv.newest > h.At {
		return never
	}
	return later
}

// subagents stores the facts in the transcripts of the session's subagents: their tasks, and facts that no hook reports. See follow.
func (rd *Reader) subagents(ctx context.Context, sr *sessionReader, deadline time.Time) (more bool, err error) {
	format, path := sr.file.format, sr.file.path
	if format == nil || path == "" || sr.file.paused {
		return false, nil
	}
	rd.writer.Lock()
	lanes := maps.Clone(sr.lanes)
	rd.writer.Unlock()
	for lane, ended := range lanes {
		left := false
		switch {
		case format.Lane != nil:
			left, err = rd.subagent(ctx, sr, lane, deadline)
			more = more || left
			ended = ended && !left
		case format.Task != nil && !ended:
			err = rd.task(ctx, sr, lane)
			ended = !errors.Is(err, fs.ErrNotExist)
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrPermission) || errors.Is(err, disk.ErrNotRegular) {
			err = nil // the agent has not written the file yet, or the file is unreadable
		}
		if ended && (err == nil || format.Lane == nil) { // a task that cannot be read is not tried again
			delete(sr.subs, lane)
			rd.writer.Lock()
			delete(sr.lanes, lane)
			rd.writer.Unlock()
		}
		if err != nil {
			return more, err
		}
	}
	return more, nil
}

// task stores the task of a subagent whose rows are in the transcript of the session itself.
func (rd *Reader) task(ctx context.Context, sr *sessionReader, lane string) error {
	s, err := sr.file.format.Task(sr.file.path, lane)
	if err != nil {
		return err
	}
	sr.file.steps = append(sr.file.steps, s)
	return rd.store(ctx, &sr.laneReader)
}

// subagent reads the next portion of a subagent's transcript. See follow.
func (rd *Reader) subagent(ctx context.Context, sr *sessionReader, lane string, deadline time.Time) (more bool, err error) {
	sub := sr.subs[lane]
	if sub == nil {
		path, err := sr.file.format.Lane(sr.file.path, lane)
		if err != nil {
			return false, err
		}
		sub = &laneReader{target: sr.target, recorded: inventory{lane: lane}, file: reading{agent: sr.file.agent, format: sr.file.format, path: path}}
		sr.subs[lane] = sub
		sr.subPaths = append(sr.subPaths, path)
	}
	file, info, err := disk.Open(sub.file.path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	if more, err = sub.file.readRows(file, info, deadline); err != nil {
		return false, err
	}
	return more, rd.store(ctx, sub)
}

// Repeats returns the sequence of the event from a transcript that an event of a hook repeats, 0 if there is none. Hooks repeat only the
// task of a subagent: they report it after the subagent has answered. The caller holds the writer's lock.
func (rd *Reader) Repeats(e events.Envelope) uint64 {
	t, ok := events.As[events.SubagentTasked](e)
	sr := rd.all[projections.Target{Project: e.Project, Session: e.Session}]
	if !ok || t.Background || sr == nil || events.Derived(e.ID) {
		return 0 // not a repetition; only a hook reports that a subagent works in the background
	}
	return sr.tasked[t.Lane]
}
