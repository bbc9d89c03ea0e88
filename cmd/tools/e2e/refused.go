package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// refused returns the check that a command is recorded with the person's text if the person refuses it in the client's dialog by
// these acts.
func refused(acts ...act) check {
	return check{"refused in a terminal", func(ctx context.Context, w *world) (string, bool) {
		err := w.inTerminal(ctx, "paint the door", append(acts, act{"leaveit", "\r"}),
			step{Calls: []call{{Shell: "touch red.txt", Asks: true}}, Tokens: 3000}, step{Text: "It stays as it is.", Tokens: 3000})
		if err != nil {
			return err.Error(), false
		}
		if _, err := os.Stat(filepath.Join(w.project, "red.txt")); err == nil {
			return "it ran", false
		}
		return w.told(ctx, "touch red.txt", "tool.refused", "aborted by user")
	}}
}

// stopped returns the check that a command is recorded with the person's text if the person interrupts it by these acts. The
// command reads the pipe that the check killed left.
func stopped(acts ...act) check {
	return check{"stopped in a terminal", func(ctx context.Context, w *world) (string, bool) {
		err := w.inTerminal(ctx, "wait for the tide", append(acts, act{"leaveit", "\r"}),
			step{Calls: []call{{Shell: "cat never.fifo && echo high tide", Asks: true}}, Tokens: 3000}, step{Text: "It stays as it is.", Tokens: 3000})
		if err != nil {
			return err.Error(), false
		}
		return w.told(ctx, "high tide", "nterrupted", "aborted by user") // "nterrupted" with a small or a capital I
	}}
}

// told reports whether an event has a text and one of some others, as the figure and the result of a check.
func (w *world) told(ctx context.Context, text string, others ...string) (string, bool) {
	all, err := w.recorded(ctx)
	for _, e := range all {
		for _, other := range others {
			if strings.Contains(string(e.Data), text) && strings.Contains(e.Type+string(e.Data), other) {
				return "told", err == nil
			}
		}
	}
	return "untold", false
}

// unrun checks that tool calls that the client did not run are recorded.
var unrun = check{"calls that never ran", func(ctx context.Context, w *world) (string, bool) {
	w.model.play(
		step{Calls: []call{{Own: "Edit", With: map[string]any{"file_path": filepath.Join(w.project, "plan.txt"), "old_string": "marble", "new_string": "tiles"}}}, Tokens: 3000},
		step{Calls: []call{{Own: "Hammer", With: map[string]any{"nail": 1}}}, Tokens: 3000},
		step{Text: "Neither worked.", Tokens: 3000})
	if _, err := w.run(ctx, w.Line(w, "marble", true)...); err != nil {
		return err.Error(), false
	}
	if figure, ok := w.told(ctx, "plan.txt", `"failed":true`); !ok {
		return figure + " of Edit", false
	}
	return w.told(ctx, "Hammer", `"failed":true`)
}}
