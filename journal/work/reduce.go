package work

import (
	"strings"

	"journal/events/text"
)

// LongPrompt is how many characters a prompt may have before phase 1 shortens it (S4.2).
const LongPrompt = 2000

// MaxRetries is how often a task is tried again: once in each phase (S4.2).
const MaxRetries = 2

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

// Reduce makes of the original task what is sent in phase 1 or 2; it is the original task in both
// cases, because phase 2 derives what phase 1 sent. Any other phase gives the task as it is.
//
// Phase 1 drops the context. Of a prompt over LongPrompt characters it keeps the first half, the
// mark at its end included.
//
// Phase 2 drops context and files, and keeps the first half of the original's lines, never more
// than half of the characters that phase 1 sent: whole lines while they fit, else the beginning of
// the first one. Blank lines before the first word do not count. What is sent is never empty or
// blank when the original was not.
func Reduce(t Task, phase int, language string) Task {
	switch phase {
	case 1:
		t.Context = nil
		t.Prompt = firstHalf(t.Prompt, Mark(language))
	case 2:
		t.Context, t.Files = nil, nil
		t.Prompt = firstLines(t.Prompt, text.Characters(firstHalf(t.Prompt, Mark(language)))/2)
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
	return beginning(prompt, n/2-text.Characters(mark)) + mark
}

// firstLines gives the first half of the lines of a prompt, in at most so many characters.
func firstLines(prompt string, most int) string {
	if strings.TrimSpace(prompt) == "" {
		return prompt
	}
	lines := strings.Split(prompt, "\n")
	for strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	most = max(1, most)
	kept, room := 0, most
	for _, line := range lines[:max(1, len(lines)/2)] {
		room -= text.Characters(line)
		if kept > 0 {
			room-- // the line break before it
		}
		if room < 0 {
			break
		}
		kept++
	}
	if kept == 0 {
		return beginning(lines[0], most)
	}
	return strings.Join(lines[:kept], "\n")
}

// beginning gives the first n characters of s, from its first word on where these would be blank.
func beginning(s string, n int) string {
	if first := text.FirstCharacters(s, n); strings.TrimSpace(first) != "" {
		return first
	}
	return text.FirstCharacters(strings.TrimSpace(s), n)
}
