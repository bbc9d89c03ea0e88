package look

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/replay"
	"journal/replay/search"
)

// searchFlags are the flags of journal search.
type searchFlags struct {
	target         cli.TargetFlags
	types          []string
	since          cli.Moment
	limit          int
	all, elsewhere bool
}

var _ = cli.Verb(cli.Daily, func(a *cli.App) *cobra.Command {
	var f searchFlags
	c := cli.NewCommand("search TEXT", "find what was said, decided, run and noted, by words or a question",
		`Finds the events with every word of TEXT in their texts: prompts, answers, decisions, working notes,
commands with their output and errors, summaries. Whole words come before parts of words, newer events
before older ones. Case and full or half width do not matter; "several words" in quotes must be together.
It searches the project and its worktrees, with --session one session, with --all everything, from the newest event back
until it has enough hits. --elsewhere also counts the hits in the rest of the log.

If no event has every word, or few have those of a question, it ranks the sessions by the words, in
any form, and shows the best events of each. What people and agents said counts more than output. Without
an index of the words, which the owner makes when it has time, it ranks the newest 200,000 events.

  journal search rate limiter --since 7d
  journal search '"token bucket" burst' --type decision.recorded
  journal search how did we handle the rotation of refresh tokens

journal show N prints a whole event. With --json every line is a hit, or a session with its score.

Exit codes: 0; 1 nothing found, or failure; 2 usage; 3 the log is damaged.`,
		func(c *cobra.Command, words []string) error {
			o := search.OptionsFor(strings.Join(words, " "))
			o.Since, o.Limit, o.Sessions = f.since.From, f.limit, usualSessions
			if c.Flags().Changed("limit") {
				o.Sessions = f.limit
			}
			if len(o.Query) == 0 {
				return cli.Usage(cli.ErrEmptyText)
			}
			for _, t := range f.types {
				if err := cli.CheckType(t); err != nil {
					return cli.Usage(err)
				}
				o.Types = append(o.Types, events.Type(t))
			}
			return a.ReadPastHoles(c.Context(), func(log *journal.Log) error {
				return runSearch(c.Context(), a, log, o, f)
			})
		})
	c.Flags().StringVar(&f.target.Session, "session", "", "only this session (id or unique prefix)")
	c.Flags().StringVar(&f.target.Project, "project", "", "only this project and its worktrees (directory, key, or name; default: the project here)")
	c.Flags().BoolVar(&f.all, "all", false, "in every project")
	c.Flags().StringArrayVar(&f.types, "type", nil, "only events of this type; may be given again; journal events lists them")
	c.Flags().Var(&f.since, "since", "only events since: 3d, monday (journal help times)")
	c.Flags().BoolVar(&f.elsewhere, "elsewhere", false, "also count the hits in the rest of the log, as it always does in a short log")
	cli.CountFlag(c, &f.limit, "limit", "n", 50, 1, cli.MaxCount, "maximum number of hits, the best first")
	return cli.AllowAgents(cli.TeamFlag(a, a.JSONLinesFlag(c)), "type", "limit", "since", "json")
})

// shortLog bounds the events of a short log. Hits in the rest of such a log are always counted, because that takes only some
// milliseconds.
const shortLog = 4 << 10

