package search

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"journal/events"
	"journal/events/text"
	"journal/replay"
)

// Session is a session that a question found. Its JSON form is that of `journal search --json`.
type Session struct {
	Project  string  `json:"project"`
	Session  string  `json:"session"`
	Score    float64 `json:"score"`    // compares the sessions of one answer, and nothing else
	At       string  `json:"at"`       // of its newest event with a word of the question
	Passages []Hit   `json:"passages"` // its best events, the best first
}

// Ranking is the answer to a question.
type Ranking struct {
	Sessions []Session // the best ones, the best first
	Total    int       // all sessions with a word of the question
}

// Question is the terms of a text, each once. It is empty if the text has only words that every text has.
type Question []string

// mostTerms bounds a question; the rest of a longer text is not looked for.
const mostTerms = 64

// Ask returns the question of a text.
func Ask(s string) (q Question) {
	eachWord(s, func(script writing, from, to int) {
		for _, term := range termsOf(script, s[from:to]) {
			if len(q) < mostTerms && !slices.Contains(q, term) {
				q = append(q, term)
			}
		}
	})
	return q
}

// Words returns the words of a text that are words of the question in some form.
func (q Question) Words(s string) (words []string) {
	eachWord(s, func(script writing, from, to int) {
		if slices.ContainsFunc(termsOf(script, s[from:to]), func(term string) bool { return slices.Contains(q, term) }) {
			words = append(words, s[from:to])
		}
	})
	return words
}

const (
	// NewestOnly is how many of the newest events a question ranks.
	NewestOnly = 200_000

	usual     = 4   // weight of what people and agents say
	saturated = 1.2 // BM25's k1
	byLength  = .75 // BM25's b
	passages  = 5   // best events of a session that tell what it is about
	compared  = 8   // best sessions among which the newest of those about one thing goes first
	alike     = .25 // least similarity of two sessions about one thing
	near      = .4  // least share of the score of the better one
	// comparedBytes bounds the texts that are compared.
	comparedBytes = 8 << 10
	forgiven      = 5 // least letters of a word that may have another spelling
)

// Newest returns the span of the events that a question ranks, in a log that ends with this sequence.
func Newest(last uint64) events.Span {
	return events.Span{After: max(last, NewestOnly) - NewestOnly, Until: last}
}

// weightOf returns how much the words of an event of a type count: what was decided more than what was said, and that
// more than what tools printed.
func weightOf(t events.Type) int {
	switch t {
	case events.TypeOf[events.DecisionRecorded](), events.TypeOf[events.QuestionAnswered]():
		return usual + 2
	case events.TypeOf[events.PromptSubmitted](), events.TypeOf[events.TurnEnded](), events.TypeOf[events.NoteRecorded](), events.TypeOf[events.PlanApproved]():
		return usual
	}
	return 1
}

// Sessions ranks the sessions of a span by a question: BM25 over sessions and over their best events together. The
// ranking is a function of the events, whatever the order in which they are read. A word that no event has is looked for with one edit.
// Of sessions about the same thing the newest goes first. It skips echoes, heeds Types, Since and Limit, and returns the source's error.
func (o Options) Sessions(ctx context.Context, q Question, src replay.Source, span events.Span, sel ...events.Selector) (Ranking, error) {
	a := newAsked(q, nil)
	if err := a.read(ctx, o, src, span, sel); err != nil {
		return Ranking{}, err
	}
	missing := slices.DeleteFunc(slices.Clone(q), func(term string) bool {
		return a.frequency[a.index[term]] > 0 || utf8.RuneCountInString(term) < forgiven
	})
	if len(missing) > 0 {
		a = newAsked(q, missing)
		if err := a.read(ctx, o, src, span, sel); err != nil {
			return Ranking{}, err
		}
	}
	ranked := a.rank()
	r := Ranking{Total: len(ranked)}
	if err := newestOfAlike(ctx, src, ranked[:min(len(ranked), compared)]); err != nil {
		return r, err
	}
	for _, s := range ranked[:min(len(ranked), o.Limit)] {
		one := Session{Project: s.project, Session: s.session, Score: math.Round(s.score*100) / 100, At: time.Unix(0, s.at).UTC().Format(time.RFC3339Nano)}
		for _, p := range s.best {
			e, err := eventAt(ctx, src, p.seq)
			if err != nil {
				return r, err
			}
			h := a.passage(e)
			if !slices.ContainsFunc(one.Passages, func(other Hit) bool { return other.Text == h.Text }) {
				one.Passages = append(one.Passages, h)
			}
		}
		r.Sessions = append(r.Sessions, one)
	}
	return r, nil
}

