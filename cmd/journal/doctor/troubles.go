package doctor

import (
	"bufio"
	"encoding/json"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/journal/disk"
	"journal/journal/disk/logfile"
)

var _ = examine(80, "troubles", func(x *examination) {
	n := x.troubles(logfile.Path(x.Dir), "")
	if spare, err := logfile.Spare(); err == nil {
		n += x.troubles(spare, " while the journal's directory took no line")
	}
	if n == 0 {
		x.fine("none were noted in the last day")
	}
})

// troubles tells what was noted of this journal in a log file in the last day, and gives how
// much that is.
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
