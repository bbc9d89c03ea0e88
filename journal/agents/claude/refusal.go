package claude

import (
	"strings"

	"journal/journal/agents"
)

// refusals are beginnings of the text that the client, or an editor, shows the model for a refused call. Only the text after
// one of saidBy is the person's.
var refusals = []string{
	"The user doesn't want to proceed with this tool use.",
	"The user doesn't want to take this action right now.",
	"Permission for this tool use was denied. The tool use was rejected",
	"The agent proposed a plan that was rejected by the user.",
	"User rejected ",
	"User refused permission to run tool",
}

// saidBy precede the person's words: those of editors, and of the client's terminal.
var saidBy = []string{"The user provided the following reason for the rejection:", "he user said:"}

// saidWithin bounds the sentence before the person's words; adviceBehind begins what the client adds after them.
const (
	saidWithin   = 300
	adviceBehind = "\n\nNote: The user's next message may contain a correction"
)

// formulas begin the client's words for a person who chose to discuss questions instead of answering them.
var formulas = []string{
	"The user wants to clarify these questions.",
	"The user has indicated they have provided enough answers",
}

// refusalOf reports whether a tool's error or answer says that the person refused the call, and returns the person's
// words.
func refusalOf(text string) (words string, refused bool) {
	text = unwrapped(text)
	if !begins(text, refusals) {
		return "", false
	}
	for _, by := range saidBy {
		if i := strings.Index(text, by); 0 <= i && i < saidWithin && words == "" {
			words, _, _ = strings.Cut(text[i+len(by):], adviceBehind)
		}
	}
	if begins(words, formulas) {
		words = ""
	}
	return strings.TrimSpace(words), true
}

// voids are beginnings of the client's text about a call that did not end by itself: the person interrupted it, another call of
// the same batch failed, or the permissions did not let it run.
var voids = []string{
	interruption, "Sibling tool call errored", "Cancelled: parallel tool call", "Permission to use ", "Claude requested permissions to ",
}

const interruption = "[Request interrupted by user"

// isVoid reports whether a tool's error says that the call did not end by itself.
func isVoid(text string) bool {
	text = unwrapped(text)
	return begins(text, voids) || wasCut(text)
}

// wasCut reports whether the text is a call's output up to the person's interruption, which old clients told first.
func wasCut(text string) bool {
	i := strings.LastIndexByte(text, '\n')
	return i >= 0 && (strings.HasPrefix(text[i+1:], interruption) || strings.HasPrefix(text, interruption))
}

// unwrapped removes what some versions put around an error.
func unwrapped(text string) string {
	text = strings.TrimSpace(text)
	if inner := agents.Tag(text, "tool_use_error"); inner != "" && strings.HasPrefix(text, "<tool_use_error>") {
		text = inner
	}
	return strings.TrimPrefix(text, "Error: ")
}
