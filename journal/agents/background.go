package agents

import (
	"fmt"
	"slices"
	"strings"

	"journal/events"
)

// expired lists how the <event> of a notice begins if the client stopped a monitor. Such a notice has no <status>.
var expired = []string{"[Monitor stopped", "[Monitor timed out", "[Monitor expired"}

// EndsOf returns the ended background tasks that a client's notice names, nil for other texts. After a restart of the client one
// notice names all tasks that ran. The exit code may be only in the summary, as in
// Background command "x" failed with exit code 1, or in Monitor "x" script failed (exit 1).
func EndsOf(notice string) (all []events.BackgroundEnded) {
	text := strings.TrimSpace(notice)
	e := events.BackgroundEnded{Use: Tag(text, "tool-use-id"), Status: Tag(text, "status"), Text: Tag(text, "summary")}
	if begins(Tag(text, "event"), expired) {
		e.Status = "killed"
	}
	if e.Status == "" {
		return nil
	}
	_, _ = fmt.Sscan(Tag(text, "exit-code"), &e.Exit)
	outcome := e.Text[strings.LastIndexByte(e.Text, '"')+1:] // without the command, which may have an exit of its own
	_, code, _ := strings.Cut(outcome, "exit ")
	_, _ = fmt.Sscan(strings.TrimPrefix(code, "code "), &e.Exit) // Exit stays 0 if neither text has a code
	ids, _, _ := strings.Cut(text, "<summary>")
	for _, name := range []string{"task-id", "agent-id", "shell-id"} {
		for e.Task = Tag(ids, name); e.Task != ""; e.Task = Tag(ids, name) {
			_, ids, _ = strings.Cut(ids, "</"+name+">")
			if !strings.HasPrefix(e.Task, "__") { // the client's own id, not that of a task
				all = append(all, e)
			}
		}
	}
	return all
}

// begins reports whether a text begins with one of the marks.
func begins(text string, marks []string) bool {
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.HasPrefix(text, mark) })
}

// Tag returns the content of the first element called name, trimmed. It is empty if the element is missing or not closed.
func Tag(text, name string) string {
	_, rest, ok := strings.Cut(text, "<"+name+">")
	value, _, closed := strings.Cut(rest, "</"+name+">")
	if !ok || !closed {
		return ""
	}
	return strings.TrimSpace(value)
}
