package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/events/shell/failure"
	"journal/events/text"
	"journal/journal/wire/client"
	"journal/journal/wire/proc"
	"journal/journal/worker/runner"
)

// maxWorkers bounds the number of workers that run at once. Each is a process.
const maxWorkers = 1000

// workRun makes the command `journal work run`.
func workRun(a *cli.App) *cobra.Command {
	var project string
	var s runner.Spec
	c := cli.NewCommand("run FILE|-", "run tasks in workers, recover those whose context fills up",
		`Runs a command for each task and prints the outcomes. FILE has the tasks as a JSON list or as JSON
Lines: {"id","prompt","type","context","files","command"}.

In a command {prompt} stands for the prompt, {prompt_file} for the path of a file with the prompt;
without either the prompt is on stdin. Context and names of files follow the prompt. The command runs
without a shell: it is split at white space, respecting quotes; --shell passes it to sh.

A worker fails if its exit code is not 0. With --recover a task whose context was full, or whose --timeout
was over with partial output, is retried with less: see journal work reduce. Every step is in the log, so
journal work resume continues a run that was killed; a finished task never runs again. When the run ends,
its workers end within two seconds.

Exit codes: 0 every task succeeded, 1 failure, 2 usage, or tasks that cannot be read.`,
		func(c *cobra.Command, args []string) error {
			b, err := a.ReadInput(c.Context(), args[0], runner.MaxSpec)
			if err != nil {
				return cli.Usage(err)
			}
			if s.Tasks, err = runner.ReadTasks(b); err != nil {
				return cli.Usage(err)
			}
			if err := s.Check(); err != nil {
				return cli.Usage(err)
			}
			if err := runner.Supported(); err != nil {
				return err
			}
			if s.Dir, err = os.Getwd(); err != nil {
				return err
			}
			if s.Root, err = filepath.Abs(a.Root(project)); err != nil {
				return err
			}
			s.Run, s.Session, s.Language = runner.NewID(), a.SessionGiven(""), markLanguage(a, s.Language)
			if s.States != "" {
				if s.States, err = filepath.Abs(s.States); err != nil {
					return err
				}
			}
			return beginRun(c.Context(), a, s)
		})
	c.Flags().StringVar(&s.Command, "command", "", "command of tasks without one: 'AGENT -p {prompt}'")
	c.Flags().BoolVar(&s.Shell, "shell", false, "pass commands to sh -c")
	cli.CountFlag(c, &s.Workers, "workers", "", 3, 1, maxWorkers, "how many workers run at once")
	cli.DurationFlag(c, &s.Timeout, "timeout", 0, cli.LongAgo, "how long a worker may run (5m); its output until then is kept")
	c.Flags().BoolVar(&s.Recover, "recover", false, "retry tasks whose context is full")
	c.Flags().StringVar(&s.Language, "lang", "", "language of the mark in reduced prompts: en, ko, ja")
	statesFlag(c, &s.States)
	c.Flags().StringVar(&project, "project", "", "project directory")
	return a.JSONFlag(c)
}

// beginRun stores and records a new run, and runs its tasks.
func beginRun(ctx context.Context, a *cli.App, s runner.Spec) error {
	if err := ownership.Prepare(a.Dir); err != nil {
		return cli.WithHint(err, "journal doctor")
	}
	if err := sweepRuns(ctx, a, workExpiry); err != nil {
		a.Note("outputs of old runs: " + err.Error())
	}
	if err := s.Save(runDir(a, s.Run)); err != nil {
		return err
	}
	lock, err := ownership.TryLock(runDir(a, s.Run))
	if err != nil {
		return err
	}
	defer lock.Release()
	planned := events.WorkPlanned{Run: s.Run, Tasks: len(s.Tasks), Workers: s.Workers, Recover: s.Recover}
	if err := recordWork(a, s)(ctx, planned); err != nil {
		return errors.Join(err, os.RemoveAll(runDir(a, s.Run)))
	}
	return runTasks(ctx, a, s, runner.Progress{})
}

