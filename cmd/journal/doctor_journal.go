package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"journal/cmd/journal/config"
	"journal/embedded/ownership"
	"journal/journal/logfile"
)

var _ = examine(10, "directory", func(x *examination) {
	switch err := ownership.Inspect(x.dir); {
	case errors.Is(err, fs.ErrNotExist):
		if err := creatable(x.dir); err != nil {
			x.problem("make its folder writable, or name another one with JOURNAL_DIR; hooks record nothing until then", "the journal cannot be made in %s: %v", x.dir, err)
			return
		}
		x.remark("", "there is no journal in %s yet; the first hook makes it", x.dir)
	case err != nil:
		x.problem("what the message says; hooks record nothing until then", "%v", err)
	default:
		x.fine("%s is private", x.dir)
	}
})

// creatable tries whether a directory can be made, and leaves nothing of it behind.
func creatable(dir string) error {
	parent := filepath.Dir(dir)
	for {
		_, err := os.Lstat(parent)
		if err == nil || filepath.Dir(parent) == parent {
			break
		}
		parent = filepath.Dir(parent)
	}
	tried, err := os.MkdirTemp(parent, ".journal-doctor-")
	if err != nil {
		return err
	}
	return os.Remove(tried)
}

var _ = examine(20, "owner", func(x *examination) {
	if o := x.status.Owner; o != nil {
		x.fine("pid %d owns the log since %s, version %s", o.PID, o.Since, o.Version)
		return
	}
	if reason, at, recent := ownership.Failed(x.dir); !at.IsZero() {
		wait := "the next hook tries again"
		if recent {
			wait = "hooks spool meanwhile and try again within half a minute"
		}
		x.problem("mend what the message says, then journal status", "the owner could not start at %s: %s (%s)", at.Local().Format(time.DateTime), reason, wait)
		return
	}
	if !ownership.Held(x.dir) {
		x.fine("none is running; the next hook starts one")
		return
	}
	holder, err := ownership.ReadHolder(x.dir)
	if err != nil {
		x.problem("journal stop", "somebody holds the lock and does not say who: %v", err)
		return
	}
	host, _ := os.Hostname() // only compared
	if holder.Host != host {
		x.problem("end journal on "+holder.Host+", or give this machine a JOURNAL_DIR of its own",
			"pid %d of another machine, %s, owns the log: two machines cannot share a directory", holder.PID, holder.Host)
		return
	}
	x.problem("wait a moment; then journal stop, then kill the process",
		"pid %d holds the lock since %s and does not answer: it starts, stops or hangs; hooks spool meanwhile",
		holder.PID, time.Unix(0, holder.Heartbeat).Local().Format(time.DateTime))
})

var _ = examine(30, "spool", func(x *examination) {
	dir := filepath.Join(x.dir, "spool")
	if x.status.Aside > 0 {
		x.problem("look at "+filepath.Join(dir, "aside")+"; each file has its reason beside it, and nothing else refers to it",
			"%s could not be read; set aside", counted(x.status.Aside, "report"))
	}
	switch n := x.status.Spooled; {
	case n == 0:
		x.fine("empty")
	case x.status.Owner == nil:
		x.remark("journal sessions", "an owner is needed for %s; the next hook or reader starts one", counted(n, "report"))
	case time.Since(oldest(dir)) < ownersPatience:
		x.fine("the owner takes %s within a second", counted(n, "report"))
	default:
		x.problem("journal status; when it names a newer version, update this program", "the owner that runs does not take %s", counted(n, "report"))
	}
})

// ownersPatience is how long a report may wait in the spool before something is
// wrong: an owner looks once a second.
const ownersPatience = 10 * time.Second

// oldest is when the file that waits longest in a directory was written.
func oldest(dir string) time.Time {
	first := time.Now()
	waiting, _ := os.ReadDir(dir) // none can be read: none waits
	for _, w := range waiting {
		if fi, err := w.Info(); err == nil && fi.Mode().IsRegular() && fi.ModTime().Before(first) {
			first = fi.ModTime()
		}
	}
	return first
}

var _ = examine(60, "configuration", func(x *examination) {
	path := config.Path(x.getenv)
	if _, err := config.Load(x.getenv); err != nil {
		x.problem("mend "+path+"; hooks use the defaults meanwhile", "%s", strings.TrimPrefix(err.Error(), config.ErrFile.Error()+" "))
		return
	}
	if _, err := os.Stat(path); err != nil {
		x.fine("none, so the defaults count (%s)", path)
		return
	}
	x.fine("%s", path)
})

var _ = examine(80, "troubles", func(x *examination) {
	day := time.Now().Add(-24 * time.Hour)
	n, last := 0, ""
	f, err := os.Open(logfile.Path(x.dir))
	if err != nil {
		x.fine("none were noted")
		return
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Time              time.Time
			Level, Msg, Error string
		}
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Level != "ERROR" || line.Time.Before(day) {
			continue
		}
		n++
		last = strings.TrimSuffix(line.Msg+": "+line.Error, ": ")
	}
	if n == 0 {
		x.fine("none were noted in the last day")
		return
	}
	x.remark("less "+logfile.Path(x.dir), "%s in the last day, the newest: %s", counted(n, "error"), oneLine(last))
})

var _ = examine(90, "recording", func(x *examination) {
	if len(x.status.Paused) == 0 {
		x.fine("on everywhere")
		return
	}
	for _, p := range x.status.Paused {
		if p == "*" {
			x.remark("journal resume", "paused everywhere")
		} else {
			x.remark("journal resume --project "+p, "paused in %s", p)
		}
	}
})
