package work

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/events/text"
	"journal/journal/disk"
	"journal/journal/redact"
	"journal/journal/wire"
	"journal/journal/wire/client"
	"journal/journal/worker"
	"journal/projections/workers"
)

// workFiles returns the newest state of each task by the name of its file.
func workFiles(tasks workers.State) iter.Seq2[string, workers.Task] {
	return func(yield func(string, workers.Task) bool) {
		taken, seen := map[string]bool{}, map[string]bool{}
		for _, t := range slices.Backward(tasks) {
			if seen[t.TaskID] {
				continue
			}
			seen[t.TaskID] = true
			if !yield(worker.FileName(t.TaskID, taken), *t) {
				return
			}
		}
	}
}

func workWrite(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	c := cli.NewCommand("write [DIR]", "write the states of tasks as files of the original tool",
		`Writes the state of each task that ran into the limit of its context, and is not expired, into DIR:
by default .omcm/state/context-recovery of the project. The file is named after the task, or after a
digest of its name if the name has characters other than letters, digits, - and _. Unchanged files are
left alone.`,
		func(c *cobra.Command, args []string) error {
			dir := append(args, workDir(a.Root(t.Project)))[0]
			tasks, err := workTasks(c.Context(), a, t)
			if err != nil {
				return err
			}
			written := false
			for name, task := range workFiles(tasks) {
				if task.Error == nil || task.Error.Pattern == "" || expired(task, workExpiry) {
					continue
				}
				path, err := writeState(dir, name, task)
				if err != nil {
					return err
				}
				fmt.Fprintln(a.Out, path)
				written = true
			}
			if !written {
				fmt.Fprintln(a.Err, "no task ran into the limit of its context: nothing written")
			}
			return nil
		})
	t.Add(c)
	return c
}

// writeTask writes the state of one task and returns the path.
func writeTask(ctx context.Context, a *cli.App, t cli.TargetFlags, dir, id string) (string, error) {
	tasks, err := workTasks(ctx, a, t)
	if err != nil {
		return "", err
	}
	for name, task := range workFiles(tasks) {
		if task.TaskID == id {
			return writeState(dir, name, task)
		}
	}
	return "", nil
}

// writeTasks writes the states of the tasks that events are about: into the folder of --states, else into the
// original tool's folder if it exists (S4.3).
func writeTasks(ctx context.Context, a *cli.App, t cli.TargetFlags, dir string, es ...events.Event) error {
	if dir == "" {
		dir = workDir(a.Root(t.Project))
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil
		}
	}
	var names []string
	for _, e := range es {
		switch e := e.(type) {
		case events.WorkStarted:
			names = append(names, e.Task)
		case events.WorkAttempted:
			names = append(names, e.Task)
		case events.WorkEnded:
			names = append(names, e.Task)
		case events.WorkFinished:
			names = append(names, e.Task)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if _, err := writeTask(ctx, a, t, dir, name); err != nil {
			return err
		}
	}
	return nil
}

func writeState(dir, name string, t workers.Task) (path string, err error) {
	path = filepath.Join(dir, name)
	b, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return path, err
	}
	b = append(b, '\n')
	if current, err := disk.ReadFile(path, maxWorkFile); err == nil && bytes.Equal(current, b) {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return path, err
	}
	return path, disk.Replace(path, b, 0o600)
}

// maxWorkFile bounds the file of a state, in bytes.
const maxWorkFile = 1 << 20

func workImport(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	c := cli.NewCommand("import [DIR]", "record states of tasks from files of the original tool",
		`Reads the states in DIR, by default .omcm/state/context-recovery of the project, and records
them. The same content is imported once, and a task that the log already knows stays as it is.
Files are at most 1 MiB. One that cannot be used is named on stderr; the others are imported.

Exit codes: 0 durable; 1 failure, or a file that cannot be used; 2 usage.`,
		func(c *cobra.Command, args []string) error {
			dir := append(args, workDir(a.Root(t.Project)))[0]
			const hint = "journal work import DIR"
			paths, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.json"))
			if err != nil {
				return cli.WithHint(err, hint)
			}
			if len(paths) == 0 {
				if err := cli.CheckFolder(dir); err != nil {
					return cli.WithHint(err, hint)
				}
			}
			return importWork(c.Context(), a, t, paths)
		})
	t.Add(c)
	return c
}

// escapeGlob escapes a folder's name for use in a glob pattern.
func escapeGlob(dir string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(dir)
}

func importWork(ctx context.Context, a *cli.App, t cli.TargetFlags, paths []string) error {
	if err := ownership.Prepare(a.Dir); err != nil {
		return cli.WithHint(err, "journal doctor")
	}
	tasks, err := workTasks(ctx, a, t)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, task := range tasks {
		known[task.TaskID] = true
	}
	failed := false
	unusable := func(path string, err error) {
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		failed = true
		fmt.Fprintf(a.Err, "error: %s: %s; fix or remove it, and import again\n", cli.OneLine(path), cli.OneLine(err.Error()))
	}
	for _, path := range paths {
		e, err := readState(path)
		if err != nil {
			unusable(path, err)
			continue
		}
		if known[e.Task] {
			fmt.Fprintf(a.Out, "%s: known, skipped\n", cli.OneLine(e.Task))
			continue
		}
		request, err := reportRequest(a, t, e)
		if err != nil {
			unusable(path, err)
			continue
		}
		if _, err := cli.SendMany(ctx, a, request); err != nil {
			return err
		}
		known[e.Task] = true
		fmt.Fprintf(a.Out, "%s: imported\n", cli.OneLine(e.Task))
	}
	return cli.ExitIf(failed, cli.ExitError)
}

// reportRequest makes the request that records a file; the same content has the same id.
func reportRequest(a *cli.App, t cli.TargetFlags, e events.WorkReported) (wire.Request, error) {
	root := a.Root(t.Project)
	env, err := events.Wrap(events.MapText(e, redact.Text), events.Meta{
		ID: events.DerivedID("work.imported", a.ProjectKey(t.Project), e.Task, e.Digest),
		At: time.Now().UnixNano(), Session: events.None, Project: client.ProjectKey(root), Rules: int(redact.RuleSet),
	})
	if err != nil {
		return wire.Request{}, err
	}
	return client.NewRequest([]events.Envelope{env}, root)
}

func readState(path string) (events.WorkReported, error) {
	b, err := disk.ReadFile(path, maxWorkFile)
	if errors.Is(err, disk.ErrTooLarge) {
		err = fmt.Errorf("over %s", cli.Size(maxWorkFile))
	}
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		err = cause.Err // the caller names the path
	}
	if err != nil {
		return events.WorkReported{}, err
	}
	e, err := worker.ReadState(b)
	e.Digest = text.Digest(b)
	return e, err
}
