package work

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal/disk"
	"journal/journal/worker"
	"journal/projections/workers"
)

// workFiles yields the name of each task's file, and the newest state of the task.
func workFiles(tasks workers.State) iter.Seq2[string, workers.Task] {
	return func(yield func(string, workers.Task) bool) {
		taken, seen := map[string]bool{}, map[string]bool{} // names of files, ids of tasks
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

// writeTask writes the state of the task with an id into dir, and returns the path; "" if there is no such task.
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

// writeTasks writes into dir the states of the tasks that some events are about. An empty dir means the folder of the original
// tool, if that folder exists (S4.3).
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

// writeState writes the state of a task into a file, unless the file has this state already, and returns the file's path.
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

// maxWorkFile bounds the size of a state's file, in bytes.
const maxWorkFile = 1 << 20
