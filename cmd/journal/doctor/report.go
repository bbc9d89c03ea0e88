package doctor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/events/text"
	"journal/journal/disk"
	"journal/journal/disk/logfile"
	"journal/journal/redact"
)

// reportedLines is the number of lines from the end of the log file in a report.
const reportedLines = 40

// pathPattern matches a word that looks like a path.
var pathPattern = text.Pattern(`[^\s"'=(\[]*/[^\s"')\]]*|[A-Za-z]:\\[^\s"')\]]*`)

// report writes a new file for an issue: the versions, the findings, and the newest lines of journal.log. The file has no text of
// a session. Secrets are redacted. Paths, the keys of paused projects and the name of the machine are replaced, unless paths is
// set.
func (x *examination) report(file string, paths bool) error {
	var b strings.Builder
	for _, f := range x.found {
		fmt.Fprintf(&b, "%-7s  %-13s %s\n", f.Level, f.Check, f.What)
		if f.Try != "" {
			fmt.Fprintf(&b, "%25s%s\n", "try: ", f.Try)
		}
	}
	content, _ := disk.ReadFile(logfile.Path(x.Dir), 2<<20) // empty without a file: then nothing was logged
	lines := slices.Collect(strings.Lines(string(content)))
	b.WriteString("\nThe newest lines of journal.log:\n" + strings.Join(lines[max(0, len(lines)-reportedLines):], ""))
	report := redact.Text(b.String())
	if !paths {
		report = x.hidePlaces(report)
	}
	report = fmt.Sprintf("journal %s (%s, %s/%s)\n%s up to #%d, %s\n\n%s", cli.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
		text.Counted(x.status.Events, "event"), x.status.LastSeq, cli.Size(x.status.Bytes), report)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return cli.WithHint(fmt.Errorf("%s exists already", file), "another name")
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(report)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(file) // a part of a report, whose name the next one could not have
	}
	return err
}

// hidePlaces replaces paths, the keys of paused projects and the name of the machine in a report.
func (x *examination) hidePlaces(report string) string {
	const journalDir = "JOURNAL_DIR"
	host, _ := os.Hostname()    // empty if unknown: then there is nothing to replace
	home, _ := os.UserHomeDir() // likewise
	report = strings.ReplaceAll(report, x.Dir, journalDir)
	for _, place := range append([]string{x.Root(""), home, host}, x.status.Paused...) {
		if len(place) > 1 { // neither "/" nor "*", which stands for all projects
			report = strings.ReplaceAll(report, place, "SOMEWHERE")
		}
	}
	return pathPattern().ReplaceAllStringFunc(report, func(path string) string {
		if strings.HasPrefix(path, journalDir) {
			return path
		}
		return "PATH"
	})
}

// checkTroubles reports the errors that hooks, owners and verbs logged in the last day.
func checkTroubles(x *examination) {
	n := x.troubles(logfile.Path(x.Dir), "")
	if spare, err := logfile.Spare(); err == nil {
		n += x.troubles(spare, " while nothing could be written in the journal's directory")
	}
	if n == 0 {
		x.ok("none were logged in the last day")
	}
}

// troubles reports the errors of the last day in a log file, and returns their number. ending is the end of the phrase that counts
// them. It is empty for the journal's own file. In the spare file, which journals share, only errors of this journal count.
func (x *examination) troubles(path, ending string) (n int) {
	f, _, err := disk.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	yesterday, last := time.Now().Add(-24*time.Hour), ""
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Time                   time.Time
			Level, Msg, Error, Dir string
		}
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Level != "ERROR" || line.Time.Before(yesterday) {
			continue
		}
		if ending != "" && line.Dir != x.Dir {
			continue // an error of another journal
		}
		n++
		last = strings.TrimSuffix(line.Msg+": "+line.Error, ": ")
	}
	if n > 0 {
		x.note("less "+path, "%s in the last day%s, the newest: %s", text.Counted(n, "error"), ending, cli.OneLine(last))
	}
	return n
}
