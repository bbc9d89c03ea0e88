package ui

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/embedded/catalogue"
	"journal/events"
	"journal/events/text"
	"journal/projections"
	"journal/replay"
	"journal/replay/search"
)

// searchView is the page of a search.
type searchView struct {
	Words, Kind  string
	Within       projections.Target // the project and the session to search; an empty one means all
	Since, Until string             // times as they were typed; empty: any time
	Problem      string             // the reason why one of these times is not valid; empty: both are
	Kinds        []string
	Projects     []catalogue.Counted
	Total        int    // number of events that were found
	Partial      bool   // the search stopped early: there may be more events than Total
	Count        string // if Partial: the path that counts all hits
	Related      bool   // no event has every word; the groups are sessions with some of the words
	Groups       []searchGroup
	More         string // path of the page with more hits; empty: there is none
}

// searchGroup is a session with the hits in it.
type searchGroup struct {
	Title, Path, Project string
	When                 string // time of the first hit
	Hits, Folded         []hit  // in the order of searchKinds; the page shows Folded only when it is unfolded
}

// N returns the number of hits in the session.
func (g searchGroup) N() int { return len(g.Hits) + len(g.Folded) }

// searchKinds are the kinds of events by which a person can filter a search, the most useful first.
var searchKinds = []struct {
	name  string
	types []events.Type
}{
	{"requests", []events.Type{"prompt.submitted", "question.answered", "tool.refused"}},
	{"decisions", []events.Type{"decision.recorded", "decision.retracted", "plan.approved"}},
	{"answers", []events.Type{"turn.ended", "subagent.ended"}},
	{"notes", []events.Type{"note.recorded", "checkpoint.recorded", "file.observed"}},
	{"files", []events.Type{"file.read", "file.written", "file.moved"}},
	{"commands", []events.Type{"command.ran", "tool.used", "background.ended"}},
}

const (
	hitsAtOnce  = 100  // bound of the hits on a page, unless the request names a greater one
	mostHits    = 1600 // greatest bound that a request can name
	hitsOfGroup = 3    // bound of the hits of a session that are not folded
	mostRelated = 20   // bound of the sessions on a page, if no event has every word
)

// serveSearch searches all texts and shows the hits by session. With the form value part it serves only the hits, for the page
// of a session; with count only their number.
func (s *Server) serveSearch(w http.ResponseWriter, r *http.Request) (err error) {
	v := searchView{Words: r.FormValue("q"), Kind: r.FormValue("kind"), Since: r.FormValue("since"), Until: r.FormValue("until")}
	v.Within = projections.Target{Project: r.FormValue("project"), Session: r.FormValue("session")}
	part := r.FormValue("part") != ""
	if v.Projects, err = s.list.projects(r.Context()); err != nil {
		return err
	}
	limit, _ := strconv.Atoi(r.FormValue("limit")) // not a number: hitsAtOnce
	limit = min(max(limit, hitsAtOnce), mostHits)
	index, end := catalogue.Words(r.Context(), s.config.Dir, s.log)
	defer end()
	o := search.OptionsFor(v.Words)
	o.Limit, o.Sessions, o.Count, o.Index = limit, mostRelated, part || r.FormValue("count") != "", index
	for _, k := range searchKinds {
		v.Kinds = append(v.Kinds, k.name)
		if k.name == v.Kind {
			o.Types = k.types
		}
	}
	now := s.config.Now().In(s.config.Zone)
	var spans [2]cli.TimeSpan
	for i, typed := range []string{v.Since, v.Until} {
		if typed == "" {
			continue
		}
		span, err := cli.ParseTime(typed, now)
		if err != nil {
			v.Problem = err.Error()
		}
		spans[i] = span
	}
	o.Since, o.Until = spans[0].From, spans[1].To
	if len(o.Query) > 0 && v.Problem == "" {
		if err := s.search(r.Context(), o, &v); err != nil {
			return err
		}
	}
	if part {
		return s.write(w, r, "hits", v)
	}
	if o.Count {
		return s.write(w, r, "n-hits", v.Total)
	}
	if v.Partial {
		v.Count = s.base + "/search" + queryWith(r, "count", "1")
	}
	hasMore := v.Partial || v.Hidden() > 0
	if hasMore && limit < mostHits && !v.Related {
		v.More = s.base + "/search" + queryWith(r, "limit", strconv.Itoa(2*limit))
	}
	return s.show(w, r, "search", s.say(r)("search-everything", nil), "search", v)
}

