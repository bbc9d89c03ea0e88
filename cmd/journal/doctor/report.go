package doctor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"journal/cmd/journal/cli"
	"journal/journal/disk"
	"journal/journal/disk/logfile"
	"journal/journal/redact"
)

// reportedLines is the number of lines from the end of the log file in a report.
const reportedLines = 40

// pathPattern matches a word that looks like a path.
var pathPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^\s"'=(\[]*/[^\s"')\]]*|[A-Za-z]:\\[^\s"')\]]*`) })

// report writes what a person attaches to an issue: the versions, the findings, and the
// newest lines of the log file. It holds no text of a session. Secrets are removed; so are
// paths and the names of projects and of the machine, unless paths is set.
func (x *examination) report(file string, paths bool) error {
	var b strings.Builder
	for _, f := range x.found {
		fmt.Fprintf(&b, "%-7s  %-13s %s\n", f.Level, f.Check, f.What)
		if f.Try != "" {
			fmt.Fprintf(&b, "%25s%s\n", "try: ", f.Try)
		}
	}
	lines, _ := disk.ReadFile(logfile.Path(x.Dir), 2<<20) // without the file nothing was noted
	noted := slices.Collect(strings.Lines(string(lines)))
	b.WriteString("\nThe newest lines of journal.log:\n" + strings.Join(noted[max(0, len(noted)-reportedLines):], ""))
	events := cli.Counted(x.status.Events, "event")
	text := redact.Text(b.String())
	if !paths {
		text = x.hidePlaces(text)
	}
	text = fmt.Sprintf("journal %s (%s, %s/%s)\n%s up to #%d, %s\n\n%s", cli.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
		events, x.status.LastSeq, cli.Size(x.status.Bytes), text)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return cli.WithHint(fmt.Errorf("%s exists already", file), "another name")
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// hidePlaces replaces paths and the name of the machine by placeholders.
func (x *examination) hidePlaces(text string) string {
	const own = "JOURNAL_DIR"
	host, _ := os.Hostname()    // without a name there is nothing to hide
	home, _ := os.UserHomeDir() // the same
	text = strings.ReplaceAll(text, x.Dir, own)
	for _, place := range append([]string{x.Root(""), home, host}, x.status.Paused...) {
		if len(place) > 1 { // not "/", and not the empty key of all projects
			text = strings.ReplaceAll(text, place, "SOMEWHERE")
		}
	}
	return pathPattern().ReplaceAllStringFunc(text, func(path string) string {
		if strings.HasPrefix(path, own) {
			return path
		}
		return "PATH"
	})
}

func checkTroubles(x *examination) {
	n := x.troubles(logfile.Path(x.Dir), "")
	if spare, err := logfile.Spare(); err == nil {
		n += x.troubles(spare, " while the journal's directory took no line")
	}
	if n == 0 {
		x.fine("none were noted in the last day")
	}
}

// troubles reports what a log file noted about this journal in the last day, and returns how
// many errors.
func (x *examination) troubles(path, when string) (n int) {
	f, _, err := disk.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	day, last := time.Now().Add(-24*time.Hour), ""
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Time                   time.Time
			Level, Msg, Error, Dir string
		}
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Level != "ERROR" || line.Time.Before(day) {
			continue
		}
		if when != "" && line.Dir != x.Dir {
			continue // of another journal
		}
		n++
		last = strings.TrimSuffix(line.Msg+": "+line.Error, ": ")
	}
	if n > 0 {
		x.remark("less "+path, "%s in the last day%s, the newest: %s", cli.Counted(n, "error"), when, cli.OneLine(last))
	}
	return n
}
