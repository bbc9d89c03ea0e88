package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"journal/cmd/journal/cli"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/wire/client"
	"journal/journal/worker/runner"
)

// runDir returns the folder of a run.
func runDir(a *cli.App, run string) string { return filepath.Join(runner.Dir(a.Dir), run) }

// isRun reports whether a name can be that of a run's folder. A name may come from an event, and must not lead to another
// directory.
func isRun(name string) bool {
	return name != "" && name != "." && name != ".." && name == filepath.Base(name)
}

// resumable finds the run with an id. For an empty id it finds the newest run of this project that has tasks left.
func resumable(ctx context.Context, a *cli.App, run string) (runner.Spec, error) {
	errNone := cli.WithHint(errors.New("no run to resume"), "journal work status")
	if run != "" {
		if !isRun(run) {
			return runner.Spec{}, errNone
		}
		s, err := runner.Load(runDir(a, run))
		if errors.Is(err, os.ErrNotExist) {
			return s, cli.WithHint(fmt.Errorf("no run %s", run), "journal work status")
		}
		return s, err
	}
	entries, err := disk.ReadDir(runner.Dir(a.Dir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return runner.Spec{}, err
	}
	slices.SortFunc(entries, func(x, y os.DirEntry) int { return runner.Changed(y).Compare(runner.Changed(x)) })
	for _, e := range entries {
		s, err := runner.Load(runDir(a, e.Name()))
		if err != nil || client.ProjectKey(s.Root) != a.ProjectKey("") {
			continue
		}
		progress, err := runProgress(ctx, a, s)
		if err != nil {
			return s, err
		}
		if !progress.Done(s) {
			return s, nil
		}
	}
	return runner.Spec{}, errNone
}

// runProgress folds the recorded events of a run.
func runProgress(ctx context.Context, a *cli.App, s runner.Spec) (runner.Progress, error) {
	p := runner.Progress{}
	key := client.ProjectKey(s.Root)
	var types []events.Selector
	for _, t := range []events.Type{
		events.TypeOf[events.WorkStarted](), events.TypeOf[events.WorkAttempted](), events.TypeOf[events.WorkEnded](), events.TypeOf[events.WorkFinished](),
	} {
		types = append(types, events.Selector{Project: key, Type: t})
	}
	err := a.Read(ctx, func(log *journal.Log) error {
		for e, err := range log.Events(ctx, events.Span{}, types...) {
			if err != nil {
				return cli.Damaged(err)
			}
			body, err := events.Open(e)
			if err != nil || e.EchoOf != 0 {
				continue // journal verify reports an event that cannot be opened
			}
			p.Apply(s.Run, body)
		}
		return nil
	})
	return p, err
}

// sweepRuns removes the folders of runs, of every project, in which nothing was written for longer than age and every task has
// an outcome. The outcomes stay in the log.
func sweepRuns(ctx context.Context, a *cli.App, age time.Duration) error {
	entries, failed := disk.ReadDir(runner.Dir(a.Dir))
	if errors.Is(failed, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if time.Since(runner.Changed(e)) <= age || ownership.Held(runDir(a, e.Name())) {
			continue
		}
		s, err := runner.Load(runDir(a, e.Name()))
		if err != nil {
			continue // a person may want to look at it
		}
		p, err := runProgress(ctx, a, s)
		if err != nil {
			return err
		}
		if p.Done(s) {
			failed = errors.Join(failed, os.RemoveAll(runDir(a, e.Name())))
		}
	}
	return failed
}
