package worker

import (
	"fmt"
	"iter"
	"strings"

	"journal/events/text"
)

// LongPrompt is the number of characters above which phase 1 shortens a prompt, and from which a line
// may be cut between its sentences (S4.2).
const LongPrompt = 2000

// MaxRetries bounds the retries of a task: one in each phase (S4.2).
const MaxRetries = 2

// ellipsis replaces the sentences that were left out of the middle of a line.
const ellipsis = " … "

// marks holds the marks at the end of a shortened prompt, by language. A mark belongs to the half that is sent.
var marks = map[string]string{
	"en": "\n\n(context reduced)",
	"ko": "\n\n(컨텍스트 축소됨)",
	"ja": "\n\n(コンテキスト縮小済み)",
}

// Mark returns the mark at the end of a shortened prompt, in a language or else in English.
func Mark(language string) string { return inLanguage(marks, language) }

// continuedPrefixes holds the beginnings of each later part of a task, by language.
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

// Phases returns the tasks that the phases send. It skips a phase that leaves out no more than the
// one before, so that nothing is sent twice.
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

// Dropped describes for a person what a phase left out of a task (S4.2). context and files report that the task had them. before and
// after are the characters of the prompt and of its first part that was sent; after is 0 if unknown.
func Dropped(phase int, context, files bool, before, after int) string {
	var dropped, notes []string
	if context {
		dropped = append(dropped, "the context")
	}
	if files && phase > 1 {
		dropped = append(dropped, "the files")
	}
	if len(dropped) > 0 {
		notes = append(notes, " dropped "+strings.Join(dropped, " and "))
	}
	if 0 < after && after < before {
		notes = append(notes, fmt.Sprintf(" sent %d of %d characters", after, before))
	}
	return fmt.Sprintf("phase %d", phase) + strings.Join(notes, ",")
}

// leavesOutMore reports whether next leaves out something that last has: the context, the files, or words of the prompt.
func leavesOutMore(next, last Task, mark string) bool {
	withoutMark := func(t Task) string { return strings.TrimSpace(strings.TrimSuffix(t.Prompt, mark)) }
	return last.HasContext() && !next.HasContext() || last.HasFiles() && !next.HasFiles() || withoutMark(next) != withoutMark(last)
}

// Reduce returns the task that phase 1 or 2 sends. t is the original task for both phases, because
// phase 2 depends on the length that phase 1 sent. For any other phase it returns t.
//
// Phase 1 drops the context, and keeps the first half of a prompt over LongPrompt characters, of which
// the mark at its end is a part. Phase 2 drops context and files, and keeps lines of the first half of
// the original's lines, as many as fit into half of the characters that phase 1 sent. The first line
// with a word is always kept, in phase 1 also the next one if the first is short.
//
// Reduce leaves out whole lines. A line of LongPrompt characters or more that does not fit loses whole
// sentences of its middle; a shorter line is never cut. So a prompt may stay as it is, in which case
// Phases may skip the phase. NotAsked holds the rest of the prompt.
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

// slack is the share (1/slack) by which a later part may be longer than the first, which seldom fills its half.
const slack = 32

// Next returns the part of the task that follows a part of Reduce or Next: whole lines of NotAsked, with
// about as many characters as the first part, but at least LongPrompt if there are so many. A sentence at
// its beginning marks it as a later part. more is false if nothing is left.
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

// firstHalf returns the first half of a long prompt, with the mark at its end, and the rest. It returns a short prompt as it is.
func firstHalf(prompt, mark string) (half, left string) {
	n := text.Characters(prompt)
	if n <= LongPrompt {
		return prompt, ""
	}
	most := n/2 - text.Characters(mark)
	// A heading alone is no task: the line in which the half ends is kept if less than a quarter is before it.
	kept, rest := fit(linesOf(prompt), most, most/2)
	if half = strings.Join(kept, "\n") + mark; text.Characters(half) < n {
		return half, joined(rest)
	}
	return prompt, ""
}

// linesOf returns the lines of a prompt from the first that is not blank.
func linesOf(prompt string) []string {
	lines := strings.Split(prompt, "\n")
	for len(lines) > 1 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	return lines
}

// fit returns the first lines that fit into limit characters, and the rest of the lines. If the kept lines have at most enough
// characters, the next line is kept too, however long it is.
func fit(lines []string, limit, enough int) (kept, left []string) {
	for used := 0; len(kept) < len(lines) && used <= limit; {
		line, cut, n := shorten(lines[len(kept)], limit-used)
		if used+n > limit && used > enough {
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
