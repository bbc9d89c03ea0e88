package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/config"
	"journal/embedded/service"
	"journal/embedded/store/ownership"
	"journal/events/text"
	"journal/journal/disk"
	"journal/journal/spool"
	"journal/journal/spool/losses"
)

// checkDirectory checks that the journal's directory exists and nobody else can read it, or that it can be made.
func checkDirectory(x *examination) {
	if why := cli.NoHomeProblem(x.App); why != "" {
		x.problem("set HOME, or name a directory with JOURNAL_DIR", "%s", why)
	}
	switch err := ownership.Inspect(x.Dir); {
	case errors.Is(err, fs.ErrNotExist):
		if err := ownership.Creatable(x.Dir); err != nil {
			x.problem("make its parent writable, or name another directory with JOURNAL_DIR; hooks record nothing until then", "the journal cannot be made in %s: %v", x.Dir, err)
			return
		}
		x.note("", "there is no journal in %s yet; the first hook makes it", x.Dir)
	case errors.Is(err, syscall.ENOTDIR):
		x.problem("move the file that is in place of the directory, or name another directory with JOURNAL_DIR; hooks record nothing until then", "%v", err)
	case err != nil:
		x.closed = true // nothing else in it is checked: another user's files would seem damaged, and the advice for damage removes files
		x.problem("fix what the message says; hooks record nothing until then", "%v", err)
	default:
		x.ok("%s is private", x.Dir)
	}
}

// checkOwner reports the running owner, or why none runs.
func checkOwner(x *examination) {
	if o := x.status.Owner; o != nil {
		socket := ""
		if filepath.Dir(o.Socket) != x.Dir {
			socket = ", listens on " + o.Socket
		}
		since, _ := time.Parse(time.RFC3339, o.Since) // the owner wrote it
		x.ok("pid %d owns the log since %s, version %s%s", o.PID, since.Local().Format(time.DateTime), o.Version, socket)
		return
	}
	if _, err := ownership.Executable(); err != nil {
		x.problem("call journal by its path, or give it access to /proc", "no owner can be started from here: %v", err)
	}
	if reason, failedAt, recent := ownership.Failed(x.Dir); !failedAt.IsZero() {
		retry := "the next hook tries again"
		if recent {
			retry = "hooks spool meanwhile and try again within half a minute"
		}
		x.problem("journal repair (it tries what an owner tries when it starts)", "the owner could not start at %s: %s (%s)", failedAt.Local().Format(time.DateTime), reason, retry)
		return
	}
	if !ownership.Held(x.Dir) {
		x.ok("none is running; the next hook starts one")
		return
	}
	holder, err := ownership.ReadHolder(x.Dir)
	if err != nil {
		x.problem("journal stop", "a process holds the lock and does not say which: %v", err)
		return
	}
	host, _ := os.Hostname() // empty if unknown: then the holder seems to be on another machine
	if holder.Host != host {
		x.problem("end journal on "+holder.Host+", or give this machine a JOURNAL_DIR of its own",
			"pid %d of another machine, %s, owns the log: two machines cannot share a directory", holder.PID, holder.Host)
		return
	}
	x.problem(fmt.Sprintf("kill -9 %d (after a moment, if journal stop does not help: nothing that was acknowledged is lost)", holder.PID),
		"pid %d holds the lock and does not answer; its last sign of life was at %s: it is starting, stopping or hanging; hooks spool meanwhile",
		holder.PID, localTime(holder.Heartbeat))
}

// checkSpool checks that reports can be spooled, and that the owner stores those that wait in the spool.
func checkSpool(x *examination) {
	dir := filepath.Join(x.Dir, "spool")
	if x.status.Aside > 0 {
		x.problem("rm -r '"+filepath.Join(dir, "aside")+"' (look first: beside each file is the reason; nothing needs the files)",
			"%s could not be read whole and were set aside", text.Counted(x.status.Aside, "report"))
	}
	unusable := spool.Open(dir).Check()
	if unusable != nil {
		// spool.Check ends its errors with the command to try.
		cause, try, _ := strings.Cut(unusable.Error(), "; try: ")
		x.problem(try, "%s: hooks are recorded only while an owner answers, and perhaps not in their order", cause)
	}
	if r, err := losses.Read(x.Dir); err == nil && r.Disordered() {
		x.note(cli.AcknowledgeCommand+" (once you have seen it)", "%s, recorded from %s to %s while the spool could not be read, are in the log before %s that came earlier",
			text.Counted(r.Ahead.Events, "event"), localTime(r.Ahead.First), localTime(r.Ahead.Last), text.Counted(r.Late, "report"))
	}
	switch n := x.status.Spooled; {
	case unusable != nil:
	case n == 0:
		x.ok("empty")
	case x.status.Owner == nil && ownership.Held(x.Dir):
		x.note("", "%s in the spool, until the process that holds the lock stores them or ends", text.Counted(n, "report"))
	case x.status.Owner == nil:
		x.note("journal sessions", "%s in the spool; the next hook or reader starts an owner", text.Counted(n, "report"))
	case time.Since(oldest(dir)) < maxSpooled:
		x.ok("the owner stores %s within a second", text.Counted(n, "report"))
	default:
		x.problem("journal status, which says why: a newer version wrote it (update this program), or it cannot be read (its path is named)", "the running owner does not store %s", text.Counted(n, "report"))
	}
}

// checkDropped reports the events that could be stored neither in the log nor in the spool, and that no log.gap counts yet.
func checkDropped(x *examination) {
	r, err := losses.Read(x.Dir)
	switch lost, _ := r.Unrecorded(); {
	case err != nil:
		x.problem("rm -r '"+losses.Path(x.Dir)+"'", "lost events cannot be counted: %v", err)
	case lost.Events > 0:
		x.problem("fix what the reason says; the log notes it then", "%s", service.Dropped(r))
	default:
		x.ok("no loss waits to be recorded in the log")
	}
}

// localTime formats a time in ns since 1970 UTC as the local time.
func localTime(ns int64) string { return time.Unix(0, ns).Local().Format(time.DateTime) }

// maxSpooled is the age from which a report in the spool is a problem although an owner runs. An owner drains the spool once a
// second.
const maxSpooled = 10 * time.Second

// oldest returns the time at which the oldest file of a directory was written. It is the present time if there is no file, or the
// directory cannot be read.
func oldest(dir string) time.Time {
	earliest := time.Now()
	waiting, _ := disk.ReadDir(dir)
	for _, w := range waiting {
		if fi, err := w.Info(); err == nil && fi.Mode().IsRegular() && fi.ModTime().Before(earliest) {
			earliest = fi.ModTime()
		}
	}
	return earliest
}

// checkConfiguration checks the configuration file.
func checkConfiguration(x *examination) {
	path := config.Path(x.Getenv)
	if err := config.Check(x.Getenv); err != nil {
		x.problem("fix "+path+"; hooks use the defaults meanwhile", "%s", strings.TrimPrefix(err.Error(), config.ErrFile.Error()+" "))
		return
	}
	if _, err := os.Stat(path); err != nil {
		x.ok("there is no file %s, so the defaults apply", path)
		return
	}
	x.ok("%s", path)
}

// checkRecording reports where recording is paused.
func checkRecording(x *examination) {
	if len(x.status.Paused) == 0 {
		x.ok("on everywhere")
	}
	for _, p := range x.status.Paused {
		if p == "*" { // all projects
			x.note("journal resume", "paused everywhere")
		} else {
			x.note("journal resume --project "+p, "paused in %s", p)
		}
	}
}
