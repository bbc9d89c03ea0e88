package care

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/copies"
	"journal/embedded/rebuild"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/record"
)

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("backup FILE", "the whole log in one file; restore-backup: restore it",
		`Writes the whole log, the list of paused projects, the record of forgotten events, and the tasks and
outputs of runs into a new compressed file, and checks the file. Agents can go on meanwhile. The file
holds everything that the log holds: keep it private.

journal restore-backup restores a log from a backup, with every event number, into the journal
directory, which must be empty or absent. It checks the whole file first. It also takes a journal
export of the whole log in jsonl; - is stdin. If a line of the export cannot be read, it names the line
and restores nothing.

  journal backup journal-2026-01-31.tar
  journal restore-backup journal-2026-01-31.tar           # on the new machine
  JOURNAL_DIR=/elsewhere journal restore-backup FILE      # beside the present log

Exit codes: 0; 1 failure, nothing is written; 2 usage; 3 the log is damaged.`,
		func(c *cobra.Command, names []string) error {
			if c.CalledAs() != "restore-backup" {
				return a.Read(c.Context(), func(log *journal.Log) error { return backup(c.Context(), a, log, names[0]) })
			}
			in, err := a.OpenInput(c.Context(), names[0])
			if err != nil {
				return err
			}
			defer in.Close()
			return restoreBackup(c.Context(), a, bufio.NewReaderSize(in, 1<<16))
		})
	c.Aliases = []string{"restore-backup"}
	return a.JSONFlag(c)
})

// backup writes the log into a new file and prints its size.
func backup(ctx context.Context, a *cli.App, log *journal.Log, name string) error {
	if name == "-" {
		return cli.WithHint(cli.Usage(errors.New("backup writes a file, which it checks, and not to stdout")), "journal backup FILE")
	}
	file, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	s, err := rebuild.Backup(ctx, a.Dir, log, file, cli.Version())
	if errors.Is(err, fs.ErrExist) {
		return cli.WithHint(fmt.Errorf("%s exists already", name), "another name")
	}
	if err != nil {
		return cli.Damaged(err)
	}
	fi, err := os.Stat(file)
	if err != nil {
		return err
	}
	doc := struct {
		File   string `json:"file"`
		Events uint64 `json:"events"`
		Bytes  int64  `json:"bytes"`
	}{file, uint64(s.Events), fi.Size()}
	return a.Print(doc, func() {
		fmt.Fprintf(a.Out, "%s, %s, in %s\n", text.Counted(doc.Events, "event"), cli.Size(uint64(doc.Bytes)), name)
	})
}

// restoreMemory is the memory limit of a restore, in bytes. Above it the garbage collector runs more often.
const restoreMemory = 64 << 20

// restoreBackup restores a backup or an export into the empty journal directory.
func restoreBackup(ctx context.Context, a *cli.App, in *bufio.Reader) (err error) {
	lock, err := cli.LockEmptyDirectory(a, "restore-backup")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	debug.SetMemoryLimit(restoreMemory)
	doc := struct {
		Directory string `json:"directory"`
		Events    uint64 `json:"events"`
		Missing   uint64 `json:"missing"`
	}{Directory: a.Dir}
	if start, err := in.Peek(1); err == nil && start[0] == '{' { // a line of an export
		x := exportReader{in: in}
		n, err := rebuild.Restore(ctx, lock, a.Logger(), x.records())
		if err != nil {
			return err
		}
		doc.Events, doc.Missing = n-x.missing, x.missing // n counts each log.gap, too
	} else {
		s, err := rebuild.RestoreBackup(ctx, lock, a.Logger(), in)
		if err != nil {
			return err
		}
		doc.Events = uint64(s.Events)
	}
	return a.Print(doc, func() {
		fmt.Fprintf(a.Out, "%s in %s\n", text.Counted(doc.Events, "event"), a.Dir)
		if doc.Missing > 0 {
			fmt.Fprintf(a.Out, "a log.gap is in the place of each of %d that the export does not have\n", doc.Missing)
		}
	})
}

// exportReader reads the lines of an export as records.
type exportReader struct {
	in      *bufio.Reader
	line    int    // number of the newest line, from 1
	missing uint64 // number of sequences without a line so far
}

// records returns the records in the order of their sequences, with a log.gap for each missing one. It ends at the first error, which names
// the line: whether to restore the log without that line is for a person to decide.
func (x *exportReader) records() iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		next := uint64(1)
		yieldEvent := func(e events.Envelope, err error) bool {
			if err != nil {
				yield(record.Record{}, x.located(err))
				return false
			}
			r, err := journal.NewRecord(e)
			r.Seq = next
			next++
			return yield(r, x.located(err))
		}
		lines := bufio.NewScanner(x.in)
		lines.Buffer(nil, 8*events.MaxBytes) // no line of an export is as long
		for lines.Scan() {
			x.line++
			e, err := x.parse(lines.Bytes(), next)
			if readErr := lines.Err(); err != nil && readErr != nil { // the line is cut: that is the cause
				err = readErr
			}
			for err == nil && next < e.Seq {
				x.missing++
				if !yieldEvent(events.Wrap(events.LogGap{Seq: next, Reason: "not in the export"}, events.Meta{At: e.At})) {
					return
				}
			}
			if !yieldEvent(e, err) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			x.line++
			yield(record.Record{}, x.located(err))
		}
	}
}

// located adds the number of the newest line to an error, and for a line that cannot be read also what a person can do. nil stays nil.
func (x *exportReader) located(err error) error {
	if err == nil {
		return nil
	}
	located := fmt.Errorf("line %d: %w; nothing is restored", x.line, err)
	if errors.Is(err, events.ErrMalformed) || errors.Is(err, events.ErrTooLarge) || errors.Is(err, bufio.ErrTooLong) {
		return cli.WithHint(located, fmt.Sprintf("sed %dd FILE > OTHER, to restore all but this line; or journal export again", x.line))
	}
	return located
}

// parse parses a line. A sequence below least is an error, and so is a gap before the sequence that is larger than any log can
// have.
func (x *exportReader) parse(line []byte, least uint64) (events.Envelope, error) {
	e, err := events.ParseExport(line)
	if err != nil {
		return e, err
	}
	if e.Seq < least {
		return e, fmt.Errorf("#%d comes after #%d: the lines must be in the order of the export", e.Seq, least-1)
	}
	if held := least - 1 - x.missing; !copies.MayLack(held, x.missing+e.Seq-least) {
		return e, cli.WithHint(fmt.Errorf("#%d comes after #%d, and the file holds %s before it: no log has such a gap",
			e.Seq, least-1, text.Counted(held, "event")), "journal export > FILE, without filters, where the log is")
	}
	return e, nil
}
