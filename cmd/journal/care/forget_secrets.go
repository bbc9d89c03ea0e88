package care

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"journal/cmd/journal/cli"
	"journal/embedded/rebuild"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/disk/logfile"
	"journal/journal/redact"
	"journal/journal/wire/client"
	"journal/journal/worker/runner"
)

// leak is a stored event or a file with secrets that older rules missed.
type leak struct {
	seq     uint64 // of the event; 0 for a file
	kind    string // type of the event; empty for a file
	path    string // of the file; empty for an event
	secrets []redact.Finding
}

// forgetSecrets replaces the secrets that the present rules find in the selected events, and removes the selected copies of
// transcripts that hold secrets. If --secrets is the only selecting flag, it also replaces the secrets in the files beside the log.
func forgetSecrets(ctx context.Context, a *cli.App, f forgetFlags) error {
	return withLock(ctx, a, func(lock *ownership.Lock) error {
		var inLog []leak
		err := withDrainedLog(ctx, a, lock, &f.Selection, func(log *journal.Log) (err error) {
			inLog, err = leaksOf(ctx, log, f.Selection)
			return err
		})
		if err != nil {
			return err
		}
		var inFiles []leak
		if f.Selection == (rebuild.Selection{Secrets: true}) {
			if inFiles, err = leakingFiles(a); err != nil {
				return err
			}
		}
		transcripts, err := f.Transcripts(ctx, a.Dir)
		if err != nil {
			return err
		}
		n := printLeaks(a, append(inLog, inFiles...))
		fmt.Fprintf(a.Out, "%s in %s and %s\n", text.Counted(n, "secret"), text.Counted(len(inLog), "event"), text.Counted(len(inFiles), "other file"))
		if n+len(transcripts) == 0 {
			return nil
		}
		suspects := rebuild.Suspects(a.Dir)
		printCopies(a, nil, transcripts, suspects)
		if f.dryRun {
			return nil
		}
		for _, l := range inFiles { // a running worker has its files open, and would go on writing into the replaced ones
			if run := filepath.Dir(l.path); filepath.Dir(run) == runner.Dir(a.Dir) && ownership.Held(run) {
				return cli.WithHint(fmt.Errorf("run %s is at work, and its files hold secrets", filepath.Base(run)), "journal forget --secrets when it has ended")
			}
		}
		if err := a.Confirm(ctx, f.yes, "Replace them by marks for good?", "journal forget --yes …"); err != nil {
			return err
		}
		for _, l := range inFiles {
			if err := redactFile(l.path); err != nil {
				return err
			}
		}
		if err := rebuild.RemoveAside(transcripts); err != nil { // the owner copies them again, without secrets
			return err
		}
		if len(inLog) > 0 {
			err = rebuildRedacted(ctx, a, lock, f.Selection)
		} else {
			err = rebuild.RemoveAside(suspects) // as a rebuild does
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "replaced: %s\n", text.Counted(n, "secret"))
		a.Note("transcripts and backups still hold them; change every secret that leaked")
		return nil
	})
}

// leaksOf lists the selected events of a log that hold secrets.
func leaksOf(ctx context.Context, log *journal.Log, s rebuild.Selection) (all []leak, err error) {
	for e, err := range log.Events(ctx, events.Span{}) {
		if err != nil {
			return nil, err
		}
		if !s.Selects(e) {
			continue
		}
		found, err := client.Secrets(e)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			all = append(all, leak{seq: e.Seq, kind: string(e.Type), secrets: found})
		}
	}
	return all, nil
}

// rebuildRedacted rebuilds the log without the secrets of the selected events.
func rebuildRedacted(ctx context.Context, a *cli.App, lock *ownership.Lock, s rebuild.Selection) error {
	show, end := a.Progress("rebuilding")
	defer end()
	_, err := rebuild.Rebuild(ctx, lock, rebuild.Options{
		Reason: s.Reason(), Progress: show, Logger: a.Logger(),
		Redact: func(e events.Envelope) (events.Envelope, bool, error) {
			if !s.Selects(e) {
				return e, false, nil
			}
			found, err := client.Secrets(e)
			if err != nil || len(found) == 0 {
				return e, false, err
			}
			e, err = client.Redacted(e)
			return e, true, err
		},
	})
	return err
}

// shownSecrets bounds the list of secrets.
const shownSecrets = 200

// printLeaks prints the first secrets and how many more there are, and returns the number of all.
func printLeaks(a *cli.App, all []leak) (n int) {
	a.Table(func(row func(...any)) {
		for _, l := range all {
			for _, f := range l.secrets {
				if n++; n > shownSecrets {
					continue
				}
				if l.path == "" {
					row(fmt.Sprintf("#%d", l.seq), l.kind, f.Kind, f.Place, text.Counted(f.Length, "byte"))
					continue
				}
				name, _ := filepath.Rel(a.Dir, l.path) // no error: the file is below the directory
				row("", name, f.Kind, f.Place, text.Counted(f.Length, "byte"))
			}
		}
	})
	if more := n - shownSecrets; more > 0 {
		fmt.Fprintf(a.Out, "and %s\n", text.Counted(more, "more secret"))
	}
	return n
}

// leakingFiles lists the files beside the log that hold secrets, among the outputs of runs, the files set aside from the spool,
// and journal.log. It does not read derived files, because the rebuild of the log removes them.
func leakingFiles(a *cli.App) (all []leak, err error) {
	runs, aside := disk.Match(runner.Dir(a.Dir), "*/*"), disk.Match(filepath.Join(a.Dir, "spool", "aside"), "*")
	for _, path := range slices.Concat([]string{logfile.Path(a.Dir), logfile.Path(a.Dir) + ".1"}, runs, aside) {
		b, err := disk.ReadFile(path, maxRedacted)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, disk.ErrNotRegular) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if found := redact.FindIn(b); len(found) > 0 {
			all = append(all, leak{path: path, secrets: found})
		}
	}
	return all, nil
}

// redactFile replaces the secrets in a file.
func redactFile(path string) error {
	b, err := disk.ReadFile(path, maxRedacted)
	if err != nil {
		return err
	}
	return disk.ReplaceDurable(path, redact.Document(b))
}
