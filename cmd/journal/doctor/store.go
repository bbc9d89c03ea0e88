package doctor

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/embedded"
	"journal/embedded/copies"
	"journal/embedded/rebuild"
	"journal/journal/disk"
	"journal/journal/forgotten"
)

const (
	// largeBytes is the size from which on a log is large (ADR-0032): nothing breaks, but opening and copying take
	// noticeably longer.
	largeBytes = 5 << 30
	// maxArchiveLag bounds the events that the archive may be behind the log for a moment.
	maxArchiveLag = 1000
)

func checkStart(x *examination) {
	if x.status.Owner != nil {
		x.fine("an owner has started")
		return
	}
	for _, o := range x.status.Obstacles {
		x.problem(o.Advice(), "no owner can start: %v", o.Err)
	}
	if len(x.status.Obstacles) == 0 {
		x.fine("nothing prevents an owner from starting")
	}
}

func checkLog(x *examination) {
	if err := readable(filepath.Join(x.Dir, "store")); err != nil {
		x.problem("journal repair (no owner can open it until then)", "the store cannot be read: %v", err)
		return
	}
	x.damaged(copies.Store)
	switch s := x.status; {
	case s.Owner == nil:
		if clean, why := embedded.WasClean(x.Dir); clean {
			x.fine("closed cleanly, up to #%d", s.LastSeq)
		} else if len(s.Unknown) > 0 {
			x.remark("journal verify", "%s", strings.Join(s.Unknown, "; "))
		} else if s.LastSeq > 0 {
			x.remark("", "its last owner did not close it (%s); the next one reads every block before it opens it", why)
		} else {
			x.fine("empty")
		}
	case s.Bytes > largeBytes:
		x.remark("journal forget --before DATE", "%s, %s: opening and copying it take a while", cli.Counted(s.Events, "event"), cli.Size(s.Bytes))
	default:
		x.fine("%s up to #%d, %s", cli.Counted(s.Events, "event"), s.LastSeq, cli.Size(s.Bytes))
	}
	rebuilds, err := rebuild.History(x.Dir)
	if err != nil {
		x.problem("journal repair", "%v", err)
	}
	if n := len(rebuilds); n > 0 {
		last := rebuilds[n-1]
		x.remark("", "rebuilt %s, last at %s: %s", cli.Counted(n, "time"), last.At.Local().Format(time.DateTime), last.Reason)
	}
	if copies := rebuild.Suspects(x.Dir); len(copies) > 0 {
		x.remark("rm -r '"+strings.Join(copies, "' '")+"' (once journal verify finds nothing)", "%s of the previous store kept in %s", cli.Counted(len(copies), "copy"), x.Dir)
	}
	oldFormat := filepath.Join(x.Dir, "store.copy")
	if _, err := os.Lstat(oldFormat); err == nil {
		x.remark("rm -r '"+oldFormat+"' (once you have updated this program, and journal verify finds nothing)", "the program once did not know the store's format; a copy from before it opened the store is in store.copy")
	}
}

// damaged reports the damage that the owner or journal verify found in a copy of the log.
func (x *examination) damaged(copy string) {
	if damages := x.status.DamageIn(copy); len(damages) > 0 {
		x.problem("journal repair", "%s, found by the idle owner or by journal verify, the first: %s", cli.Counted(len(damages), "damaged place"), damages[0].What)
	}
}

// readable tries to read something of every file in a directory, which may be absent.
func readable(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // absent, or removed meanwhile
		case err != nil || !d.Type().IsRegular():
			return err
		}
		f, _, err := disk.Open(path)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		defer f.Close()
		if _, err := f.Read(make([]byte, 1)); err != nil && err != io.EOF {
			return err
		}
		return nil
	})
}

func checkLosses(x *examination) {
	if n := copies.Unacknowledged(x.status.Losses); n > 0 {
		x.problem(cli.Acknowledging+" (once you have seen it; nothing brings them back)", "%s for good: %s", cli.Counted(n, "event is", "events are")+" lost", copies.DescribeUnacknowledged(x.status.Losses))
		return
	}
	if n := len(x.status.Losses); n > 0 {
		x.fine("%d, and a person has seen each", n)
		return
	}
	x.fine("none")
}

func checkSecondCopy(x *examination) {
	x.damaged(copies.Archive)
	switch behind := x.status.LastSeq - min(x.status.LastSeq, x.status.Archived); {
	case x.status.Owner == nil:
		x.fine("written by the owner")
	case behind > maxArchiveLag:
		x.problem("journal repair", "it is %s behind the log", cli.Counted(behind, "event"))
	default:
		x.fine("%s", x.status.Copied())
	}
}

func checkDisk(x *examination) {
	if _, err := os.Stat(x.Dir); err != nil {
		x.fine("nothing is on it yet")
		return
	}
	if err := embedded.Writable(x.Dir); err != nil {
		x.problem("make space, or make the directory writable; hooks record nothing until then", "%v", err)
		return
	}
	x.fine("takes writes")
}

// checkForgotten reports a list of forgotten events that cannot be read. Imports need it to leave them out.
func checkForgotten(x *examination) {
	if _, err := forgotten.Open(x.Dir); err != nil {
		x.problem("journal restore-backup elsewhere, and copy the file from there", "%v: an import cannot tell what to leave out", err)
	}
}
