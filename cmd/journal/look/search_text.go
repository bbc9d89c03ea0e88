package look

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/embedded/catalogue"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/replay"
	"journal/replay/search"
)

// hitIndent stands before the text of a hit.
const hitIndent = "        "

// showHits shows hits to a person, those of several sessions each with its own.
func showHits(ctx context.Context, a *cli.App, log replay.Source, in where, q search.Query, hits []search.Hit) {
	for _, h := range hits {
		at, _ := time.Parse(time.RFC3339Nano, h.At)
		head := fmt.Sprintf("#%-6d %s  %-8s  %s", h.Seq, at.Local().Format("2006-01-02 15:04"), journal.ShortID(h.Session), h.Type)
		if title := cli.Title(ctx, a, log, h.Project, h.Session); title != "" && in.session == "" {
			head += "  (" + title + ")"
		}
		fmt.Fprintln(a.Out, a.Cut(head))
		a.Mark(q, hitIndent+excerpt(h, a.Width()-len(hitIndent)))
	}
}

// excerpt gives the text of a hit on one line: as much of it as has room on a terminal, with
// the match in it.
func excerpt(h search.Hit, columns int) string {
	said := cli.OneLine(h.Text)
	if columns <= 0 || text.Columns(said) <= columns {
		return said
	}
	from := min(h.Match, len(said))
	for from > 0 && text.Columns(said[from:min(h.Match, len(said))]) < columns/3 {
		from = text.Before(said, max(0, from-1))
	}
	if from > 0 {
		said = "…" + said[from:]
	}
	return text.CutColumns(said, columns)
}

// elsewhereWait bounds the look at what was not asked for.
const elsewhereWait = 2 * time.Second

// elsewhere is how many hits lie outside of where a search looked.
type elsewhere struct {
	project, others int
	atLeast         bool // there was no time to look everywhere
}

// countElsewhere counts hits in the rest of the log.
func countElsewhere(ctx context.Context, a *cli.App, log *journal.Log, st journal.Stats, in where, o search.Options) (n elsewhere) {
	if in == (where{}) || a.Confined {
		return n
	}
	ctx, cancel := context.WithTimeout(ctx, elsewhereWait)
	defer cancel()
	for h, err := range o.Each(ctx, log, events.Span{Until: st.Last}) {
		switch {
		case err != nil:
			n.atLeast = true // whoever looks there is told why
			return n
		case h.Project != in.project:
			n.others++
		case in.session != "" && h.Session != in.session:
			n.project++
		}
	}
	return n
}

// sayWhere tells where a search looked, and what it would find elsewhere.
func sayWhere(ctx context.Context, a *cli.App, log *journal.Log, in where, found search.Found, n elsewhere) {
	said := fmt.Sprintf("%d %s", found.Total, plural("hit", found.Total))
	switch {
	case found.Total == 0:
		said = "nothing found"
	case found.More:
		said = fmt.Sprintf("the newest %d %s, and there may be older ones (--limit)", len(found.Hits), plural("hit", len(found.Hits)))
	case len(found.Hits) < found.Total:
		said = fmt.Sprintf("the first %d of %s", len(found.Hits), said)
	}
	switch {
	case in.session != "":
		said += " in session " + cli.SessionName(ctx, a, log, journal.Session{Project: in.project, ID: in.session})
	case in.project != "":
		said += " in project " + in.project
	default:
		said += " in all projects"
	}
	var more []string
	least := ""
	if n.atLeast {
		least = "at least "
	}
	if n.project > 0 {
		more = append(more, fmt.Sprintf("%s%d elsewhere in the project (--project %s)", least, n.project, in.project))
	}
	if n.others > 0 {
		more = append(more, fmt.Sprintf("%s%d in other projects (--all)", least, n.others))
	}
	if n.atLeast && n.project+n.others == 0 {
		more = append(more, "there was no time to look elsewhere (--all)")
	}
	if found.Total == 0 && in.session == "" && in.project != "" {
		more = append(unknownProject(ctx, a, log, in.project), more...)
	}
	fmt.Fprintln(a.Err, strings.Join(append([]string{said}, more...), "; "))
}

// unknownProject says that the log holds nothing of a project, and which have that name; nothing
// of one that it knows.
func unknownProject(ctx context.Context, a *cli.App, log *journal.Log, key string) []string {
	all, err := cli.Sessions(ctx, a, log)
	if err != nil || slices.ContainsFunc(all, func(s journal.Session) bool { return s.Project == key }) {
		return nil
	}
	said := "the journal knows no session of it"
	var near []string
	for _, s := range all {
		if (catalogue.PlainName(s.Project) == key || catalogue.PlainName(s.Project) == catalogue.PlainName(key)) && !slices.Contains(near, s.Project) {
			near = append(near, s.Project)
		}
	}
	if len(near) > 0 {
		said += "; did you mean " + cli.OrList(near[:min(len(near), cli.MaxCandidates)]) + "?"
	}
	return []string{said}
}

// plural gives a word for so many things.
func plural(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
