package claude

import (
	"strings"

	"journal/journal/agents"
)

// refusals lists beginnings of the text that the client, or an editor, shows the model for a call that the person refused. Only the text
// after one of reasonMarks is from the person.
var refusals = []string{
	"The user doesn't want to proceed with this tool use.",
	"The user doesn't want to take this action right now.",
	"Permission for this tool use was denied. The tool use was rejected",
	"The agent proposed a plan that was rejected by the user.",
	"User rejected ",
	"User refused permission to run tool",
}

// reasonMarks lists the texts before the person's words: those of editors, and the client's.
var reasonMarks = []string{"The user provided the following reason for the rejection:", "he user said:"}

const (
	// maxBeforeReason bounds the text before one of reasonMarks, in bytes.
	maxBeforeReason = 300
	// adviceMark is the beginning of the client's text after the person's words.
	adviceMark = "\n\nNote: The user's next message may contain a correction"
)

// formulas lists beginnings of the words that the client writes for a person who chose to discuss questions instead of answering them.
var formulas = []string{
	"The user wants to clarify these questions.",
	"The user has indicated they have provided enough answers",
}

// refusalOf reports whether the error or the response of a call means that the person refused the call. words are the person's.
func refusalOf(text string) (words string, refused bool) {
	text = unwrapped(text)
	if !begins(text, refusals) {
		return "", false
	}
	for _, mark := range reasonMarks {
		if i := strings.Index(text, mark); 0 <= i && i < maxBeforeReason && words == "" {
			words, _, _ = strings.Cut(text[i+len(mark):], adviceMark)
		}
	}
	if begins(words, formulas) {
		words = ""
	}
	return strings.TrimSpace(words), true
}

// voids lists beginnings of the client's text about a call that was stopped or did not run: the person interrupted the call, another call
// of the same batch failed, or a rule, a check of the client or a hook did not permit the call.
var voids = []string{
	interruption, "Sibling tool call errored", "Cancelled: parallel tool call", "Permission to use ", "Claude requested permissions to ",
	"Permission for this action ", "Permission for this command ", "PreToolUse:", "Hook PreToolUse:",
}

// unchecked is in the client's text about a call that the check of auto mode could not judge, behind the name of the check's model.
const unchecked = " is temporarily unavailable, so auto mode cannot determine the safety of "

// interruption is the beginning of the client's text about an interruption by the person.
const interruption = "[Request interrupted by user"

// isVoid reports whether the error of a call means that the call was stopped or did not run.
func isVoid(text string) bool {
	text = unwrapped(text)
	model, _, isUnchecked := strings.Cut(text, unchecked)
	return begins(text, voids) || isInterrupted(text) || isUnchecked && !strings.ContainsAny(model, " \n")
}

// isInterrupted reports whether a text consists of the output of a call and the client's line about the person's interruption. This
// line is the last one, in old clients the first.
func isInterrupted(text string) bool {
	i := strings.LastIndexByte(text, '\n')
	return i >= 0 && (strings.HasPrefix(text[i+1:], interruption) || strings.HasPrefix(text, interruption))
}

// unwrapped returns an error without the element and the prefix that some versions of the client add.
func unwrapped(text string) string {
	text = strings.TrimSpace(text)
	if inner := agents.Tag(text, "tool_use_error"); inner != "" && strings.HasPrefix(text, "<tool_use_error>") {
		text = inner
	}
	return strings.TrimPrefix(text, "Error: ")
}
