package transcripts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
	"journal/journal/redact"
	"journal/journal/wire/client"
	"journal/projections"
)

// momentBytes is the size of the transcript's end that is read for the agent's last words if the session reader has not read the transcript
// to its end.
const momentBytes = 128 << 10

// Bounds of the texts of a moment, in UTF-16 units. Texts are redacted before they are cut, so that no half of a secret stays.
const (
	resultUnits = 1200 // of the beginning of a result or, for a command that does not search, its beginning and end
	callUnits   = 500  // of a tool call

	announcedUnits = 300 // of the end of the words before an edit
	searchUnits    = 160 // of a search
	foundUnits     = 600 // of what it found
)

// compacting holds the events that report a compaction, after which an agent's last words are recorded.
var compacting = map[events.Type]bool{
	events.TypeOf[events.CompactionIntended](): true, events.TypeOf[events.ContextRestarted](): true,
}

// recordMoment calls moment and reports its errors to onError, except errLate.
func (rd *Reader) recordMoment(ctx context.Context, sr *sessionReader, deadline time.Time) {
	if err := rd.moment(ctx, sr, deadline); err != nil && ctx.Err() == nil && !errors.Is(err, errLate) {
		rd.onError(fmt.Errorf("transcript of session %s: %w", sr.target.Session, err))
	}
}

// moment records the agent's last words before the compaction that sr.compacted reports, if it reports one, unless they are already
// recorded. It reads the end of the transcript, wherever the session reader is. After an error the next reading retries. The error is
// errLate if a deadline, which may be zero, leaves no time. The caller holds sr.sem.
func (rd *Reader) moment(ctx context.Context, sr *sessionReader, deadline time.Time) (err error) {
	r := &sr.file
	rd.writer.Lock()
	e := sr.compacted
	sr.compacted = events.Envelope{}
	excluded := sr.excluded || sr.moved
	rd.writer.Unlock()
	if e.Type == "" || excluded || r.format == nil || client.Paused(rd.dir, e.Project) {
		return nil
	}
	defer func() {
		rd.writer.Lock()
		defer rd.writer.Unlock()
		if err != nil && sr.compacted.Type == "" {
			sr.compacted = e
		}
	}()
	words, ok, err := r.lastWords(deadline)
	ofOtherTurn := e.Turn != "" && words.Turn != "" && e.Turn != words.Turn
	if err != nil || !ok || ofOtherTurn {
		return err
	}
	calls := rd.unfinishedCalls(ctx, sr.target, words.Open)
	empty := words.Text == "" && words.Thought == "" && words.Result == "" && len(calls) == 0 && len(words.Earlier) == 0
	if empty && sr.moment == "" { // an empty moment only replaces an earlier one
		return nil
	}
	id := events.DerivedID("moment", e.Project, e.Session, words.Row, strconv.Itoa(words.Calls), strings.Join(calls, "\n"))
	if id == sr.moment {
		return nil
	}
	if err := rd.writer.Record(ctx, sr.target, e.Agent, id, momentOf(words, calls)); err != nil {
		return fmt.Errorf("record the last words: %w", err)
	}
	sr.moment = id
	return nil
}

// momentOf returns the event of an agent's last words. It redacts the words; the unfinished calls are redacted.
func momentOf(words transcript.Words, calls []string) events.MomentRecorded {
	var findings []string
	var ages, spoken []int
	acted := 0
	for i, found := range words.Found() {
		findings, ages = append(findings, redact.Text(found.Text)), append(ages, found.Calls)
		if found.Spoken {
			spoken = append(spoken, i)
		}
		if found.Acted {
			acted++
		}
	}
	ev := events.MomentOf(redact.Text(words.Text), words.Calls, findings...)
	if len(findings) == 0 {
		for _, found := range words.Earlier {
			ev.EarlierFindings = append(ev.EarlierFindings, events.CutFinding(redact.Text(found.Text)))
			if found.Acted {
				ev.EarlierActed++
			}
		}
	}
	ev.FindingCalls, ev.SpokenFindings, ev.Acted = ages, spoken, acted
	if words.Thought != "" {
		ev.Thought, ev.ThoughtCalls = events.CutFinding(redact.Text(words.Thought)), words.ThoughtCalls
	}
	for _, a := range words.Announced {
		ev.Announced = append(ev.Announced, events.Announcement{Use: a.Use, Text: text.EndUnits(strings.TrimSpace(redact.Text(a.Text)), announcedUnits)})
	}
	for _, s := range words.Searches {
		found := resultOf(s)
		found.Acted = words.WroteAfter(s)
		ev.Searches = append(ev.Searches, found)
	}
	ev.ResultOf = text.CutLine(redact.Text(words.ResultOf), callUnits)
	isSearch := slices.ContainsFunc(words.Searches, func(s transcript.Search) bool { return s.Call == words.ResultOf })
	switch result := redact.Text(words.Result); {
	case isSearch:
		ev.Result = text.CutUnits(foldPaths(result), resultUnits)
	case words.Command && text.Units(result) > resultUnits:
		ev.Result = text.CutUnits(result, resultUnits/3) + "\n" + text.EndUnits(result, resultUnits*2/3-len("\n"))
	default:
		ev.Result = text.CutUnits(result, resultUnits)
	}
	if len(calls) > 0 {
		ev.Call, ev.Parallel = calls[0], calls[1:]
	}
	return ev
}

