package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"journal/events"
	"journal/journal/compile"
	"journal/projections"
)

var _ = verb(func(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "compile",
		GroupID: recording,
		Short:   "the compile workflow: where each directory is, what comes next",
		Long: `Keeps where a run of the compile workflow stands: which directories are compiled from their
CLAUDE.md, in which phase each is, what was found and what was answered. Compiling subagents and
the results that they leave in .claude/tmp are seen by themselves; each step can also be told.

  journal compile plan              # from git: what is to be compiled, and why
  journal compile start src/auth --phase green --try 2
  journal compile result --from .claude/tmp/4f1c-compile-src-auth.json
  journal compile validated src/auth --issue missing_export:login.ts:login
  journal compile next              # where to go on, after a compaction or a crash too

A target is named by its whole path below the project's root, which is . itself. Telling a step
twice is telling it once.

Exit codes: 0; 1 failure or refused; 2 usage.`,
	}
	c.AddCommand(
		a.compilePlan(), a.compileStart(), a.compileResult(), a.compileValidated(), a.compileDiff(), a.compileAnswer(),
		a.compileNext(), a.compileReport(), a.compileDiscard())
	return c
})

// compileVerb makes a verb that tells a step of a run.
func (a *app) compileVerb(use, short, long string, n cobra.PositionalArgs, tell func(ctx context.Context, now projections.CompileState, t targetFlags, args []string) (events.Event, error)) *cobra.Command {
	var t targetFlags
	c := &cobra.Command{
		Use: use, Short: short, Args: args(n),
		Long: long + "\n\nExit codes: 0 durable, 1 refused or not durable, 2 usage.",
		RunE: func(c *cobra.Command, args []string) error {
			now, err := a.compileState(c, t)
			if err != nil {
				return err
			}
			e, err := tell(c.Context(), now, t, args)
			if u := (usageError{}); errors.As(err, &u) {
				return usage(c, u.error)
			} else if err != nil {
				return err
			}
			return a.record(c, t, e)
		},
	}
	t.addNew(c)
	a.jsonFlag(c)
	return c
}

// compileStep checks an event that was put together from a command line.
func compileStep[E events.Event](e E) (events.Event, error) {
	b, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	whole, err := events.FromJSON(events.TypeOf[E](), b)
	if err != nil {
		return nil, usageError{err}
	}
	return whole, nil
}

// compileState folds the run of the project; none when there is no journal yet.
func (a *app) compileState(c *cobra.Command, t targetFlags) (projections.CompileState, error) {
	fold, err := a.state(c, t, projections.Compile)
	if errors.Is(err, errNoJournal) {
		return projections.CompileState{}, nil
	}
	if err != nil {
		return projections.CompileState{}, err
	}
	return projections.Compile.In(fold), nil
}

// compileTarget reads the path of a target as people write it. One that is in no run
// has to have a CLAUDE.md: a slip of the pen would begin another target.
func (a *app) compileTarget(now projections.CompileState, t targetFlags, given string) (string, error) {
	root := a.root(t.project)
	p := filepath.ToSlash(given)
	if filepath.IsAbs(given) {
		rel, err := filepath.Rel(root, given)
		if err != nil {
			return "", fmt.Errorf("%s is not below %s", given, root)
		}
		p = filepath.ToSlash(rel)
	}
	p = path.Clean(p)
	if path.Base(p) == compile.Spec {
		p = path.Dir(p)
	}
	if _, known := now.Target(p); known {
		return p, nil
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(p), compile.Spec)); err != nil {
		return "", withHint(fmt.Errorf("%s is no target: the run does not have it, and there is no %s", p, path.Join(p, compile.Spec)), "journal compile next")
	}
	return p, nil
}

// maxCompileInput bounds what is read of a result, in bytes.
const maxCompileInput = 1 << 20