// recordWork returns a function that appends events of a run, under its project and the session that began it. The function also
// writes the files with the states of the events' tasks.
func recordWork(a *cli.App, s runner.Spec) func(context.Context, ...events.Event) error {
	return func(ctx context.Context, es ...events.Event) error {
		if _, err := a.Appender().Append(ctx, client.About{Session: s.Session, Root: s.Root}, es...); err != nil {
			return cli.NotRecorded(err)
		}
		var ids []string
		for _, e := range es {
			if id := taskOf(e); id != "" {
				ids = append(ids, id)
			}
		}
		if len(ids) == 0 {
			return nil // no state has changed, and writeTasks would read all tasks
		}
		if _, err := writeTasks(ctx, a, cli.TargetFlags{Project: s.Root}, s.States, ids...); err != nil {
			a.Note("the state's file: " + err.Error())
		}
		return nil
	}
}

// runTasks runs the tasks of a run that have no outcome in before, the progress so far, and prints the outcomes of all tasks.
func runTasks(ctx context.Context, a *cli.App, s runner.Spec, before runner.Progress) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var printing sync.Mutex
	printLine := func(line string) {
		printing.Lock()
		defer printing.Unlock()
		fmt.Fprintln(a.Err, cli.OneLine(clipLine(line)))
	}
	printLine(fmt.Sprintf("run %s: %s", s.Run, text.Counted(len(s.Tasks), "task")))
	outcomes, err := runner.Run(ctx, s, before, runner.Options{
		Folder: runDir(a, s.Run), Self: self, Record: recordWork(a, s), Start: proc.Start, Say: printLine,
	})
	doc := struct {
		Run     string           `json:"run"`
		Results []runner.Outcome `json:"results"`
	}{s.Run, append([]runner.Outcome{}, outcomes...)}
	failed := slices.ContainsFunc(outcomes, func(o runner.Outcome) bool { return !o.Success })
	printed := a.PrintExit(doc, func() { cli.PrintEach(a, outcomes, outcomeLines) }, failed, cli.ExitError)
	if err != nil {
		return cli.WithHint(err, "journal work resume "+s.Run)
	}
	return printed
}

// outcomeLines returns the outcome of a task as lines for people.
func outcomeLines(o runner.Outcome) string {
	head := "== " + cli.OneLine(o.ID)
	switch {
	case o.Recovered:
		head += fmt.Sprintf(" (recovered in phase %d)", o.Phase)
	case !o.Success:
		head += " (failed) " + cli.OneLine(o.Error)
	}
	if o.Output == "" {
		return head
	}
	return head + "\n" + failure.Plain(o.Output)
}

// workResume makes the command `journal work resume`.
func workResume(a *cli.App) *cobra.Command {
	c := cli.NewCommand("resume [RUN]", "continue a run that ended before its tasks did",
		`Continues a run, by default the newest of the project that has tasks left. It ends workers that
still run, keeps their output, and runs the tasks without an outcome. A task with an outcome
never runs again; one whose worker's end was not recorded runs a second time.

Exit codes: 0 every task succeeded, 1 failure, or nothing to resume, 2 usage.`,
		func(c *cobra.Command, args []string) error {
			if err := runner.Supported(); err != nil {
				return err
			}
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			s, err := resumable(c.Context(), a, id)
			if err != nil {
				return err
			}
			lock, err := ownership.TryLock(runDir(a, s.Run))
			if errors.Is(err, ownership.ErrLocked) {
				return cli.WithHint(fmt.Errorf("run %s is at work", s.Run), "journal work status")
			}
			if err != nil {
				return err
			}
			defer lock.Release()
			// The progress is read under the lock, so that it includes all that the previous runner recorded.
			progress, err := runProgress(c.Context(), a, s)
			if err != nil {
				return err
			}
			if err := runner.EndOrphans(c.Context(), s, progress, runDir(a, s.Run), proc.Start, recordWork(a, s)); err != nil {
				return err
			}
			return runTasks(c.Context(), a, s, progress)
		})
	return a.JSONFlag(c)
}

// workGate makes the hidden command that a worker's process runs before the worker's own command.
func workGate() *cobra.Command {
	return &cobra.Command{
		Use: "gate -- COMMAND…", Hidden: true,
		Short: "wait until a runner opens the gate, and become the command",
		RunE:  func(_ *cobra.Command, args []string) error { return runner.Gate(args) },
	}
}

// workGuard makes the hidden command that watches a runner.
func workGuard(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use: "guard", Hidden: true,
		Short: "end the workers of a runner when it is dead",
		Run: func(*cobra.Command, []string) {
			runner.IgnoreSignals()
			runner.Guard(a.In)
		},
	}
}
