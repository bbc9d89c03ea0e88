package claude

import (
	"strings"

	"journal/journal/agents"
)

// refusals are beginnings of the text that the client, or an editor, shows the model for a refused call. Only the text after one of
// reasonMarks is the person's.
var refusals = []string{
	"The user doesn't want to proceed with this tool use.",
	"The user doesn't want to take this action right now.",
	"Permission for this tool use was denied. The tool use was rejected",
	"The agent proposed a plan that was rejected by the user.",
	"User rejected ",
	"User refused permission to run tool",
}

// reasonMarks precede the person's words, in the texts of editors and of the client.
var reasonMarks = []string{"The user provided the following reason for the rejection:", "he user said:"}

// maxBeforeReason bounds the text before a reasonMark, in bytes. adviceMark is the beginning of the client's text after the person's
// words.
const (
	maxBeforeReason = 300
	adviceMark      = "\n\nNote: The user's next message may contain a correction"
)

// formulas are beginnings of the client's words for a person who chose to discuss questions instead of answering them.
var formulas = []string{
	"The user wants to clarify these questions.",
	"The user has indicated they have provided enough answers",
}

// refusalOf reports whether a tool's error or response means that the person refused the call, and returns the person's words.
func refusalOf(text string) (words string, refused bool) {
	text = unwrapped(text)
	if !begins(text, refusals) {
		return "", false
	}
	for _, by := range reasonMarks {
		if i := strings.Index(text, by); 0 <= i && i < maxBeforeReason && words == "" {
			words, _, _ = strings.Cut(text[i+len(by):], adviceMark)
		}
	}
	if begins(words, formulas) {
		words = ""
	}
	return strings.TrimSpace(words), true
}

// voids are beginnings of the client's text about a call that was stopped or did not run: the person interrupted it, another call of
// the same batch failed, or it was not permitted.
var voids = []string{
	interruption, "Sibling tool call errored", "Cancelled: parallel tool call", "Permission to use ", "Claude requested permissions to ",
}

// interruption is the beginning of the client's text about an interruption by the person.
const interruption = "[Request interrupted by user"

// isVoid reports whether a tool's error means that the call was stopped or did not run.
func isVoid(text string) bool {
	text = unwrapped(text)
	return begins(text, voids) || isInterrupted(text)
}

// isInterrupted reports whether a text is the output of a call and the client's line about the person's interruption. The line is the
// last one, or in old clients the first.
func isInterrupted(text string) bool {
	i := strings.LastIndexByte(text, '\n')
	return i >= 0 && (strings.HasPrefix(text[i+1:], interruption) || strings.HasPrefix(text, interruption))
}

// unwrapped removes an element and a prefix that some versions add to an error.
func unwrapped(text string) string {
	text = strings.TrimSpace(text)
	if inner := agents.Tag(text, "tool_use_error"); inner != "" && strings.HasPrefix(text, "<tool_use_error>") {
		text = inner
	}
	return strings.TrimPrefix(text, "Error: ")
}