// Hidden returns the number of hits that are not on the page.
func (v searchView) Hidden() int {
	n := v.Total
	for _, g := range v.Groups {
		n -= g.N()
	}
	return max(n, 0)
}

// search fills in the events that have every word of a query. If no event has every word, it fills in the best events of the
// sessions that have some of the words.
func (s *Server) search(ctx context.Context, o search.Options, v *searchView) error {
	st, err := s.log.Stats(ctx)
	if err != nil {
		return err
	}
	all, ranked, err := o.Find(ctx, s.log, st.Last, events.Selector{Project: v.Within.Project, Session: v.Within.Session})
	if err != nil {
		return err
	}
	v.Total, v.Partial = all.Total, all.More
	hits, words := all.Hits, func(string) []string { return o.Query }
	if len(hits) == 0 {
		for _, session := range ranked.Sessions {
			hits = append(hits, session.Passages...)
		}
		v.Related, words = len(hits) > 0, o.Question.Words
	}
	index := map[projections.Target]int{}
	for _, h := range hits {
		t := projections.Target{Project: h.Project, Session: h.Session}
		i, known := index[t]
		if !known {
			i = len(v.Groups)
			index[t] = i
			title, err := replay.Title(ctx, s.log, t)
			if err != nil {
				return err
			}
			v.Groups = append(v.Groups, searchGroup{Title: title, Path: s.path(t), Project: s.list.projectName(t.Project)})
		}
		v.Groups[i].Hits = append(v.Groups[i].Hits, s.marked(h, words(h.Text)))
	}
	for i := range v.Groups {
		g := &v.Groups[i]
		slices.SortStableFunc(g.Hits, func(a, b hit) int { return rank(a.Type) - rank(b.Type) })
		g.When = g.Hits[0].At
		g.Folded = g.Hits[min(len(g.Hits), hitsOfGroup):]
		g.Hits = g.Hits[:len(g.Hits)-len(g.Folded)]
	}
	return nil
}

// rank returns the index in searchKinds of the kind of an event type; for other types the number of kinds.
func rank(t events.Type) int {
	for i, k := range searchKinds {
		if slices.Contains(k.types, t) {
			return i
		}
	}
	return len(searchKinds)
}

// hit is an event that a search found, with its words marked.
type hit struct {
	search.Hit
	Parts []stretch // the parts of the text; a word is Marked
}

// marked returns a hit with all occurrences of some words marked.
func (s *Server) marked(h search.Hit, words []string) hit {
	shown := hit{Hit: h}
	if at, err := time.Parse(time.RFC3339Nano, h.At); err == nil {
		shown.At = s.time(at.UnixNano(), minutes)
	}
	from := 0
	for i := 0; i < len(h.Text); {
		end := i
		for _, word := range words {
			if to := text.After(h.Text, min(i+len(word), len(h.Text))); word != "" && strings.EqualFold(h.Text[i:to], word) {
				end = max(end, to)
			}
		}
		if end == i {
			i = text.After(h.Text, i+1)
			continue
		}
		shown.Parts = append(shown.Parts, stretch{Text: h.Text[from:i]}, stretch{Text: h.Text[i:end], Marked: true})
		i, from = end, end
	}
	shown.Parts = append(shown.Parts, stretch{Text: h.Text[from:]})
	return shown
}

// suggested bounds the sessions that the search box suggests, and the projects.
const suggested = 6

// serveSuggest serves the sessions that the words in the search box select (query), and the projects with these words in their
// names.
func (s *Server) serveSuggest(w http.ResponseWriter, r *http.Request) error {
	words := r.FormValue("q")
	cards, _, err := s.cards(r.Context(), query{words: words}, 0, suggested)
	if err != nil {
		return err
	}
	projects, err := s.list.projects(r.Context())
	if err != nil {
		return err
	}
	v := struct {
		Words    string
		Cards    []cardView
		Projects []catalogue.Counted
	}{Words: words, Cards: cards}
	for _, p := range projects {
		if strings.Contains(folded(p.Name), folded(words)) && len(v.Projects) < suggested {
			v.Projects = append(v.Projects, p)
		}
	}
	return s.write(w, r, "suggest", v)
}
