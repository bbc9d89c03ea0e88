package recovery

import "journal/projections"

// PressureNeeds and StopNeeds are the projections that those notices are made of.
var (
	PressureNeeds = []projections.Projection{projections.Pressure, projections.Flow, projections.Answers, projections.SessionInfo}
	StopNeeds     = []projections.Projection{projections.Flow, projections.Stock, projections.Answers}
)

// PressureNotice says that the context fills up.
type PressureNotice struct {
	Text  string
	Level string
	About uint64 // the event that armed it
	Cycle int    // of the session's usage: a fall of it begins the next
}

// Pressure gives the notice that the main thread of a session is due: each level once, armed anew by a
// fall of the usage and after compound (S1.4). It has no text when none is.
func Pressure(f *projections.Fold, lang string) (n PressureNotice, err error) {
	p := projections.Pressure.In(f)
	newest := uint64(0)
	if waiting := projections.Flow.In(f).ForCompound(); len(waiting) > 0 {
		newest = waiting[0].Seq
	}
	level, about, due := p.Due()
	if !due {
		return n, nil
	}
	name := "pressure-" + level
	if about != 0 && newest < about {
		name = "pressure-after" // there is nothing left to promote
	}
	words, err := Phrase(lang, name, p)
	return PressureNotice{Text: words, Level: level, About: about, Cycle: p.Cycle}, err
}

// Stop gives the advice at the end of a turn that working notes wait to be promoted: once
// per set of notes in all sessions of the project (S1.2). newest is the event of the newest of them. It is
// empty when there is none.
func Stop(f *projections.Fold, lang string) (advice string, newest uint64, err error) {
	waiting := projections.Flow.In(f).ForCompound()
	if len(waiting) == 0 || projections.Answers.In(f).Stop >= waiting[0].Seq {
		return "", 0, nil
	}
	advice, err = Phrase(lang, "stop", struct {
		Count      int
		Headings   []string
		Unverified int
	}{len(waiting), projections.Headings(waiting), manyUnverified(projections.Stock.In(f))})
	return advice, waiting[0].Seq, err
}

// manyUnverified gives the number of unverified learnings when it is worth a
// word: five or more, and the larger part (S1.9). Else 0.
func manyUnverified(s projections.StockState) int {
	sum := s.Confidence()
	if sum.Unverified >= 5 && 2*sum.Unverified > sum.Entries {
		return sum.Unverified
	}
	return 0
}

// guidanceUnits bounds the guidance: it is added to the summariser's prompt, and
// a manual compaction shows it to the model once more (ADR-0033).
const guidanceUnits = 2000

// Guidance gives what the summariser of a compaction should keep (S3.5), out of a fold that holds Needs; empty
// when that is nothing.
func Guidance(f *projections.Fold, lang string) (string, error) {
	t, err := GuidanceTemplate(lang)
	if err != nil {
		return "", err
	}
	guidance, err := Render(Of(f).Pressing(), t, Limit{Units: guidanceUnits, Vital: guidanceUnits})
	return guidance.Text, err
}