// asked is what is known of a question while events are read.
type asked struct {
	question  Question
	index     map[string]int // of a term in the question
	missing   []string       // terms that may have another spelling
	needles   []string       // a text with a word of the question has one of them
	words     map[string][]int
	sessions  map[[2]string]*sessionTerms
	found     []foundTerms
	frequency []int // number of events with a term
	events    int
	length    int64 // of all events
}

// sessionTerms are the terms of the question in a session.
type sessionTerms struct {
	project, session string
	length, at       int64
	counts           []int // of each term, weighted
	score            float64
	best             []foundTerms
}

// foundTerms are the terms of the question in an event.
type foundTerms struct {
	in             *sessionTerms
	seq            uint64
	length, weight int
	counts         []uint8
	score          float64
}

func newAsked(q Question, missing []string) *asked {
	a := &asked{question: q, missing: missing, index: map[string]int{}, words: map[string][]int{}, sessions: map[[2]string]*sessionTerms{}, frequency: make([]int, len(q))}
	for i, term := range q {
		a.index[term] = i
		if !slices.Contains(missing, term) {
			a.needles = append(a.needles, strings.TrimSuffix(term, "i"))
			continue
		}
		half := len(term) / 2
		a.needles = append(a.needles, term[:half], term[half+1:len(term)-1]) // one edit leaves one of them
	}
	return a
}

// read adds the events of a span.
func (a *asked) read(ctx context.Context, o Options, src replay.Source, span events.Span, sel []events.Selector) error {
	for e, err := range src.Events(ctx, span, sel...) {
		if err != nil {
			return err
		}
		if o.selects(e) {
			a.add(e)
		}
	}
	return nil
}

func (a *asked) add(e events.Envelope) {
	key := [2]string{e.Project, e.Session}
	s := a.sessions[key]
	if s == nil {
		s = &sessionTerms{project: e.Project, session: e.Session, counts: make([]int, len(a.question))}
		a.sessions[key] = s
	}
	weight := weightOf(e.Type)
	s.length += int64(weight * len(e.Body))
	a.length += int64(len(e.Body))
	a.events++
	counts := a.count(e)
	if counts == nil {
		return
	}
	for i, n := range counts {
		s.counts[i] += weight * int(n)
		a.frequency[i] += int(min(n, 1))
	}
	s.at = max(s.at, e.At)
	a.found = append(a.found, foundTerms{in: s, seq: e.Seq, length: len(e.Body), weight: weight, counts: counts})
}

// count returns how often an event has each term, nil if it has none.
func (a *asked) count(e events.Envelope) (counts []uint8) {
	if byBytes(e) && !slices.ContainsFunc(a.needles, func(n string) bool { return holds(e.Body, n) }) {
		return nil
	}
	ev, err := events.Open(e)
	if err != nil {
		return nil // as in Query.In
	}
	events.MapText(ev, func(s string) string {
		eachWord(s, func(script writing, from, to int) {
			for _, i := range a.termsOf(script, s[from:to]) {
				if counts == nil {
					counts = make([]uint8, len(a.question))
				}
				counts[i] = min(counts[i], math.MaxUint8-1) + 1
			}
		})
		return s
	})
	return counts
}

// mostWords bounds the cache of words.
const mostWords = 1 << 16

// termsOf returns the numbers of the terms of a word that are in the question, from the cache if they are there.
func (a *asked) termsOf(script writing, word string) (numbers []int) {
	numbers, known := a.words[word]
	if known {
		return numbers
	}
	for _, term := range termsOf(script, word) {
		if i, has := a.index[term]; has {
			numbers = append(numbers, i)
			continue
		}
		for _, m := range a.missing {
			if oneEdit([]rune(m), []rune(term)) {
				numbers = append(numbers, a.index[m])
			}
		}
	}
	if len(a.words) == mostWords {
		clear(a.words)
	}
	a.words[strings.Clone(word)] = numbers
	return numbers
}

// oneEdit reports whether two words differ by one letter that is missing, other or changed places with its neighbour.
func oneEdit(a, b []rune) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return max(len(a), len(b)) == 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

// rank returns the sessions with a term of the question, the best first.
func (a *asked) rank() (ranked []*sessionTerms) {
	length, frequency := int64(0), make([]int, len(a.question))
	for _, s := range a.sessions {
		length += s.length
		for i, n := range s.counts {
			frequency[i] += min(n, 1)
		}
	}
	for _, s := range a.sessions {
		for i, n := range s.counts {
			s.score += bm25(float64(n)/usual, float64(s.length)*float64(len(a.sessions))/float64(length), len(a.sessions), frequency[i])
		}
		if s.score > 0 {
			ranked = append(ranked, s)
		}
	}
	for i := range a.found {
		f := &a.found[i]
		for i, n := range f.counts {
			f.score += bm25(float64(n), float64(f.length)*float64(a.events)/float64(a.length), a.events, a.frequency[i])
		}
		f.score *= math.Sqrt(float64(f.weight) / usual)
		f.in.best = append(f.in.best, *f)
	}
	for _, s := range ranked {
		slices.SortFunc(s.best, func(a, b foundTerms) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.seq, a.seq)) })
		s.best = s.best[:min(len(s.best), passages)]
		s.score += s.best[0].score
	}
	slices.SortFunc(ranked, func(a, b *sessionTerms) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.at, a.at), strings.Compare(a.project, b.project), strings.Compare(a.session, b.session))
	})
	return ranked
}