// resultOf returns the event's form of a search.
func resultOf(s transcript.Search) events.SearchResult {
	var lines []string
	for line := range strings.Lines(foldPaths(redact.Text(s.Result))) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	first := text.CutUnits(strings.Join(lines, "\n"), foundUnits)
	return events.SearchResult{Call: text.CutLine(redact.Text(s.Call), searchUnits), Lines: len(lines), First: first}
}

// searchHit matches the path before a match of a search: path:12:line. numbered matches what follows the path of a match, or of a line
// beside one: path-13-line.
var (
	searchHit = text.Pattern(`^([^:\n]+):\d+:`)
	numbered  = text.Pattern(`^[:-]\d+[:-]`)
)

// foldPaths returns the output of a search without the paths of lines that follow a match in the same file.
func foldPaths(found string) string {
	var folded strings.Builder
	path := ""
	for line := range strings.Lines(found) {
		rest, same := strings.CutPrefix(line, path)
		if path != "" && same && numbered().MatchString(rest) {
			line = rest[1:]
		} else if m := searchHit().FindStringSubmatch(line); m != nil {
			path = m[1]
		}
		folded.WriteString(line)
	}
	return folded.String()
}

// endedWithin is the number of the log's newest events among which unfinishedCalls searches for the ends of calls.
const endedWithin = 512

// unfinishedCalls returns the unfinished calls of a transcript whose end no hook has reported, redacted. Clients write a result into their
// transcript up to 100 ms after the hook, so a compaction can come between the two.
func (rd *Reader) unfinishedCalls(ctx context.Context, t projections.Target, open []transcript.Open) (calls []string) {
	if len(open) == 0 {
		return nil
	}
	ended := map[string]bool{}
	head := rd.writer.Head()
	for e, err := range rd.log.Events(ctx, events.Span{After: head - min(head, endedWithin)}, events.Selector{Project: t.Project, Session: t.Session}) {
		if err != nil {
			continue
		}
		ended[e.Key] = true
	}
	for _, c := range open {
		if !slices.ContainsFunc(c.Ends, func(key string) bool { return ended[key] }) {
			calls = append(calls, text.CutLine(redact.Text(c.Call), callUnits))
		}
	}
	return calls
}

// errLate is returned if a deadline passes before all rows are read.
var errLate = errors.New("no time is left to read")

// lastWords returns the agent's last words in the transcript, false if there are none. It reads until a deadline, which may be zero for
// none, and never the bytes before r.passed. The error is errLate, or one of the disk.
func (r *reading) lastWords(deadline time.Time) (transcript.Words, bool, error) {
	file, info, err := disk.Open(r.path)
	if errors.Is(err, disk.ErrNotRegular) || errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return transcript.Words{}, false, nil
	}
	if err != nil {
		return transcript.Words{}, false, err
	}
	defer file.Close()
	same := r.same(file, info)
	switch {
	case r.passed > 0 && !same:
		return transcript.Words{}, false, nil // another file: the session reader has to pass its content first
	case same && r.offset == info.Size():
		words, ok := r.watcher.LastWords()
		return words, ok, nil
	}
	tail := reading{format: r.format, since: r.since}
	if err := tail.begin(file, info, max(r.passed, info.Size()-momentBytes)); err != nil { // the first row may be incomplete, and is skipped
		return transcript.Words{}, false, err
	}
	more, err := tail.readPortion(file, info, deadline)
	words, ok := tail.watcher.LastWords()
	if err != nil {
		return words, ok, err
	}
	if more && !deadline.IsZero() && time.Now().After(deadline) {
		return words, ok, errLate
	}
	return words, ok, nil
}
