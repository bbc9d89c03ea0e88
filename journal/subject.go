package journal

import (
	"slices"
	"strings"

	"journal/events"
	"journal/journal/record"
	"journal/journal/wire"
)

// subjectRoot begins the subject of every stored event:
// journal.<project>.<session>.<type>. The type keeps its own dots.
const subjectRoot = "journal"

// maxSubject bounds a whole subject in bytes. A protocol line may have 4,096: the server
// closes the connection after a longer one.
const maxSubject = 1024

// Subject returns the subject under which an event is stored. It has no turn and tool
// ids, because only below 100,000 subjects everything stays fast (ADR-0013 rule 6).
func Subject(m events.Meta) string {
	return subjectRoot + "." + wire.Token(m.Project) + "." + wire.Token(m.Session) + "." + typeTokens(m.Type)
}

// SubjectOf parses the subject of a record; the result counts no events. A project or session that Token cut is that of the
// record's event. ok is false for a mark, and if that event cannot be read.
func SubjectOf(r record.Record) (s SubjectCount, ok bool) {
	if s, ok = subjectOf(r.Subject); ok {
		return s, true
	}
	e, foreign, err := Decode(r)
	if err != nil || foreign || Subject(e.Meta) != r.Subject {
		return SubjectCount{}, false
	}
	return SubjectCount{Project: e.Project, Session: e.Session, Type: e.Type}, true
}

// subjectOf parses a subject. ok is false for a mark, and for a subject whose project or session Token cut.
func subjectOf(subject string) (s SubjectCount, ok bool) {
	parts := strings.SplitN(subject, ".", 4)
	if len(parts) != 4 {
		return s, false
	}
	project, projectOK := wire.TokenText(parts[1])
	session, sessionOK := wire.TokenText(parts[2])
	return SubjectCount{Project: project, Session: session, Type: events.Type(parts[3])}, projectOK && sessionOK
}

// filterOf returns the filter for a selector, with wildcards for its empty fields.
func filterOf(s events.Selector) string {
	token := func(text string) string {
		if text == "" {
			return "*"
		}
		return wire.Token(text)
	}
	tail := ">"
	if s.Type != "" {
		tail = typeTokens(s.Type)
	}
	return subjectRoot + "." + token(s.Project) + "." + token(s.Session) + "." + tail
}

// filtersOf returns the filters for selectors. Marks of removed events have a subject of
// their own, because it must be short.
func filtersOf(sel []events.Selector) (all []string) {
	for _, s := range sel {
		all = append(all, filterOf(s))
	}
	if slices.ContainsFunc(sel, selectsForgotten) {
		all = append(all, record.Forgotten)
	}
	return all
}

// selectsForgotten reports whether a selector selects the marks of removed events.
func selectsForgotten(s events.Selector) bool {
	return s.Match(events.Meta{Project: events.None, Session: events.None, Type: events.TypeOf[events.LogForgotten]()})
}

// typeTokens returns the tokens of an event type, one for each of its words.
func typeTokens(t events.Type) string {
	words := strings.Split(string(t), ".")
	for i, w := range words {
		words[i] = wire.Token(w)
	}
	return strings.Join(words, ".")
}

// selectsSubject reports whether a selector selects the events of a subject.
func selectsSubject(s events.Selector, subj string) bool {
	if subj == record.Forgotten {
		return selectsForgotten(s)
	}
	parts := strings.SplitN(subj, ".", 4)
	if len(parts) != 4 || parts[0] != subjectRoot {
		return false
	}
	return (s.Project == "" || wire.Token(s.Project) == parts[1]) &&
		(s.Session == "" || wire.Token(s.Session) == parts[2]) &&
		(s.Type == "" || typeTokens(s.Type) == parts[3])
}