// bm25 returns what a term adds to the score of a document, by its length as a share of the mean.
func bm25(count, length float64, documents, with int) float64 {
	rarity := math.Log(1 + (float64(documents-with)+.5)/(float64(with)+.5))
	return rarity * count * (saturated + 1) / (count + saturated*(1-byLength+byLength*length))
}

// newestOfAlike moves the newest of sessions about the same thing before the others: a later talk replaces what an earlier
// one decided.
func newestOfAlike(ctx context.Context, src replay.Source, ranked []*sessionTerms) error {
	about := make([]map[string]float64, len(ranked))
	frequency := map[string]int{}
	for i, s := range ranked {
		about[i] = map[string]float64{}
		for _, p := range s.best {
			e, err := eventAt(ctx, src, p.seq)
			if err != nil {
				return err
			}
			ev, _ := events.Open(e) // it was opened before
			events.MapText(ev, func(whole string) string {
				s := whole[:text.Before(whole, min(len(whole), comparedBytes))]
				eachWord(s, func(script writing, from, to int) {
					for _, term := range termsOf(script, s[from:to]) {
						about[i][term]++
					}
				})
				return whole
			})
		}
		for term := range about[i] {
			frequency[term]++
		}
	}
	for _, vector := range about {
		for term, n := range vector {
			vector[term] = (1 + math.Log(n)) * math.Log(1+float64(len(ranked))/float64(frequency[term]))
		}
	}
	for i := range ranked {
		best := i
		for j := i + 1; j < len(ranked); j++ {
			if ranked[j].at > ranked[best].at && ranked[j].score >= near*ranked[i].score && cosine(about[i], about[j]) >= alike {
				best = j
			}
		}
		s, vector := ranked[best], about[best]
		copy(ranked[i+1:best+1], ranked[i:best])
		copy(about[i+1:best+1], about[i:best])
		ranked[i], about[i] = s, vector
	}
	return nil
}

// cosine returns the similarity of two vectors, from 0 to 1. It adds in one order, so that it returns the same each time.
func cosine(a, b map[string]float64) float64 {
	dot, squares := 0., [2]float64{}
	for _, term := range slices.Sorted(maps.Keys(a)) {
		dot += a[term] * b[term]
		squares[0] += a[term] * a[term]
	}
	for _, term := range slices.Sorted(maps.Keys(b)) {
		squares[1] += b[term] * b[term]
	}
	return dot / math.Sqrt(squares[0]*squares[1])
}

// eventAt returns one event.
func eventAt(ctx context.Context, src replay.Source, seq uint64) (found events.Envelope, err error) {
	for e, err := range src.Events(ctx, events.Span{After: seq - 1, Until: seq}) {
		if err != nil {
			return found, err
		}
		found = e
	}
	return found, nil
}

// passage returns an event with the part of its text that has the most terms.
func (a *asked) passage(e events.Envelope) Hit {
	h := Hit{Seq: e.Seq, Project: e.Project, Session: e.Session, Type: e.Type}
	v, err := events.ViewOf(e)
	if err != nil {
		return h
	}
	h.At = v.At
	var data any
	if json.Unmarshal(v.Data, &data) != nil {
		return h
	}
	most := 0
	eachText("", data, func(path, text string) bool {
		if n, at, s := a.densest(text); n > most {
			most, h.Field = n, path
			h.Text, h.Match = cutExcerpt(s, at)
		}
		return true
	})
	return h
}

// densest returns how many terms of the question stand near each other in a text, on one line, and the byte where they do.
func (a *asked) densest(s string) (most, at int, line string) {
	line = strings.Join(strings.Fields(s), " ")
	type place struct{ term, at int }
	var near []place
	eachWord(line, func(script writing, from, to int) {
		for _, i := range a.termsOf(script, line[from:to]) {
			near = append(near, place{i, from})
		}
		for len(near) > 0 && near[0].at < from-aroundBytes {
			near = near[1:]
		}
		terms := map[int]bool{}
		for _, p := range near {
			terms[p.term] = true
		}
		if len(terms) > most {
			most, at = len(terms), near[0].at
		}
	})
	return most, at, line
}
