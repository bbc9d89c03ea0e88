package worker

import (
	"fmt"
	"iter"
	"strings"

	"journal/events/text"
)

// LongPrompt is the number of characters that a prompt may have before phase 1 shortens it, and a line
// before it may be cut between its sentences (S4.2).
const LongPrompt = 2000

// MaxRetries bounds the retries of a task: one in each phase (S4.2).
const MaxRetries = 2

// ellipsis replaces the sentences that were left out of the middle of a line.
const ellipsis = " … "

// marks stand at the end of a shortened prompt, by language. They count towards the half that is sent.
var marks = map[string]string{
	"en": "\n\n(context reduced)",
	"ko": "\n\n(컨텍스트 축소됨)",
	"ja": "\n\n(コンテキスト縮小済み)",
}

// Mark returns the mark at the end of a shortened prompt, in a language or else in English.
func Mark(language string) string { return inLanguage(marks, language) }

// continuedPrefixes begin each later part of a task and mark it as one, by language.
var continuedPrefixes = map[string]string{
	"en": "(continued: what comes before this in the task is done)\n\n",
	"ko": "(이어서: 이 작업에서 이보다 앞의 내용은 끝났습니다)\n\n",
	"ja": "(続き: この作業のこれより前の部分は済んでいます)\n\n",
}

// inLanguage returns a text in a language or else in English.
func inLanguage(texts map[string]string, language string) string {
	if s, ok := texts[language]; ok {
		return s
	}
	return texts["en"]
}

// Phases returns the tasks that the phases send. It skips a phase that leaves out nothing more than
// the one before: nothing is sent twice.
func Phases(t Task, language string) iter.Seq[Task] {
	return func(yield func(Task) bool) {
		last := t
		for phase := 1; phase <= MaxRetries; phase++ {
			next := Reduce(t, phase, language)
			if !leavesOutMore(next, last, Mark(language)) {
				continue
			}
			last = next
			if !yield(next) {
				return
			}
		}
	}
}

// Dropped describes the parts of a task that a phase left out, and the number of characters of the prompt it first
// sent, 0 if that is not known (S4.2).
func Dropped(phase int, context, files bool, before, after int) string {
	var out []string
	if context {
		out = append(out, "the context")
	}
	if files && phase > 1 {
		out = append(out, "the files")
	}
	note := fmt.Sprintf("phase %d", phase)
	if len(out) > 0 {
		note += " dropped " + strings.Join(out, " and ")
	}
	if 0 < after && after < before {
		if len(out) > 0 {
			note += ","
		}
		note += fmt.Sprintf(" sent %d of %d characters", after, before)
	}
	return note
}

// leavesOutMore reports whether next leaves out something that last has: the context, the files, or words of the prompt.
func leavesOutMore(next, last Task, mark string) bool {
	withoutMark := func(t Task) string { return strings.TrimSpace(strings.TrimSuffix(t.Prompt, mark)) }
	return last.HasContext() && !next.HasContext() || last.HasFiles() && !next.HasFiles() || withoutMark(next) != withoutMark(last)
}

// Reduce returns what phase 1 or 2 sends of a task. It takes the original task for both phases,
// because phase 2 derives what phase 1 sent. Any other phase returns the task as it is.
//
// Phase 1 drops the context, and of a prompt over LongPrompt characters it keeps the lines of the
// first half, including the mark at its end. Phase 2 drops context and files, and keeps the first half
// of the original's lines, as many as fit into half of the characters that phase 1 sent. The first
// line with a word is always kept, in phase 1 also the next one if little is before it.
//
// Whole lines are left out. A line of LongPrompt characters or more that does not fit loses whole
// sentences of its middle; a shorter line is never cut. So a prompt may stay as it is: Phases shows
// whether a phase leaves something out. NotAsked holds what is left out of the prompt.
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

// slack is the share by which a later part may be longer than the first: the first seldom fills its half.
const slack = 32

// Next returns the part of the task that follows one of Reduce or Next: whole lines of NotAsked, about as
// many characters as the first part has, but up to LongPrompt in any case. It begins with a sentence that
// says that it is a later part. more is false if nothing is left.
func (t Task) Next(language string) (next Task, more bool) {
	if t.NotAsked == "" {
		return t, false
	}
	kept, left := fit(linesOf(t.NotAsked), t.size, 0)
	t.Prompt, t.NotAsked = inLanguage(continuedPrefixes, language)+strings.Join(kept, "\n"), joined(left)
	t.Part++
	return t, true
}

// joined returns lines as a text, empty if no line has a word.
func joined(lines []string) string {
	all := strings.Join(lines, "\n")
	if strings.TrimSpace(all) == "" {
		return ""
	}
	return all
}

// firstHalf returns a short prompt as it is, and of a long one the first half, ending with the mark, and the rest.
func firstHalf(prompt, mark string) (half, left string) {
	n := text.Characters(prompt)
	if n <= LongPrompt {
		return prompt, ""
	}
	most := n/2 - text.Characters(mark)
	// A heading alone is no task: the line in which the half ends is kept unless much is before it.
	kept, rest := fit(linesOf(prompt), most, most/2)
	if half = strings.Join(kept, "\n") + mark; text.Characters(half) < n {
		return half, joined(rest)
	}
	return prompt, ""
}

// linesOf returns the lines of a prompt, beginning with the first that has a word.
func linesOf(prompt string) []string {
	lines := strings.Split(prompt, "\n")
	for len(lines) > 1 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	return lines
}

// fit returns the first lines that fit into most characters, and the rest of the lines. If the kept ones have at most enough
// characters, the next line is kept too, however long it is.
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
