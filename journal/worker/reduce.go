package worker

import (
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
func Mark(language string) string {
	if m, ok := marks[language]; ok {
		return m
	}
	return marks["en"]
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
// it is: Phases says whether a phase leaves something out.
func Reduce(t Task, phase int, language string) Task {
	switch phase {
	case 1:
		t.Context = nil
		t.Prompt = firstHalf(t.Prompt, Mark(language))
	case 2:
		t.Context, t.Files = nil, nil
		lines := linesOf(t.Prompt)
		t.Prompt = fit(lines[:max(1, len(lines)/2)], text.Characters(firstHalf(t.Prompt, Mark(language)))/2, 0)
	default:
		return t
	}
	t.Phase = phase
	return t
}

// firstHalf gives a short prompt as it is, and of a long one the first half, which ends with the mark.
func firstHalf(prompt, mark string) string {
	n := text.Characters(prompt)
	if n <= LongPrompt {
		return prompt
	}
	most := n/2 - text.Characters(mark)
	// A heading alone is no task: the line that the half ends in is kept unless much stands before it.
	if half := fit(linesOf(prompt), most, most/2) + mark; text.Characters(half) < n {
		return half
	}
	return prompt
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
// more than enough.
func fit(lines []string, most, enough int) string {
	var kept []string
	for used := 0; len(kept) < len(lines) && used <= most; {
		line, n := shorten(lines[len(kept)], most-used)
		if used+n > most && used > enough {
			break
		}
		kept = append(kept, line)
		used += n + 1 // the line break
	}
	return strings.Join(kept, "\n")
}
