package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pluginName is the name of the plugin in the client's settings.
const pluginName = "journal@journal"

var _ = declare(plugin("claude-plugin"))

// In addition to the hooks of `journal install` those of the plugin change nothing: each event is recorded once, and each text is
// offered once.
var _ = declare(func() client {
	c := plugin("claude-both")
	alone := c.Install
	c.Install = func(ctx context.Context, w *world) error {
		if err := alone(ctx, w); err != nil {
			return err
		}
		_, err := w.journal(ctx, "install", "--agent", w.Agent, "--client-version", w.Version)
		return err
	}
	c.Checks = []check{{"texts twice", func(_ context.Context, w *world) (string, bool) {
		n := 0
		for _, r := range w.model.requests("agent") {
			if strings.Count(r, lostText) > 1 {
				n++
			}
		}
		return fmt.Sprint(n), n == 0
	}}}
	return c
}())

// plugin returns the client with the plugin of the repository in place of hooks in its settings. The plugin finds journal
// by JOURNAL_BIN.
func plugin(name string) client {
	c := claude("mcp__plugin_journal_journal__", "Bash")
	c.Name, c.Agent, c.Connect = name, c.Name, nil
	c.Install = func(ctx context.Context, w *world) error {
		root, err := os.Getwd()
		if err != nil {
			return err
		}
		for _, line := range [][]string{{"validate", root}, {"marketplace", "add", root}, {"install", pluginName}} {
			if _, err := w.run(ctx, append([]string{w.program, "plugin"}, line...)...); err != nil {
				return err
			}
		}
		return nil
	}
	c.Uninstall = func(ctx context.Context, w *world) error {
		if _, err := w.run(ctx, w.program, "plugin", "uninstall", pluginName); err != nil {
			return err
		}
		_, err := w.run(ctx, w.program, "plugin", "marketplace", "remove", "journal")
		return err
	}
	env := c.Env
	c.Env = func(w *world) []string { return append(env(w), "JOURNAL_BIN="+w.command()) }
	c.Checks = []check{
		{"plugin's shell", func(ctx context.Context, w *world) (string, bool) {
			got, err := w.asked(ctx, "note it", true, call{Shell: "journal note 'gulls nest on the roof'"})
			return w.found(ctx, err, got, "note.recorded", "gulls nest")
		}},
		{"plugin's tool", func(ctx context.Context, w *world) (string, bool) {
			got, err := w.asked(ctx, "decide it", true, call{Tool: "decide", With: map[string]any{"text": dredged}})
			return w.found(ctx, err, got, "decision.recorded", dredged)
		}},
		{"plugin's commands", func(ctx context.Context, w *world) (string, bool) {
			n := 0
			for line, want := range map[string]string{
				"/journal:status": "owner    pid", "/journal:lost": "What the compactions of this session lost",
				"/journal:recall the stairs": "Look in the journal for: the stairs",
				"/journal:decide no lift":    "no lift",
			} {
				before := len(w.model.requests("agent"))
				w.model.play(step{Text: "So it is.", Tokens: 3000})
				_, err := w.run(ctx, w.Line(w, line, true)...)
				if got := w.model.requests("agent")[before:]; err == nil && len(got) == 1 && strings.Contains(got[0], want) && !strings.Contains(got[0], "!`journal") {
					n++
				}
			}
			return fmt.Sprint(n), n == 4
		}},
		{"without program", func(ctx context.Context, w *world) (string, bool) {
			before, err := w.recorded(ctx)
			if err != nil {
				return err.Error(), false
			}
			without, lone := *w, *w.client
			lone.Env, without.client = func(w *world) []string { return append(env(w), "PATH="+pathWithout("journal")) }, &lone
			w.model.play(step{Text: "Nobody saw it.", Tokens: 3000})
			out, err := without.run(ctx, append(w.Line(w, "work unseen", true), "--output-format", "stream-json", "--verbose", "--include-hook-events")...)
			if err != nil {
				return err.Error(), false
			}
			after, err := w.recorded(ctx)
			quiet := !strings.Contains(w.model.last("agent"), "failed to connect")
			return "told", err == nil && quiet && strings.Contains(out, "systemMessage") && len(after) == len(before)
		}},
	}
	return c
}

// pathWithout returns PATH without the folders that have a program: after make install one has journal.
func pathWithout(program string) string {
	folders := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(folder string) bool {
		_, err := os.Stat(filepath.Join(folder, program))
		return err == nil
	})
	return strings.Join(folders, string(os.PathListSeparator))
}

// found reports whether an event of a type has a text, as the figure and the result of a check. failed and got are the results of
// asked.
func (w *world) found(ctx context.Context, failed error, got []string, kind, text string) (string, bool) {
	_, recorded := w.told(ctx, text, kind)
	return yesNo(recorded && failed == nil && len(got) >= 2)
}