// runSearch searches with the options o, and prints the hits or the sessions.
func runSearch(ctx context.Context, a *cli.App, log *journal.Log, o search.Options, f searchFlags) error {
	scope, err := scopeOf(ctx, a, log, f.target, f.all)
	if err != nil {
		return err
	}
	st, err := log.Stats(ctx)
	if err != nil {
		return err
	}
	var closeWords func()
	o.Index, closeWords = cli.Words(ctx, a, log)
	defer closeWords()
	show, end := a.Progress("searched")
	o.Searched = func(after uint64) {
		show(int64(float64(st.Bytes)*float64(st.Last-after)/float64(st.Last)), int64(st.Bytes))
	}
	var selectors []events.Selector
	if scope != (events.Selector{}) {
		selectors = append(selectors, scope)
	}
	if table, err := cli.Catalogue(ctx, a, log); err == nil && scope.Session == "" && !a.Confined {
		for _, key := range table.Worktrees(scope.Project) {
			selectors = append(selectors, events.Selector{Project: key})
		}
	}
	found, ranked, err := o.Find(ctx, log, st.Last, selectors...)
	end()
	if err != nil {
		return cli.Damaged(err)
	}
	nothing := len(found.Hits)+len(ranked.Sessions) == 0
	if nothing && f.target.Session == "" && !f.all {
		if err := a.CheckProject(ctx, log, f.target.Project); err != nil {
			return err
		}
	}
	if a.AsJSON {
		err = errors.Join(cli.PrintJSONLines(a, found.Hits), cli.PrintJSONLines(a, ranked.Sessions))
	} else {
		showHits(ctx, a, log, scope, o.Query, found.Hits)
		showSessions(ctx, a, log, o.Question, ranked)
		var more []string
		if f.elsewhere || st.Last <= shortLog {
			more = hitsElsewhere(ctx, a, log, st, scope, selectors, o)
		} else if found.Total == 0 && scope != (events.Selector{}) && !a.Confined {
			more = []string{"the rest of the log was not searched (--all)"}
		}
		printScope(ctx, a, log, scope, found, len(ranked.Sessions) > 0, len(selectors) > 1, more)
	}
	if err != nil {
		return err
	}
	return cli.ExitIf(nothing, cli.ExitError)
}

// scopeOf returns the selector of the session or else the project that the flags select; all selects the whole log, if no session is
// named.
func scopeOf(ctx context.Context, a *cli.App, log *journal.Log, flags cli.TargetFlags, all bool) (events.Selector, error) {
	switch {
	case flags.Session != "":
		t, err := a.Target(ctx, log, flags)
		return events.Selector{Project: t.Project, Session: t.Session}, err
	case all:
		return events.Selector{}, nil
	}
	project, err := a.ReadableProject(ctx, log)
	return events.Selector{Project: cmp.Or(project, a.ProjectIn(ctx, log, flags.Project))}, err
}

// hitIndent is the indent of the text of a hit.
const hitIndent = "        "

// showHits prints hits for people. The first of consecutive hits in one session also shows the session's title, except if only
// that session was searched.
func showHits(ctx context.Context, a *cli.App, log replay.Source, scope events.Selector, q search.Query, hits []search.Hit) {
	titled := scope.Session
	for _, h := range hits {
		at, _ := time.Parse(time.RFC3339Nano, h.At)
		head := fmt.Sprintf("#%-6d %s  %-8s  %s", h.Seq, at.Local().Format(minuteFormat), journal.ShortID(h.Session), h.Type)
		if h.Session != titled {
			titled = h.Session
			if title := cli.Title(ctx, a, log, h.Project, h.Session); title != "" {
				head += "  (" + title + ")"
			}
		}
		fmt.Fprintln(a.Out, a.Cut(head))
		a.Mark(q, hitIndent+excerpt(h, a.Width()-len(hitIndent)))
	}
}

// minuteFormat is the layout of a time to the minute.
const minuteFormat = "2006-01-02 15:04"

const (
	usualSessions = 5 // bound of the sessions that answer a question, without --limit
	usualPassages = 3 // bound of the events that are shown of each of these sessions
)

