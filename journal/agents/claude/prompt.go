package claude

import (
	"encoding/json"
	"slices"
	"strings"

	"journal/events"
	"journal/journal/agents"
)

// notices lists beginnings of prompts that the client writes and reports to hooks: about ended background tasks, and messages of other
// agents.
var notices = []string{"<task-notification>", "<agent-notification>", "<bash-notification>", "<teammate-message", `{"task_id":"`}

// notPrompts lists beginnings of other texts in the person's name that are not prompts (docs/CLIENTS.md §3): interruptions, output of
// commands, the person's own shell commands and notes.
var notPrompts = []string{
	interruption, "Caveat: The messages below", "Operation stopped by hook: ",
	"<local-command-", "<command-stdout>", "<bash-input>", "<bash-stdout>", "<bash-stderr>", "<user-memory-input>",
}

// apiError is the beginning of the answer that the client writes when a request has failed.
const apiError = "API Error: "

// tags implements agents.Dialect.Tags: the elements in which the client passes texts to the model, or which it interprets in the person's
// texts (docs/CLIENTS.md §3, §5, §6), and those of the model's calls.
var tags = append(slices.Clone(agents.Asides),
	"session-start-hook", "user-prompt-submit-hook", "persisted-output", "tool_use_error", "user-memory-input",
	"command-name", "command-message", "command-args", "command-stdout", "command-contents",
	"local-command-stdout", "local-command-stderr", "local-command-caveat", "bash-input", "bash-stdout", "bash-stderr",
	"task-notification", "agent-notification", "bash-notification", "teammate-message",
	"function_calls", "function_results", "antml:function_calls", "antml:invoke", "antml:parameter", "invoke",
)

// planClosing is the beginning of the client's text after a plan in the first prompt of a new session.
const planClosing = "\n\nIf you need specific details from before exiting plan mode"

// asTyped returns a prompt as the person typed it: without the client's additions, and with a slash command in place of its markup. It
// returns a prompt that no person typed unchanged, and person is false.
func asTyped(prompt string) (typed string, person bool) {
	text, _, _ := strings.Cut(agents.WithoutAsides(prompt), planClosing)
	begin := strings.TrimSpace(text)
	switch {
	case begin == "" && prompt != "", isNotice(begin), begins(begin, notPrompts), isUnknownCommand(begin):
		return prompt, false
	case strings.HasPrefix(begin, "<command-message>"), strings.HasPrefix(begin, "<command-name>"):
		name := agents.Tag(begin, "command-name")
		if !strings.HasPrefix(name, "/") {
			return prompt, false // a skill that the model called
		}
		return strings.TrimSpace(name + " " + agents.Tag(begin, "command-args")), true
	}
	return text, true
}

// isUnknownCommand reports whether a text is the client's message about an unknown slash command.
func isUnknownCommand(text string) bool {
	for _, begin := range []string{"Unknown command: /", "Unknown slash command: ", "Unknown skill: "} {
		name, ok := strings.CutPrefix(text, begin)
		name, _, _ = strings.Cut(name, ". Did you mean /")
		if ok && !strings.ContainsAny(name, " \n") {
			return true
		}
	}
	return false
}

// isNotice reports whether a prompt is one of the client's notices.
func isNotice(text string) bool { return begins(text, notices) }

// begins reports whether a text begins with one of the marks. It ignores white space at the beginning.
func begins(text string, marks []string) bool {
	text = strings.TrimSpace(text)
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.HasPrefix(text, mark) })
}

// isMachine reports whether the source of a prompt is not a person (docs/CLIENTS.md §3).
func isMachine(source string) bool {
	return slices.Contains([]string{"system", "loop_wakeup", "schedule_wakeup", "poll_event", "plugin", "peer", "scheduled", "cron"}, source)
}

// machine reports whether a row in the person's name is not from the person, but from the client, a plugin, a scheduler or another
// session.
func (r row) machine() bool {
	return r.meta || isMachine(r.source) || r.origin != "" && r.origin != "human"
}

// shutdowns returns the teammates that have ended. prompt has messages of teammates; a message about an end is a JSON object.
func shutdowns(prompt string) (all []events.BackgroundEnded) {
	for message := range strings.SplitSeq(prompt, "</teammate-message>") {
		var m struct{ Type, From string }
		begin := max(0, strings.IndexByte(message, '{'))
		if json.Unmarshal([]byte(message[begin:]), &m) == nil && m.Type == "shutdown_approved" && m.From != "" {
			all = append(all, events.BackgroundEnded{Task: m.From, Status: m.Type})
		}
	}
	return all
}

// endsOf returns the ended background tasks that a notice names, nil for other texts.
func endsOf(prompt string) []events.BackgroundEnded {
	if strings.HasPrefix(strings.TrimSpace(prompt), "<teammate-message") {
		return shutdowns(prompt)
	}
	if !isNotice(prompt) {
		return nil
	}
	return agents.EndsOf(prompt)
}
