package recovery

import (
	"cmp"
	"slices"

	"journal/events/text"
	"journal/projections"
)

// PressureNeeds and StopNeeds list the projections behind the notices.
var (
	PressureNeeds = []projections.Projection{projections.Pressure, projections.Flow, projections.Answers, projections.SessionInfo, projections.Clearings}
	StopNeeds     = []projections.Projection{projections.Flow, projections.Stock, projections.Answers}
)

// PressureNotice is a notice to the agent that its context is filling up.
type PressureNotice struct {
	Text  string
	Level string // info or urgent
	About uint64 // the compound that armed the notice again, 0 for none
	Cycle int    // as PressureState.Cycle
}

// Pressure returns the notice due on the main lane of a session. Each level is due once; a fall of the usage and
// compound arm it again (S1.4). Text is empty if none is due.
func Pressure(f *projections.Fold, lang string) (PressureNotice, error) {
	p, waiting := projections.Pressure.In(f), projections.Flow.In(f).ForCompound()
	level, about, due := p.Due()
	if !due {
		return PressureNotice{}, nil
	}
	name := "pressure-" + level
	if about != 0 && (len(waiting) == 0 || waiting[0].Seq < about) {
		name = "pressure-after" // compound left nothing to promote
	}
	words, err := Phrase(lang, name, struct {
		projections.PressureState
		Notes bool // working notes wait to be promoted
	}{p, len(waiting) > 0})
	return PressureNotice{Text: words, Level: level, About: about, Cycle: p.Cycle}, err
}

// Bounds of the notice about a cleared context, in UTF-16 units.
const (
	clearedUnits = 600
	clearedWhat  = 60 // one command in it
)

// Cleared returns the notice about results that the client dropped from the context without a compaction since the last
// notice: failures, then other commands, then files that were read, each group newest first, as many as fit. command is the
// command by which the agent calls this program. newest is the event of the newest drop. notice is empty if nothing was
// dropped.
func Cleared(f *projections.Fold, lang, command string) (notice string, newest uint64, err error) {
	s := projections.Clearings.In(f)
	if s.Seq == 0 {
		return "", 0, nil
	}
	group := func(r projections.ToolResult) int {
		switch {
		case r.Failed:
			return 0
		case r.Read:
			return 2
		}
		return 1
	}
	all := slices.Clone(s.Gone)
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b projections.ToolResult) int { return cmp.Compare(group(a), group(b)) })
	for i := range all {
		all[i].What = text.CutLine(all[i].What, clearedWhat)
	}
	for n := min(len(all), clearedUnits/len("``, `` (#1)")); ; n-- { // more surely do not fit
		notice, err = Phrase(lang, "cleared", struct {
			projections.ClearedState
			Tokens, Command string
			Shown           []projections.ToolResult
			More            int
		}{s, text.Short(s.Freed), command, all[:n], s.Results - n})
		if err != nil || n == 0 || text.Units(notice) <= clearedUnits {
			return notice, s.Seq, err
		}
	}
}

// Stop returns the advice, at the end of a turn, to promote working notes: once per set of notes in all sessions of the
// project (S1.2). newest is the event of the newest note. advice is empty if none is due.
func Stop(f *projections.Fold, lang string) (advice string, newest uint64, err error) {
	waiting := projections.Flow.In(f).ForCompound()
	if len(waiting) == 0 || projections.Answers.In(f).Stop >= waiting[0].Seq {
		return "", 0, nil
	}
	advice, err = Waiting(waiting, manyUnverified(projections.Stock.In(f)), lang)
	return advice, waiting[0].Seq, err
}

// Waiting returns the advice about working notes that wait to be promoted, with the number of unverified learnings, 0 to
// leave that out.
func Waiting(notes []projections.FlowEntry, unverified int, lang string) (string, error) {
	return Phrase(lang, "stop", struct {
		Count      int
		Headings   []string
		Unverified int
	}{len(notes), projections.Headings(notes), unverified})
}

// manyUnverified returns the number of unverified learnings if it is worth mentioning (S1.9): five or more, and more than
// half of all. Otherwise it returns 0.
func manyUnverified(s projections.StockState) int {
	sum := s.Confidence()
	if sum.Unverified >= 5 && 2*sum.Unverified > sum.Entries {
		return sum.Unverified
	}
	return 0
}

// guidanceUnits bounds the guidance, in UTF-16 units: it is added to the summariser's prompt, and a manual compaction shows
// it to the model again (ADR-0033).
const guidanceUnits = 2000

// Guidance returns the guidance for the summariser of a compaction (S3.5), from a fold that holds Needs. It is empty if
// nothing needs to be kept.
func Guidance(f *projections.Fold, lang string) (string, error) {
	t, err := builtinTemplate("guidance", lang)
	if err != nil {
		return "", err
	}
	guidance, err := Render(Of(f).Pressing(), t, Limit{Units: guidanceUnits, Vital: guidanceUnits})
	return guidance.Text, err
}
