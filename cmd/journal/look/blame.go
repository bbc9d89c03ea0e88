package look

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/disk"
)

// blamed is an event about a file. Its JSON form is that of `journal blame --json`.
type blamed struct {
	Seq         uint64      `json:"seq"`
	At          string      `json:"at"`
	Project     string      `json:"project"`
	Session     string      `json:"session"`
	Type        events.Type `json:"type"`
	Text        string      `json:"text"`
	Request     uint64      `json:"request,omitempty"` // event number of the turn's request
	requestText string
	time        time.Time // At
}

var _ = cli.Verb(cli.Looking, func(a *cli.App) *cobra.Command {
	var limit int
	c := cli.NewCommand("blame FILE[:LINE]", "the sessions, requests, decisions and commands about a file",
		`Lists the events about a file in its project, newest first: each write or move with the request that
led to it, and the requests, decisions and commands that name the file. With LINE only the writes that left that line as it is now.

  journal blame limiter.go
  journal blame limiter.go:42

Exit codes: 0; 1 nothing is known, or failure; 2 usage.`,
		func(c *cobra.Command, args []string) error {
			place, err := placeOf(args[0])
			if err != nil {
				return err
			}
			return a.ReadPastHoles(c.Context(), func(log *journal.Log) error {
				all, err := blame(c.Context(), a, log, place)
				if err != nil {
					return cli.Damaged(err)
				}
				shown := all[:min(len(all), limit)]
				if a.AsJSON {
					if err := cli.PrintJSONLines(a, shown); err != nil {
						return err
					}
				} else {
					showBlamed(c.Context(), a, log, shown)
					summary := text.Counted(len(all), "event") + " about " + args[0]
					if older := len(all) - len(shown); older > 0 {
						summary += fmt.Sprintf("; %d older: --limit %d", older, len(all))
					}
					fmt.Fprintln(a.Err, summary)
				}
				return cli.ExitIf(len(all) == 0, cli.ExitError)
			})
		})
	cli.CountFlag(c, &limit, "limit", "n", 50, 1, cli.MaxCount, "maximum number of events")
	return cli.AllowAgents(a.JSONLinesFlag(c), "limit", "json")
})

// maxBlamed bounds the size of a file in FILE:LINE, in bytes.
const maxBlamed = 16 << 20

// filePlace is a file, or a line of it.
type filePlace struct {
	file  string   // absolute path
	line  int      // from 1; 0 for the whole file
	lines []string // of the file, if line is not 0
}

// placeOf parses FILE[:LINE], and reads the file if there is a LINE.
func placeOf(arg string) (place filePlace, err error) {
	colon := strings.LastIndexByte(arg, ':')
	number, notNumber := strconv.Atoi(arg[colon+1:])
	if colon <= 0 || notNumber != nil {
		file, err := filepath.Abs(arg)
		return filePlace{file: file}, err
	}
	name := arg[:colon]
	file, err := filepath.Abs(name)
	if err != nil {
		return place, err
	}
	b, err := disk.ReadFile(file, maxBlamed)
	if err != nil {
		return place, fmt.Errorf("read line %d: %w", number, err)
	}
	lines := strings.Split(string(b), "\n")
	if number < 1 || number > len(lines) || strings.TrimSpace(lines[number-1]) == "" {
		return place, fmt.Errorf("%s has no text in line %d", name, number)
	}
	return filePlace{file, number, lines}, nil
}

