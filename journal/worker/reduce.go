package worker

import (
	"fmt"
	"iter"
	"strings"

	"journal/events/text"
)

// LongPrompt is how many characters a prompt may have before phase 1 shortens it, and a line
// before it may be cut between its sentences (S4.2).
const LongPrompt = 2000

// MaxRetries is how often a task is tried again: once in each phase (S4.2).
const MaxRetries = 2

// gap stands in a line for the sentences that were left out of its middle.
const gap = " … "

// marks say at the end of a prompt that it was shortened, by language. They count as part of
// the half that is sent.
var marks = map[string]string{
	"en": "\n\n(context reduced)",
	"ko": "\n\n(컨텍스트 축소됨)",
	"ja": "\n\n(コンテキスト縮小済み)",
}

// Mark is what phase 1 puts at the end of a prompt that it shortened, in a language or else in
// English.
func Mark(language string) string { return of(marks, language) }

// goesOnWith says at the beginning of a later part of a task that it is one, by language.
var goesOnWith = map[string]string{
	"en": "(continued: what comes before this in the task is done)\n\n",
	"ko": "(이어서: 이 작업에서 이보다 앞의 내용은 끝났습니다)\n\n",
	"ja": "(続き: この作業のこれより前の部分は済んでいます)\n\n",
}

// of gives a text in a language or else in English.
func of(texts map[string]string, language string) string {
	if s, ok := texts[language]; ok {
		return s
	}
	return texts["en"]
}

// Phases gives what is sent of the original task, phase by phase. A phase that leaves out nothing
// more than the one before is not among them: nothing is sent a second time.
func Phases(t Task, language string) iter.Seq[Task] {
	return func(yield func(Task) bool) {
		last := t
		for phase := 1; phase <= MaxRetries; phase++ {
			next := Reduce(t, phase, language)
			if !less(next, last, Mark(language)) {
				continue
			}
			if last = next; !yield(next) {
				return
			}
		}
	}
}

// Dropped says in words what a phase left out of a task, and how many of the prompt's characters it sent at
// first (S4.2).
func Dropped(phase int, context, files bool, before, after int) string {
	var out []string
	if context {
		out = append(out, "the context")
	}
	if files && phase > 1 {
		out = append(out, "the files")
	}
	said := fmt.Sprintf("phase %d", phase)
	if len(out) > 0 {
		said += " dropped " + strings.Join(out, " and ")
	}
	if after < before {
		if len(out) > 0 {
			said += ","
		}
		said += fmt.Sprintf(" sent %d of %d characters", after, before)
	}
	return said
}

// less says whether a task leaves out something that another one has.
func less(next, last Task, mark string) bool {
	bare := func(t Task) string { return strings.TrimSpace(strings.TrimSuffix(t.Prompt, mark)) }
	return last.HasContext() && !next.HasContext() || last.HasFiles() && !next.HasFiles() || bare(next) != bare(last)
}

// Reduce makes of the original task what phase 1 or 2 sends; it is the original task in both
// cases, because phase 2 derives what phase 1 sent. Any other phase gives the task as it is.
//
// Phase 1 drops the context, and keeps the lines of the first half of a prompt over LongPrompt
// characters, the mark at its end included. Phase 2 drops context and files, and keeps the first
// half of the original's lines, those that fit into half of the characters that phase 1 sent. The
// first line with a word is kept in any case, and in phase 1 one more when little is before it.
//
// What is left out are whole lines. Of a line of LongPrompt characters or more that does not fit
// they are whole sentences of its middle; a shorter line is never cut. So a prompt may well stay as
// it is: Phases says whether a phase leaves something out. NotAsked holds what is left out of the prompt.
func Reduce(t Task, phase int, language string) Task {
	switch phase {
	case 1:
		t.Context = nil
		t.Prompt, t.NotAsked = firstHalf(t.Prompt, Mark(language))
	case 2:
		t.Context, t.Files = nil, nil
		first, _ := firstHalf(t.Prompt, Mark(language))
		lines := linesOf(t.Prompt)
		half := max(1, len(lines)/2)
		kept, left := fit(lines[:half], text.Characters(first)/2, 0)
		t.Prompt, t.NotAsked = strings.Join(kept, "\n"), joined(append(left, lines[half:]...))
	default:
		return t
	}
	n := text.Characters(t.Prompt)
	t.Phase, t.size = phase, max(LongPrompt, n+n/slack)
	return t
}

// slack is the share that a later part may be longer than the first one, whose lines seldom fill its half.
const slack = 32

// Next gives the part of the task that follows one that Reduce or Next made: whole lines of what was not
// asked, about as many characters as the first part has, and in any case up to LongPrompt. It begins with a sentence which says
// that it goes on. more is false when all was asked.
func (t Task) Next(language string) (next Task, more bool) {
	if t.NotAsked == "" {
		return t, false
	}
	kept, left := fit(linesOf(t.NotAsked), t.size, 0)
	t.Prompt, t.NotAsked = of(goesOnWith, language)+strings.Join(kept, "\n"), joined(left)
	t.Part++
	return t, true
}

// joined gives lines as a text, empty when no line has a word.
func joined(lines []string) string {
	all := strings.Join(lines, "\n")
	if strings.TrimSpace(all) == "" {
		return ""
	}
	return all
}

// firstHalf gives a short prompt as it is, and of a long one the first half, which ends with the mark, and what is left.
func firstHalf(prompt, mark string) (half, left string) {
	n := text.Characters(prompt)
	if n <= LongPrompt {
		return prompt, ""
	}
	most := n/2 - text.Characters(mark)
	// A heading alone is no task: the line that the half ends in is kept unless much stands before it.
	kept, rest := fit(linesOf(prompt), most, most/2)
	if half = strings.Join(kept, "\n") + mark; text.Characters(half) < n {
		return half, joined(rest)
	}
	return prompt, ""
}

// linesOf gives the lines of a prompt, from the first one with a word on.
func linesOf(prompt string) []string {
	lines := strings.Split(prompt, "\n")
	for len(lines) > 1 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	return lines
}

// fit gives the first lines that fit into so many characters, and one more, whatever its length, when these have no
// more than enough; and what is left of the lines.
func fit(lines []string, most, enough int) (kept, left []string) {
	for used := 0; len(kept) < len(lines) && used <= most; {
		line, cut, n := shorten(lines[len(kept)], most-used)
		if used+n > most && used > enough {
			break
		}
		kept = append(kept, line)
		if cut != "" {
			left = append(left, cut)
		}
		used += n + 1 // the line break
	}
	return kept, append(left, lines[len(kept):]...)
}
