package claude

import (
	"encoding/json"
	"slices"
	"strings"

	"journal/events"
	"journal/journal/agents"
)

// notices begin the texts that the client sends to the model in the person's place, with a prompt's hook: ended
// background tasks, and messages of other agents.
var notices = []string{"<task-notification>", "<agent-notification>", "<bash-notification>", "<teammate-message", `{"task_id":"`}

// notPrompts begin other texts in the person's name that are no prompts (docs/CLIENTS.md §3): interruptions, output of
// commands, the person's own shell commands and notes.
var notPrompts = []string{
	"[Request interrupted by user", "Caveat: The messages below", "Operation stopped by hook: ",
	"<local-command-", "<command-stdout>", "<bash-input>", "<bash-stdout>", "<bash-stderr>", "<user-memory-input>",
}

// apiError begins what the client says in the model's place when a request failed.
const apiError = "API Error: "

// tags lists the elements in which the client puts texts for the model, or which it reads in the person's texts
// (docs/CLIENTS.md §3, §5, §6), and those of the model's own calls.
var tags = append(slices.Clone(agents.Asides),
	"session-start-hook", "user-prompt-submit-hook", "persisted-output", "tool_use_error", "user-memory-input",
	"command-name", "command-message", "command-args", "command-stdout", "command-contents",
	"local-command-stdout", "local-command-stderr", "local-command-caveat", "bash-input", "bash-stdout", "bash-stderr",
	"task-notification", "agent-notification", "bash-notification", "teammate-message",
	"function_calls", "function_results", "antml:function_calls", "antml:invoke", "antml:parameter", "invoke",
)

// planClosing begins what the client writes below a plan that it hands to a new session.
const planClosing = "\n\nIf you need specific details from before exiting plan mode"

// Typed returns what a person typed of a prompt: a slash command instead of its markup, without the client's asides.
// person is false for a prompt that no person typed.
func Typed(prompt string) (typed string, person bool) {
	text, _, _ := strings.Cut(agents.WithoutAsides(prompt), planClosing)
	begin := strings.TrimSpace(text)
	switch {
	case begin == "" && prompt != "", IsNotice(begin), begins(begin, notPrompts), isUnknown(begin):
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

// isUnknown reports whether a text is the client's answer to a slash command that it does not know.
func isUnknown(text string) bool {
	for _, begin := range []string{"Unknown command: /", "Unknown slash command: ", "Unknown skill: "} {
		name, ok := strings.CutPrefix(text, begin)
		name, _, _ = strings.Cut(name, ". Did you mean /")
		if ok && !strings.ContainsAny(name, " \n") {
			return true
		}
	}
	return false
}

// IsNotice reports whether a text is sent to the model in the person's place.
func IsNotice(text string) bool { return begins(text, notices) }

func begins(text string, marks []string) bool {
	text = strings.TrimSpace(text)
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.HasPrefix(text, mark) })
}

// isMachine reports whether the client itself wrote a prompt, such as a wake-up (docs/CLIENTS.md §3).
func isMachine(source string) bool {
	return slices.Contains([]string{"system", "loop_wakeup", "schedule_wakeup", "poll_event", "plugin", "peer", "scheduled", "cron"}, source)
}

// machine reports whether a row in the person's name is another's: the client's, a plugin's, a scheduler's, or another
// session's.
func (r row) machine() bool {
	return r.meta || isMachine(r.source) || r.origin != "" && r.origin != "human"
}

// shutdowns reads which teammates a prompt of their messages reports as ended. Such a message is a JSON object.
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

// endsOf returns the ended background tasks of a notice; nil for other texts.
func endsOf(prompt string) []events.BackgroundEnded {
	if strings.HasPrefix(strings.TrimSpace(prompt), "<teammate-message") {
		return shutdowns(prompt)
	}
	if !IsNotice(prompt) {
		return nil
	}
	return agents.EndsOf(prompt)
}
