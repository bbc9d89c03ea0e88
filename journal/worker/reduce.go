package worker

import (
	"fmt"
	"iter"
	"strings"

	"journal/events/text"
)

// LongPrompt is a number of characters (S4.2): phase 1 shortens a prompt that has more, and a line that has
// at least as many may lose sentences.
const LongPrompt = 2000

// MaxPhase is the last phase of recovery. In each phase a task is retried once (S4.2).
const MaxPhase = 2

// ellipsis replaces the sentences that were left out of the middle of a line.
const ellipsis = " … "

// marks holds the mark at the end of a shortened prompt, by language. Its characters count among those of the half that is sent.
var marks = map[string]string{
	"en": "\n\n(context reduced)",
	"ko": "\n\n(컨텍스트 축소됨)",
	"ja": "\n\n(コンテキスト縮小済み)",
}

// Mark returns the mark at the end of a shortened prompt, in a language or else in English.
func Mark(language string) string { return inLanguage(marks, language) }

// continuedPrefixes holds the beginning of each later part of a task, by language.
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

// Phases returns the task of each phase. It skips a phase that leaves out no more than the phase before
// it, so that no task is sent twice.
func Phases(t Task, language string) iter.Seq[Task] {
	return func(yield func(Task) bool) {
		last := t
		for phase := 1; phase <= MaxPhase; phase++ {
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

// leavesOutMore reports whether the task next lacks something that the task last has: the context, the files, or words of the
// prompt. mark is the mark at the end of their prompts.
func leavesOutMore(next, last Task, mark string) bool {
	withoutMark := func(t Task) string { return strings.TrimSpace(strings.TrimSuffix(t.Prompt, mark)) }
	return last.HasContext() && !next.HasContext() || last.HasFiles() && !next.HasFiles() || withoutMark(next) != withoutMark(last)
}

// Reduce returns the task that phase 1 or 2 sends. t is the original task for both phases, because
// phase 2 depends on the length of the prompt that phase 1 sent. For any other phase it returns t.
//
// Phase 1 drops the context. Of a prompt over LongPrompt characters it keeps the first half, which
// includes the mark at the end. Phase 2 drops context and files. Of the first half of the original
// prompt's lines it keeps as many as fit into half of the characters that phase 1 sent. The first line
// with a word is always kept. Phase 1 also keeps the next line if the lines before it are short.
//
// Reduce leaves out whole lines. A line of LongPrompt characters or more that does not fit loses whole
// sentences of its middle. A shorter line is never cut, so a prompt may stay as it is. NotAsked holds the
// rest of the prompt.
func Reduce(t Task, phase int, language string) Task {
	switch phase {
	case 1:
		t.Context = nil
		t.Prompt, t.NotAsked = firstHalf(t.Prompt, Mark(language))
	case 2:
		t.Context, t.Files = nil, nil
		sent, _ := firstHalf(t.Prompt, Mark(language))
		lines := linesOf(t.Prompt)
		half := max(1, len(lines)/2)
		kept, left := fit(lines[:half], text.Characters(sent)/2, 0)
		t.Prompt, t.NotAsked = strings.Join(kept, "\n"), joined(append(left, lines[half:]...))
	default:
		return t
	}
	n := text.Characters(t.Prompt)
	t.Phase, t.size = phase, max(LongPrompt, n+n/slack)
	return t
}

// slack is the divisor for the length of later parts: they may be longer than the first part by 1/slack of it, because the first
// part seldom fills its half.
const slack = 32

// Next returns the part of the task that follows t, which Reduce or Next returned. It has whole lines of
// NotAsked: about as many characters as the first part, or LongPrompt if that is more. A sentence at its
// beginning marks it as a later part. more is false if nothing is left.
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

// firstHalf returns the first half of a long prompt, with the mark at its end, and the rest. It returns a short prompt as it is, and
// also a long one that this would not shorten.
func firstHalf(prompt, mark string) (half, left string) {
	n := text.Characters(prompt)
	if n <= LongPrompt {
		return prompt, ""
	}
	most := n/2 - text.Characters(mark)
	// A heading alone is no task. So the line that exceeds the half is kept, too, if at most a quarter of the prompt is before it.
	kept, others := fit(linesOf(prompt), most, most/2)
	if half = strings.Join(kept, "\n") + mark; text.Characters(half) < n {
		return half, joined(others)
	}
	return prompt, ""
}

// linesOf returns the lines of a prompt, from the first line that is not blank.
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
