package compilation

import (
	"strings"

	"journal/events"
	"journal/projections"
)

// choices are the answers about issues, as questions offer them.
var choices = []struct{ word, answer string }{
	{"fix_spec", "fix_spec"}, {"CLAUDE.md 수정", "fix_spec"}, {"fix_code", "fix_code"}, {"코드 수정", "fix_code"}, {"ignore", "ignore"}, {"무시", "ignore"},
}

// asked applies the person's answer in a dialog to the open questions that the dialog names: all questions of a target
// by its path, or one by its symbol or file.
func (s State) asked(e events.QuestionAnswered, at projections.At) State {
	for _, t := range s.Targets {
		named := names(e.Question, t.Path)
		if language, _, _ := strings.Cut(e.Answer, " ("); t.Status == NeedsLanguage && named && len(strings.Fields(language)) == 1 {
			s = s.answered(events.CompileAnswered{Target: t.Path, Language: language}, at)
		}
		answer := choice(e.Answer)
		if t.Status != NeedsAnswer || answer == "" {
			continue
		}
		open, answered := t.Questions(), false
		for _, i := range open {
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

// choice reads an answer about issues; it is empty for anything else.
func choice(answer string) string {
	for _, c := range choices {
		if w := strings.ReplaceAll(c.word, "_", " "); strings.Contains(answer, c.word) || len(answer) >= len(w) && strings.EqualFold(answer[:len(w)], w) {
			return c.answer
		}
	}
	return ""
}

// names reports whether a text has a name as a whole word. A Korean or Japanese particle may follow the name.
func names(text, name string) bool {
	for name != "" && name != "." {
		before, after, ok := strings.Cut(text, name)
		if !ok {
			return false
		}
		after = strings.TrimPrefix(after, ".") // the end of a sentence
		if (before == "" || !joins(before[len(before)-1])) && (after == "" || !joins(after[0])) {
			return true
		}
		text = after
	}
	return false
}

// joins reports whether a byte next to a name continues it.
func joins(b byte) bool { return b < 0x80 && (isWord(rune(b)) || strings.IndexByte("_-/", b) >= 0) }
