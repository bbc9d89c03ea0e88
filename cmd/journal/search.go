package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/text/unicode/norm"

	"journal/events"
	"journal/events/text"
	"journal/journal"
)

// searchFlags are the choices of journal search.
type searchFlags struct {
	target targetFlags
	all    bool
	types  []string
	limit  int
	asJSON bool
}

// hit is an event that a search found.
type hit struct {
	Seq     uint64      `json:"seq"`
	At      string      `json:"at"`
	Project string      `json:"project"`
	Session string      `json:"session"`
	Type    events.Type `json:"type"`
	Field   string      `json:"field"` // path of the text in the event's data
	Text    string      `json:"text"`  // around the first match
}

var _ = verb(func(a *app) *cobra.Command {
	var f searchFlags
	c := &cobra.Command{
		Use:   "search TEXT",
		Short: "find what was said, decided, run and noted",
		Long: `Finds the events whose texts hold every word of TEXT, newest first: prompts, answers, decisions,
working notes, commands with their output and errors, summaries. Upper and lower case, full and
half width are the same; words are found inside of words; "several words" in quotes stand together.
It looks in the project, with --session in a session, with --all everywhere.

  journal search rate limiter
  journal search '"token bucket" burst' --type decision.recorded

journal show N prints a found event whole.

Exit codes: 0; 1 nothing found, or failure; 2 usage; 3 the log is damaged.`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, words []string) error {
			q := newQuery(strings.Join(words, " "))
			if len(q) == 0 {
				return usage(c, errEmptyText)
			}
			if f.limit < 1 {
				return usage(c, errors.New("--limit is at least 1"))
			}
			return a.read(c.Context(), func(log *journal.Log) error {
				return a.search(c.Context(), log, q, f)
			})
		},
	}
	f.target.add(c)
	c.Flags().BoolVar(&f.all, "all", false, "in every project")
	c.Flags().StringArrayVar(&f.types, "type", nil, "only events of this type; may be given again")
	c.Flags().IntVar(&f.limit, "limit", 50, "at most so many, the newest")
	c.Flags().BoolVar(&f.asJSON, "json", false, "one JSON object per line")
	return c
})

func (a *app) search(ctx context.Context, log *journal.Log, q query, f searchFlags) error {
	sel, err := a.searched(ctx, log, f)
	if err != nil {
		return err
	}
	st, err := log.Stats(ctx)
	if err != nil {
		return err
	}
	show, end := a.progress("searched")
	defer end()
	var hits []hit // the newest, oldest first
	for e, err := range (shown{log, st, show}).Events(ctx, events.Span{Until: st.Last}, sel...) {
		if err != nil {
			end()
			return damaged(err)
		}
		if e.EchoOf != 0 || len(f.types) > 0 && !slices.Contains(f.types, string(e.Type)) {
			continue
		}
		if h, ok := q.in(e); ok {
			if hits = append(hits, h); len(hits) > f.limit {
				hits = hits[1:]
			}
		}
	}
	end()
	if len(hits) == 0 {
		if !f.asJSON {
			fmt.Fprintln(a.err, "nothing found")
		}
		return exitWith(exitError)
	}
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	for _, h := range slices.Backward(hits) {
		if f.asJSON {
			if err := enc.Encode(h); err != nil {
				return err
			}
			continue
		}
		at, _ := time.Parse(time.RFC3339Nano, h.At)
		fmt.Fprintf(a.out, "#%-6d %s  %.8s  %s\n        %s\n", h.Seq, at.Local().Format("2006-01-02 15:04"), h.Session, h.Type, oneLine(h.Text))
	}
	return nil
}

// searched names the events that a search looks through.
func (a *app) searched(ctx context.Context, log *journal.Log, f searchFlags) ([]events.Selector, error) {
	switch {
	case f.target.session != "":
		t, err := a.target(ctx, log, f.target)
		return []events.Selector{{Project: t.Project, Session: t.Session}}, err
	case f.all:
		return nil, nil
	}
	return []events.Selector{{Project: a.projectKey(f.target.project)}}, nil
}

// query is the words and phrases that a text has to hold, folded.
type query []string

// newQuery splits a text into words, and phrases between double quotes.
func newQuery(s string) query {
	var q query
	for i, part := range strings.Split(s, `"`) {
		if i%2 == 1 {
			if p := folded(strings.Join(strings.Fields(part), " ")); p != "" {
				q = append(q, p)
			}
			continue
		}
		for _, w := range strings.Fields(part) {
			q = append(q, folded(w))
		}
	}
	return q
}

// folded gives a text in the form in which texts are compared: lower case and
// compatible characters, so that widths and compositions do not matter.
func folded(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return strings.ToLower(norm.NFKC.String(s))
		}
	}
	return strings.ToLower(s)
}

// matches says whether a text holds everything.
func (q query) matches(s string) bool {
	s = folded(s)
	for _, w := range q {
		if !strings.Contains(s, w) && !strings.Contains(strings.Join(strings.Fields(s), " "), w) {
			return false
		}
	}
	return true
}

// in looks through the texts of an event.
func (q query) in(e events.Envelope) (hit, bool) {
	ev, err := events.Open(e)
	if err != nil {
		return hit{}, false // journal verify tells of it
	}
	if _, unknown := ev.(events.Unknown); !unknown {
		found := false
		events.MapText(ev, func(s string) string {
			found = found || q.matches(s)
			return s
		})
		if !found {
			return hit{}, false
		}
	}
	v, err := events.ViewOf(e)
	if err != nil {
		return hit{}, false
	}
	var data any
	if json.Unmarshal(v.Data, &data) != nil {
		return hit{}, false
	}
	field, said, ok := q.field("", data)
	if !ok {
		return hit{}, false
	}
	return hit{Seq: e.Seq, At: v.At, Project: e.Project, Session: e.Session, Type: e.Type, Field: field, Text: q.around(said)}, true
}

// field finds the first text of a value that matches, and its path.
func (q query) field(path string, v any) (string, string, bool) {
	switch v := v.(type) {
	case string:
		return path, v, q.matches(v)
	case []any:
		for i, one := range v {
			if p, s, ok := q.field(fmt.Sprintf("%s[%d]", path, i), one); ok {
				return p, s, true
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(mapsKeys(v)) {
			if p, s, ok := q.field(strings.TrimPrefix(path+"."+name, "."), v[name]); ok {
				return p, s, true
			}
		}
	}
	return "", "", false
}

// aroundBytes is how much of a text is shown on each side of a match.
const aroundBytes = 160

// around gives the text near its first match, cut at whole characters.
func (q query) around(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= 2*aroundBytes {
		return s
	}
	// Folding can change lengths, so the place is found by halving: the shortest
	// beginning of s that holds the first word.
	low, high := 0, len(s)
	for low < high {
		if mid := (low + high) / 2; strings.Contains(folded(s[:mid]), q[0]) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	from, to := text.Before(s, max(0, low-aroundBytes)), text.After(s, min(len(s), low+aroundBytes))
	cut := s[from:to]
	if from > 0 {
		cut = "…" + cut
	}
	if to < len(s) {
		cut += "…"
	}
	return cut
}
