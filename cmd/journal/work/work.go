// Package work has the verbs about workers, which run tasks, and about the workflow that compiles source from CLAUDE.md files. A
// worker is a process of an agent, whose context may get full.
package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/journal/hookrun"
	"journal/journal/worker"
)

var _ = cli.Verb(cli.Recording, func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("work", "run tasks, and recover those whose context gets full",
		`Recovers tasks of workers whose context is full. Either your own program detects such a failure,
reduces the task, and records each step, or journal work run does all of it.

  journal work detect < error.json && journal work reduce --phase 1 < task.json
  journal work run tasks.jsonl --command 'AGENT -p {prompt}' --recover

Exit codes: 0; 1 failure, or no; 2 usage, or input that cannot be read.`, nil)
	c.AddCommand(
		workDetect(a), workReduce(a), workRecord(a), workStatus(a), workGC(a),
		workRun(a), workResume(a), workGate(), workGuard(a))
	return c
})

// maxWorkInput bounds the input of these verbs on stdin, in bytes.
const maxWorkInput = 64 << 20

// workDetect makes the command `journal work detect`.
func workDetect(a *cli.App) *cobra.Command {
	return cli.NewCommand("detect", "whether an error or a result on stdin means a full context",
		`Reads an error or a result as JSON: a text, {"message"}, {"success":false,"error","output"}, or the
body of an API's answer. It prints {"contextLimit":true,"pattern"} if the message, or a timeout with
partial output, means a full context; else nothing.

Exit codes: 0 yes, 1 no, 2 the input cannot be read.`,
		func(c *cobra.Command, _ []string) error {
			b, err := a.ReadInput(c.Context(), "-", maxWorkInput)
			if err != nil {
				return cli.Usage(err)
			}
			f, failed, err := worker.ReadFailure(b)
			if err != nil {
				return cli.Usage(fmt.Errorf("stdin: %w", err))
			}
			pattern, full := worker.Detect(f)
			if !failed || !full {
				return cli.ExitWith(cli.ExitError)
			}
			return a.JSONLines().Encode(detection{true, pattern})
		})
}

// detection is the JSON document that reports whether a failure means a full context.
type detection struct {
	ContextLimit bool   `json:"contextLimit"`
	Pattern      string `json:"pattern"` // the pattern that matched; empty if the context is not full
}

// workReduce makes the command `journal work reduce`.
func workReduce(a *cli.App) *cobra.Command {
	var phase int
	var lang string
	c := cli.NewCommand("reduce --phase 1|2", "the task for a phase of recovery",
		`Reads the original task as JSON, for both phases, and prints the task to send, with _recoveryPhase.
Unknown members are kept.

Phase 1 removes the context. Of a prompt over 2000 characters it keeps the lines of the first half,
followed by a mark in the language. Phase 2 also removes the files, and keeps the first half of
the lines, as many as fit into half of what phase 1 sent. A line that is too long keeps whole sentences
at both ends; one under 2000 characters is never cut. Characters are those that a person sees. If a
phase removes nothing more than the one before, it prints nothing: do not send the task again.

Exit codes: 0; 1 the phase removes nothing; 2 usage, or the input cannot be read.`,
		func(c *cobra.Command, _ []string) error {
			if phase == 0 {
				return cli.Usage(errors.New("--phase must be 1 or 2"))
			}
			t, err := readTask(c.Context(), a)
			if err != nil {
				return cli.Usage(err)
			}
			for reduced := range worker.Phases(t, markLanguage(a, lang)) {
				if reduced.Phase == phase {
					return a.JSONLines().Encode(reduced)
				}
			}
			return fmt.Errorf("phase %d removes nothing from this task: a line under %d characters is never cut", phase, worker.LongPrompt)
		})
	cli.CountFlag(c, &phase, "phase", "", 0, 1, worker.MaxPhase, "1 or 2")
	c.Flags().StringVar(&lang, "lang", "", "language of the mark: en, ko, ja (JOURNAL_LANG, else the locale)")
	return c
}

// readTask reads a task from stdin.
func readTask(ctx context.Context, a *cli.App) (t worker.Task, err error) {
	b, err := a.ReadInput(ctx, "-", maxWorkInput)
	if err != nil {
		return t, err
	}
	if err := t.UnmarshalJSON(b); err != nil {
		return t, fmt.Errorf("stdin: %w", err)
	}
	return t, nil
}

// markLanguage returns the language of the marks in reduced prompts: --lang, else that of the environment.
func markLanguage(a *cli.App, flag string) string {
	return cmp.Or(flag, hookrun.Language(a.Getenv))
}