// blame returns the events about a file, the newest first; with a line only the writes of that line.
func blame(ctx context.Context, a *cli.App, log *journal.Log, place filePlace) (all []blamed, err error) {
	project, err := a.ReadableProject(ctx, log)
	if err != nil {
		return nil, err
	}
	if project == "" {
		table, err := cli.Catalogue(ctx, a, log)
		if err != nil {
			return nil, err
		}
		project = projectAround(a, table.Keys(), place.file)
	}
	var selectors []events.Selector
	for _, typ := range []events.Type{
		events.TypeOf[events.PromptSubmitted](), events.TypeOf[events.FileWritten](), events.TypeOf[events.FileMoved](),
		events.TypeOf[events.DecisionRecorded](), events.TypeOf[events.CommandRan](),
	} {
		selectors = append(selectors, events.Selector{Project: project, Type: typ})
	}
	requests := map[string]blamed{}
	for e, err := range log.Events(ctx, events.Span{}, selectors...) {
		if err != nil {
			return nil, err
		}
		ev, err := events.Open(e)
		if err != nil || e.EchoOf != 0 {
			continue // journal verify reports an event that cannot be opened
		}
		found := blamed{Seq: e.Seq, At: e.Time().Format(time.RFC3339Nano), Project: e.Project, Session: e.Session, Type: e.Type, time: e.Time()}
		if p, ok := ev.(events.PromptSubmitted); ok {
			found.Text = p.Text
			requests[e.Session+" "+e.Lane] = found
		}
		about, subject := place.about(ev)
		if !about {
			continue
		}
		found.Text = text.CutLine(cli.OneLine(subject), blamedUnits)
		if r := requests[e.Session+" "+e.Lane]; r.Seq != e.Seq {
			found.Request, found.requestText = r.Seq, text.CutLine(cli.OneLine(r.Text), blamedUnits)
		}
		all = append(all, found)
	}
	slices.Reverse(all)
	slices.SortStableFunc(all, func(x, y blamed) int { return y.time.Compare(x.time) })
	return all, nil
}

// projectAround returns the key of the innermost of the projects whose directory contains a file. If none does, it returns the
// key that a project in the file's directory would have.
func projectAround(a *cli.App, projects []string, file string) string {
	for dir := filepath.Dir(file); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if key := a.ProjectKey(dir + string(os.PathSeparator)); slices.Contains(projects, key) {
			return key
		}
	}
	return a.ProjectKey(filepath.Dir(file) + string(os.PathSeparator))
}

// blamedUnits bounds the shown text of an event, in UTF-16 units.
const blamedUnits = 200

// about reports whether an event is about the file; for a place with a line, whether the event wrote that line. subject is the
// text that is shown for the event.
func (f filePlace) about(ev events.Event) (about bool, subject string) {
	name, whole := filepath.Base(f.file), f.line == 0
	switch e := ev.(type) {
	case events.FileWritten:
		wrote := whole || slices.ContainsFunc(e.Passages, func(p events.Passage) bool { return wroteLine(p, f.lines, f.line) })
		return wrote && e.Path == f.file, e.Op
	case events.FileMoved:
		return whole && (e.From == f.file || e.To == f.file), e.From + " → " + e.To
	case events.PromptSubmitted:
		return whole && text.HasWords(e.Text, name), e.Text
	case events.DecisionRecorded:
		return whole && text.HasWords(e.Text, name), e.Text
	case events.CommandRan:
		return whole && text.HasWords(e.Command, name), e.Command
	}
	return false, ""
}

// wroteLine reports whether a change may have written a line, counted from 1, of a file with these lines. A change records no
// line number, so each place where it could have written the line is tried: the lines there must begin as the change did.
func wroteLine(p events.Passage, lines []string, line int) bool {
	for from := max(0, line-p.Count); from < line; from++ {
		if beginAs(lines[from:min(from+p.Count, len(lines))], p.Lines) {
			return true
		}
	}
	return false
}

// beginAs reports whether some lines begin with the recorded ones, apart from blank lines and space around each. Fewer lines
// than were recorded are compared as far as they go; at least one must be equal.
func beginAs(lines, recorded []string) bool {
	remaining := recorded
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || len(remaining) == 0 {
			continue
		}
		if line != remaining[0] {
			return false
		}
		remaining = remaining[1:]
	}
	return len(remaining) < len(recorded)
}

// showBlamed prints events for people, below the names of their sessions and the requests that led to them.
func showBlamed(ctx context.Context, a *cli.App, log *journal.Log, all []blamed) {
	session, request := "", uint64(0)
	for _, b := range all {
		if b.Session != session {
			session, request = b.Session, 0
			fmt.Fprintln(a.Out, a.Cut(cli.SessionName(ctx, a, log, b.Project, b.Session)))
		}
		if b.Request != 0 && b.Request != request {
			request = b.Request
			fmt.Fprintln(a.Out, a.Cut(fmt.Sprintf("  #%d asked: %s", b.Request, b.requestText)))
		}
		fmt.Fprintln(a.Out, a.Cut(fmt.Sprintf("  #%d %s %s  %s", b.Seq, b.time.Local().Format(minuteFormat), b.Type, b.Text)))
	}
}
