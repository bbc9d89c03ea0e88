package compilation

import (
	"strings"

	"journal/events"
	"journal/projections"
)

// choices are the labels of the possible answers about issues in a client's dialog, each with its answer.
var choices = []struct{ label, answer string }{
	{"fix_spec", "fix_spec"}, {"CLAUDE.md 수정", "fix_spec"}, {"fix_code", "fix_code"}, {"코드 수정", "fix_code"}, {"ignore", "ignore"}, {"무시", "ignore"},
}

// answeredInDialog applies the person's answer in a client's dialog to the open questions that the dialog names: a question by
// its symbol or file, the question for the language or all questions of a target by the target's path.
func (s State) answeredInDialog(e events.QuestionAnswered, at projections.At) State {
	for _, t := range s.Targets {
		named := names(e.Question, t.Path)
		language, _, _ := strings.Cut(e.Answer, " (") // without a remark such as "(recommended)"
		isOneWord := len(strings.Fields(language)) == 1
		if t.Status == NeedsLanguage && named && isOneWord {
			s = s.answered(events.CompileAnswered{Target: t.Path, Language: language}, at)
		}
		answer := choice(e.Answer)
		if t.Status != NeedsAnswer || answer == "" {
			continue
		}
		answered := false
		for _, i := range t.Questions() {
			if names(e.Question, i.Symbol) || names(e.Question, i.File) {
				s, answered = s.answered(events.CompileAnswered{Target: t.Path, Issue: i.ID, Answer: answer}, at), true
			}
		}
		if named && !answered {
			s = s.answered(events.CompileAnswered{Target: t.Path, Answer: answer}, at)
		}
	}
	return s
}

// choice returns the answer of the label that a text contains, empty for none. At the beginning of the text, the label may be in
// any case and have blanks for underscores.
func choice(text string) string {
	for _, c := range choices {
		begin := strings.ReplaceAll(text[:min(len(text), len(c.label))], " ", "_")
		label := strings.ReplaceAll(c.label, " ", "_")
		if strings.Contains(text, c.label) || strings.EqualFold(begin, label) {
			return c.answer
		}
	}
	return ""
}

// names reports whether a text contains a name as a whole word; a Korean or Japanese particle may follow it. It is false for
// "" and ".".
func names(text, name string) bool {
	for name != "" && name != "." {
		before, after, ok := strings.Cut(text, name)
		if !ok {
			return false
		}
		after = strings.TrimPrefix(after, ".") // the end of a sentence
		if (before == "" || !inName(before[len(before)-1])) && (after == "" || !inName(after[0])) {
			return true
		}
		text = after
	}
	return false
}

// inName reports whether a byte next to a name makes it a part of a longer name.
func inName(b byte) bool { return b < 0x80 && (isWord(rune(b)) || strings.IndexByte("_-/", b) >= 0) }