// showSessions prints for people the sessions that answer a question.
func showSessions(ctx context.Context, a *cli.App, log replay.Source, q search.Question, ranked search.Ranking) {
	if len(ranked.Sessions) == 0 {
		return
	}
	newest := ""
	if ranked.Newest {
		newest = fmt.Sprintf(" among the newest %d events", search.NewestOnly)
	}
	more := ""
	if n := ranked.Total - len(ranked.Sessions); n > 0 {
		more = fmt.Sprintf("; %d more: --limit %d", n, ranked.Total)
	}
	fmt.Fprintf(a.Out, "%s with some of the words%s, the best first%s\n", text.Counted(ranked.Total, "session"), newest, more)
	for _, s := range ranked.Sessions {
		at, _ := time.Parse(time.RFC3339Nano, s.At)
		fmt.Fprintln(a.Out, a.Cut(fmt.Sprintf("%s  %s  %s  %s", journal.ShortID(s.Session), at.Local().Format(minuteFormat), text.Counted(s.Events, "event"), cli.Title(ctx, a, log, s.Project, s.Session))))
		for _, h := range s.Passages[:min(len(s.Passages), usualPassages)] {
			head := fmt.Sprintf("  #%d %s: ", h.Seq, h.Type)
			line := excerpt(h, a.Width()-len(head))
			a.Mark(q.Words(line), head+line)
		}
	}
}

// excerpt returns the part of a hit's text around the match on one line of at most columns, of which a third is before the match.
// If columns is 0 or less, it returns the whole text on one line.
func excerpt(h search.Hit, columns int) string {
	line := cli.OneLine(h.Text)
	if columns <= 0 || text.Columns(line) <= columns {
		return line
	}
	match := min(h.Match, len(line))
	from := match
	for from > 0 && text.Columns(line[from:match]) < columns/3 {
		from = text.Before(line, max(0, from-1))
	}
	if from > 0 {
		line = "…" + line[from:]
	}
	return text.CutColumns(line, columns)
}

// elsewhereWait bounds the time of counting the hits in the rest of the log.
const elsewhereWait = 2 * time.Second

// hitsElsewhere describes the hits in the part of the log that was not searched: scope, and the worktrees in searched. For a
// confined agent it describes none, because an agent may not read other projects.
func hitsElsewhere(ctx context.Context, a *cli.App, log *journal.Log, st journal.Stats, scope events.Selector, searched []events.Selector, o search.Options) (more []string) {
	if scope == (events.Selector{}) || a.Confined {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, a.Pace(elsewhereWait))
	defer cancel()
	inProject, inOthers, least := 0, 0, ""
	for h, err := range o.Each(ctx, log, events.Span{Until: st.Last}) {
		if err != nil {
			least = "at least " // a search with --all shows the error
			break
		}
		if !slices.ContainsFunc(searched, func(s events.Selector) bool { return s.Project == h.Project }) {
			inOthers++
		} else if scope.Session != "" && h.Session != scope.Session {
			inProject++
		}
	}
	if inProject > 0 {
		more = append(more, fmt.Sprintf("%s%d elsewhere in the project (--project %s)", least, inProject, scope.Project))
	}
	if inOthers > 0 {
		more = append(more, fmt.Sprintf("%s%d in other projects (--all)", least, inOthers))
	}
	if least != "" && more == nil {
		more = append(more, "there was no time to look elsewhere (--all)")
	}
	return more
}

// printScope prints the number of hits, the part of the log that was searched, and what is known of the rest. ranked is set if
// sessions were ranked by the words, worktrees if those of the project were searched too.
func printScope(ctx context.Context, a *cli.App, log *journal.Log, scope events.Selector, found search.Result, ranked, worktrees bool, more []string) {
	message := text.Counted(found.Total, "hit")
	switch {
	case found.Total == 0 && ranked:
		message = "no event has every word"
	case found.Total == 0:
		message = "nothing found"
	case found.More:
		message = "the newest " + text.Counted(len(found.Hits), "hit") + ", and there may be older ones (--limit)"
	case len(found.Hits) < found.Total:
		message = fmt.Sprintf("the first %d of %s", len(found.Hits), message)
	}
	switch {
	case scope.Session != "":
		message += " in session " + cli.SessionName(ctx, a, log, scope.Project, scope.Session)
	case scope.Project != "" && worktrees:
		message += " in project " + scope.Project + " and its worktrees"
	case scope.Project != "":
		message += " in project " + scope.Project
	default:
		message += " in all projects"
	}
	fmt.Fprintln(a.Err, strings.Join(append([]string{message}, more...), "; "))
}
