package owner

import (
	"context"
	"slices"
	"strconv"
	"time"

	"journal/events"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay"
)

// What a session that begins or goes on should know of: the files of notes and
// knowledge with counts, not their contents, one line each about the last
// compaction, compound and the pressure (S1.10), and a skill that was left
// unfinished, by it or by an earlier session, to go on with or to discard (S3.3).
// Nothing when there are none.
var _ = declareAnswer(wire.StartText, answerKind{
	needs: []projections.Projection{
		projections.Flow, projections.Stock, projections.Phase, projections.LastCompact,
		projections.CompoundLastRun, projections.Pressure, projections.Skills, projections.Ports,
		projections.ProjectCompact, projections.Compile,
	},
	derive: (*Owner).start,
})

// knownFile is a line about one file of notes or knowledge.
type knownFile struct {
	Name       string
	Stock      bool
	Entries    int
	Waiting    int // of working notes: not promoted
	Unverified int // of knowledge
	Seq        uint64
	At         time.Time // of the event at Seq, UTC
}

func (o *Owner) start(ctx context.Context, q question) (answer, error) {
	page := struct {
		Files    []knownFile
		Skill    projections.PhaseState
		Left     *leftSkill // by an earlier session; nil when there is one of its own
		Ports    []offeredPort
		Beside   int // further running ports
		Compact  projections.LastCompactState
		Newest   projections.ProjectCompactState // in any session
		Compound projections.CompoundState
		Pressure projections.PressureState
		Compile  *openRun // nil without one
	}{
		Files:    slices.Concat(notes(projections.Flow.In(q.fold)), knowledge(projections.Stock.In(q.fold))),
		Skill:    projections.Phase.In(q.fold),
		Compact:  projections.LastCompact.In(q.fold),
		Newest:   projections.ProjectCompact.In(q.fold),
		Compound: projections.CompoundLastRun.In(q.fold),
		Pressure: projections.Pressure.In(q.fold),
		Compile:  openRunOf(q),
	}
	if !page.Skill.Active() {
		page.Left = left(q)
	}
	page.Ports, page.Beside = offeredPorts(q)
	// How full the context is says nothing by itself.
	compacted := page.Compact.Count > 0 || page.Compact.Imported > 0 || page.Newest.Seq > 0
	promoted := page.Compound.Seq > 0 || page.Compound.Imported > 0
	if len(page.Files) == 0 && !page.Skill.Active() && page.Left == nil && len(page.Ports) == 0 && page.Compile == nil && !compacted && !promoted {
		return answer{}, nil
	}
	for i := range page.Files {
		at, err := o.timeOf(ctx, page.Files[i].Seq)
		if err != nil {
			return answer{}, err
		}
		page.Files[i].At = at
	}
	text, err := replay.Phrase(q.owed.Lang, "start", page)
	if err != nil {
		return answer{}, err
	}
	return q.notice("start", "", wire.ToModel, text, q.origin(), strconv.FormatUint(q.origin(), 10)), nil
}

// leftSkill is a skill that an earlier session has left unfinished.
type leftSkill struct {
	projections.SkillState
	Stale bool
}

// left gives what a session that begins or is resumed can go on with, as of its own
// event.
func left(q question) *leftSkill {
	ev, err := events.Open(q.asked)
	start, ok := ev.(events.SessionStarted)
	if err != nil || !ok || q.asked.Lane != "" || start.Source != "startup" && start.Source != "resume" {
		return nil
	}
	now := projections.Stamp(q.asked.At)
	s, ok := projections.Skills.In(q.fold).Left(q.asked.Session, now)
	if !ok {
		return nil
	}
	return &leftSkill{s, s.Stale(now)}
}

// openRun is a run of the compile workflow in which something is left to do (S2.11).
type openRun struct {
	Done, Total int
	Next        projections.CompileStep
}

func openRunOf(q question) *openRun {
	run := projections.Compile.In(q.fold)
	if !run.Concerns(q.asked.Session, projections.Stamp(q.asked.At)) {
		return nil
	}
	o := openRun{Total: len(run.Targets), Next: run.Next()[0]}
	for _, t := range run.Targets {
		if t.Done() {
			o.Done++
		}
	}
	return &o
}

// timeOf gives the own time of the event at a sequence.
func (o *Owner) timeOf(ctx context.Context, seq uint64) (time.Time, error) {
	for e, err := range o.log.Events(ctx, events.Span{After: seq - 1, Until: seq}) {
		return e.Time(), err
	}
	return time.Time{}, nil
}

// notes counts the working notes that stand in a file.
func notes(s projections.FlowState) []knownFile {
	var files []knownFile
	for _, e := range s.Entries {
		if e.DroppedSeq != 0 || e.File == "" {
			continue
		}
		f := fileNamed(&files, e.File, max(e.Seq, e.ChangedSeq))
		f.Entries++
		if !e.Promoted && !e.Plan {
			f.Waiting++
		}
	}
	return files
}

func knowledge(s projections.StockState) []knownFile {
	var files []knownFile
	for _, l := range s.Learnings {
		if l.DeletedSeq != 0 {
			continue
		}
		f := fileNamed(&files, l.File, max(l.Seq, l.ChangedSeq))
		f.Stock = true
		f.Entries++
		if l.Confirmed == 0 {
			f.Unverified++
		}
	}
	return files
}

// fileNamed gives the line of a file, a new one when it has none, last changed
// at seq or later.
func fileNamed(files *[]knownFile, name string, seq uint64) *knownFile {
	i := slices.IndexFunc(*files, func(f knownFile) bool { return f.Name == name })
	if i < 0 {
		*files = append(*files, knownFile{Name: name})
		i = len(*files) - 1
	}
	f := &(*files)[i]
	f.Seq = max(f.Seq, seq)
	return f
}
