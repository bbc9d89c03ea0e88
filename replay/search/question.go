package search

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"journal/events"
	"journal/replay"
)

// Session is a session that a question found. Its JSON form is that of `journal search --json`.
type Session struct {
	Project  string  `json:"project"`
	Session  string  `json:"session"`
	Score    float64 `json:"score"`    // comparable only with the scores of the same ranking
	At       string  `json:"at"`       // time of the newest event read that has a word of the question
	Events   int     `json:"events"`   // number of its events that were ranked
	Passages []Hit   `json:"passages"` // its best events with different texts, the best first, at most maxPassages
}

// Ranking is the result of a question.
type Ranking struct {
	Sessions []Session // the best ones, the best first
	Total    int       // number of all sessions with a word of the question, except those that were read and have no passage
	Newest   bool      // only the NewestOnly newest events were ranked
}

// Question holds the terms of a text, each once. It is empty if no word of the text has a term (see termsOf).
type Question []string

// maxTerms bounds a question; further terms of a text are ignored.
const maxTerms = 64

// Ask returns the question of a text.
func Ask(s string) (q Question) {
	eachWord(s, func(script writing, from, to int) {
		for _, term := range termsOf(script, s[from:to]) {
			if len(q) < maxTerms && !slices.Contains(q, term) {
				q = append(q, term)
			}
		}
	})
	return q
}

// Words returns the words of a text that have a term of the question.
func (q Question) Words(s string) (words []string) {
	eachWord(s, func(script writing, from, to int) {
		if slices.ContainsFunc(termsOf(script, s[from:to]), func(term string) bool { return slices.Contains(q, term) }) {
			words = append(words, s[from:to])
		}
	})
	return words
}

const (
	// NewestOnly is the number of the newest events that a question ranks without an index.
	NewestOnly = 200_000

	ofPerson    = 4   // weight of the words of people and agents
	saturation  = 1.2 // BM25's k1
	lengthShare = .75 // BM25's b
	maxPassages = 5   // greatest number of passages of a session
	minSessions = 32  // sessions of which events are read: those with the best rows
	moreRows    = 4   // further rows with a passage that are read of each of the best sessions; its newest unread row is read first
	// maxRows bounds the rows that are read from an index of more than NewestOnly events, apart from those of the rarest term. Rows
	// of rare terms are read first. The terms whose rows are not read only rank the events that have another term.
	maxRows       = 20_000
	maxRowsRead   = NewestOnly / RowSpan // rows whose events are read: as many events as without an index
	maxCompared   = 8                    // best sessions that are compared for their subject
	minSimilarity = .25                  // similarity of two sessions about one subject
	minScoreShare = .4                   // share of a better session's score that a newer session needs to go before it
	minLetters    = 5                    // letters of a term for which other spellings are tried
	maxSpellings  = 8                    // greatest number of other spellings, of all terms together
)

// weightOf returns the weight of the words of an event: decisions have more than other words of people and agents, and those
// more than outputs of tools.
func weightOf(t events.Type) int {
	switch t {
	case events.TypeOf[events.DecisionRecorded](), events.TypeOf[events.QuestionAnswered]():
		return ofPerson + 2
	case events.TypeOf[events.PromptSubmitted](), events.TypeOf[events.TurnEnded](), events.TypeOf[events.NoteRecorded](), events.TypeOf[events.PlanApproved]():
		return ofPerson
	}
	return 1
}

// Rank ranks the sessions of a log up to the sequence last, 0 for its end, by the question: the BM25 score of the session plus
// that of its best event. The ranking does not depend on the order in which events are read. For a term of at least minLetters letters
// that no event has, terms count that differ from it by one edit after the first letter. Of the best sessions about the same
// subject the newest goes first. Types, Since and Until select the passages; sessions without a passage are left out. Echoes are
// skipped. Rank returns the source's error.
func (o Options) Rank(ctx context.Context, src replay.Source, last uint64, sel ...events.Selector) (Ranking, error) {
	a := ranker{Options: o, src: src, sel: sel, span: events.Span{After: max(last, NewestOnly) - NewestOnly, Until: last}}
	if a.Sessions == 0 {
		a.Sessions = o.Limit
	}
	if o.Index != nil {
		if index := o.Index(); index != nil && index.Until() >= a.span.After {
			a.index, a.span.After = index, index.Until()
		}
	}
	r, err := a.answer(ctx, o.Question)
	if a.index != nil && errors.Is(err, ErrIndex) {
		o.Index = nil
		return o.Rank(ctx, src, last, sel...)
	}
	r.Newest = a.index == nil && a.span.After > 0
	return r, err
}

// answer ranks the sessions in the index and in the events behind it.
func (a *ranker) answer(ctx context.Context, q Question) (r Ranking, err error) {
	if err := a.gather(ctx, q); err != nil {
		return r, err
	}
	missing := slices.DeleteFunc(slices.Clone(q), func(term string) bool {
		return a.frequency[a.terms[term]] > 0 || utf8.RuneCountInString(term) < minLetters
	})
	others, err := a.spelled(ctx, missing)
	if err != nil {
		return r, err
	}
	if len(others) > 0 {
		if err := a.gather(ctx, append(slices.Clone(q), others...)); err != nil {
			return r, err
		}
	}
	ranked, err := a.rank(ctx)
	if err != nil {
		return r, err
	}
	r.Total = a.found
	newestFirstOfSimilar(ranked[:min(len(ranked), maxCompared)])
	for _, s := range ranked[:min(len(ranked), a.Sessions)] {
		result := Session{Project: s.Project, Session: s.Session, Score: math.Round(s.score*100) / 100, At: time.Unix(0, s.at).UTC().Format(time.RFC3339Nano), Events: s.Events}
		for _, p := range s.best {
			h := a.passage(p.event)
			if !slices.ContainsFunc(result.Passages, func(other Hit) bool { return other.Text == h.Text }) {
				result.Passages = append(result.Passages, h)
			}
		}
		r.Sessions = append(r.Sessions, result)
	}
	return r, nil
}

// ranker ranks the sessions of a log by a question.
type ranker struct {
	Options
	src   replay.Source
	sel   []events.Selector
	span  events.Span // the events that are not in the index
	index Index       // nil for none

	question   Question
	terms      map[string]int           // term → its number in the question
	needles    []string                 // beginnings of words: every text with a term has one of them
	words      map[string][]int         // cache of termNumbers
	sessions   map[[2]string]*candidate // by project and session
	rows       int                      // number of all rows
	found      int                      // as Ranking.Total
	rowsRead   int                      // number of rows whose events were read
	frequency  []int                    // term → number of rows with it
	unreadRows []int                    // term → number of its rows in the index if they were not read, else 0
}

// candidate is a session, and the terms of the question in it.
type candidate struct {
	Sums
	rows      map[uint64][]int // row → weight of each term
	unindexed map[uint64]bool  // rows with events that are not in the index
	at        int64            // time of the newest event read that has a term
	score     float64
	added     float64            // score of the best event, which is a part of score
	unread    []uint64           // rows whose events were not read, the best first
	best      []scoredEvent      // the best selected events with a term, the best first
	about     map[string]float64 // weights of all terms of the best events; only newestFirstOfSimilar uses it
}

// scoredEvent is an event with a term of the question.
type scoredEvent struct {
	event events.Envelope
	score float64
}

// gather counts the terms of a question in the rows of the index, and in the events that are not in it.
func (a *ranker) gather(ctx context.Context, q Question) error {
	a.question, a.terms, a.words, a.needles = q, map[string]int{}, map[string][]int{}, nil
	a.sessions, a.rows, a.frequency, a.unreadRows = map[[2]string]*candidate{}, 0, make([]int, len(q)), make([]int, len(q))
	for i, term := range q {
		a.terms[term] = i
		a.needles = append(a.needles, strings.TrimSuffix(term, "i")) // stem may have replaced a final y
	}
	if a.index != nil {
		if err := a.gatherIndex(); err != nil {
			return err
		}
	}
	for e, err := range a.src.Events(ctx, a.span, a.sel...) {
		if err != nil {
			return err
		}
		if e.EchoOf != 0 {
			continue
		}
		s := a.session(e.Project, e.Session)
		row := RowOf(e.Seq)
		if !s.unindexed[row] {
			s.unindexed[row] = true
			s.Rows++
		}
		s.Add(e)
		for i, n := range a.count(e) {
			if n > 0 && a.unreadRows[i] == 0 {
				s.row(row, len(q))[i] += n * weightOf(e.Type)
			}
		}
	}
	for _, s := range a.sessions {
		a.rows += s.Rows
		for row, weights := range s.rows {
			for i, weight := range weights {
				if weight == 0 {
					continue
				}
				a.frequency[i]++
				if s.unindexed[row] {
					weights[i] = LevelWeights[LevelOf(weight)] // as in a row of the index
				}
			}
		}
	}
	for i, n := range a.unreadRows {
		a.frequency[i] = max(a.frequency[i], min(n, a.rows)) // n also counts rows of sessions that are not selected
	}
	return nil
}

// gatherIndex counts the terms of the question in the rows of the index.
func (a *ranker) gatherIndex() error {
	all, err := a.index.Sessions()
	if err != nil {
		return err
	}
	for _, s := range all {
		if len(a.sel) == 0 || slices.ContainsFunc(a.sel, func(sel events.Selector) bool { return sel.Match(events.Meta{Project: s.Project, Session: s.Session}) }) {
			a.session(s.Project, s.Session).Sums = s
		}
	}
	counts, order := make([]int, len(a.question)), make([]int, len(a.question))
	for i, term := range a.question {
		order[i] = i
		counts[i], err = a.index.Count(term)
		if err != nil {
			return err
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(counts[x], counts[y]) })
	read := 0
	for _, i := range order {
		if read > 0 && read+counts[i] > maxRows && a.index.Until() > NewestOnly {
			a.unreadRows[i] = counts[i]
			continue
		}
		read += counts[i]
		err := a.index.Rows(a.question[i], func(n int, row uint64, level int) {
			if uint(n) >= uint(len(all)) || uint(level) >= uint(len(LevelWeights)) {
				return // the index is damaged
			}
			if s := a.sessions[[2]string{all[n].Project, all[n].Session}]; s != nil {
				s.row(row, len(a.question))[i] = LevelWeights[level]
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// session returns the candidate of a session. It adds one if there is none yet.
func (a *ranker) session(project, session string) *candidate {
	key := [2]string{project, session}
	s := a.sessions[key]
	if s == nil {
		s = &candidate{Sums: Sums{Project: project, Session: session}, rows: map[uint64][]int{}, unindexed: map[uint64]bool{}}
		a.sessions[key] = s
	}
	return s
}

// row returns the weights of the terms in row n. It adds a new row, with zeros. terms is the number of terms.
func (s *candidate) row(n uint64, terms int) []int {
	if s.rows[n] == nil {
		s.rows[n] = make([]int, terms)
	}
	return s.rows[n]
}

// count returns the number of times that an event has each term, nil if it has none.
func (a *ranker) count(e events.Envelope) (counts []int) {
	if byBytes(e) && !slices.ContainsFunc(a.needles, func(n string) bool { return containsFolded(e.Body, n) }) {
		return nil
	}
	eachTerm(e, a.termNumbers, func(i int) {
		if counts == nil {
			counts = make([]int, len(a.question))
		}
		counts[i]++
	})
	return counts
}

// maxWords bounds the cache of words.
const maxWords = 1 << 16

// termNumbers returns the numbers of the question's terms in a word. It caches them.
func (a *ranker) termNumbers(script writing, word string) (numbers []int) {
	numbers, known := a.words[word]
	if known {
		return numbers
	}
	for _, term := range termsOf(script, word) {
		if i, has := a.terms[term]; has {
			numbers = append(numbers, i)
		}
	}
	if len(a.words) == maxWords {
		clear(a.words)
	}
	a.words[strings.Clone(word)] = numbers
	return numbers
}

// spelled returns the terms of the log that differ from a missing term by one edit after the first letter: the first maxSpellings by
// alphabet.
func (a *ranker) spelled(ctx context.Context, missing Question) (all Question, err error) {
	if len(missing) == 0 {
		return nil, nil
	}
	found := map[string]bool{}
	add := func(term string) {
		letter, n := utf8.DecodeRuneInString(term)
		for _, m := range missing {
			if l, size := utf8.DecodeRuneInString(m); l == letter && oneEdit([]rune(term[n:]), []rune(m[size:])) {
				found[term] = true
			}
		}
	}
	for _, m := range missing {
		_, n := utf8.DecodeRuneInString(m)
		if a.index != nil {
			if err := a.index.Terms(m[:n], add); err != nil {
				return nil, err
			}
		}
	}
	for e, err := range a.src.Events(ctx, a.span, a.sel...) {
		if err != nil {
			return nil, err
		}
		if e.EchoOf == 0 {
			eachTerm(e, termsOf, add)
		}
	}
	all = slices.Sorted(maps.Keys(found))
	return all[:min(len(all), maxSpellings)], nil
}

// oneEdit reports whether two words differ by one letter that is missing, replaced, or exchanged with its neighbour.
func oneEdit(a, b []rune) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 2 && len(b) == 2 {
		return a[0] == b[1] && a[1] == b[0]
	}
	return max(len(a), len(b)) == 1
}

// rank returns the best sessions with a passage, the best first.
func (a *ranker) rank(ctx context.Context) ([]*candidate, error) {
	ranked, mean := a.rankByRows()
	a.found = len(ranked)
	best := ranked[:0]
	for _, s := range ranked {
		if len(best) == max(a.Sessions, minSessions) || a.rowsRead >= maxRowsRead {
			break
		}
		s.unread = slices.SortedFunc(maps.Keys(s.rows), func(x, y uint64) int {
			return cmp.Or(cmp.Compare(a.rowScore(s.rows[y]), a.rowScore(s.rows[x])), cmp.Compare(y, x))
		})
		if err := a.readBest(ctx, s, mean, 1); err != nil {
			return nil, err
		}
		if len(s.best) > 0 {
			best = append(best, s)
		} else {
			a.found--
		}
	}
	byScore := func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.at, a.at), a.compare(b))
	}
	slices.SortFunc(best, byScore)
	top := best[:min(len(best), max(a.Sessions, maxCompared))]
	for _, s := range top {
		if len(s.unread) > 0 {
			newest := slices.Max(s.unread)
			s.unread = append([]uint64{newest}, slices.DeleteFunc(s.unread, func(row uint64) bool { return row == newest })...)
		}
		if err := a.readBest(ctx, s, mean, moreRows); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(top, byScore)
	return best, nil
}

// rankByRows returns the sessions with a term, ordered by the score of the session plus that of its best row, and the mean size of an
// event in bytes.
func (a *ranker) rankByRows() (ranked []*candidate, mean float64) {
	all, frequency := Sums{}, make([]int, len(a.question)) // sums of all sessions; term → number of sessions with it
	weights := map[*candidate][]int{}                      // weights of the terms in a session
	for _, s := range a.sessions {
		all.Weighted, all.Events, all.Bytes = all.Weighted+s.Weighted, all.Events+s.Events, all.Bytes+s.Bytes
		weights[s] = make([]int, len(a.question))
		for _, row := range s.rows {
			for i, weight := range row {
				weights[s][i] += weight
			}
		}
		for i, weight := range weights[s] {
			if weight > 0 {
				frequency[i]++
			}
		}
	}
	withBestRow := map[*candidate]float64{}
	for s, ofTerms := range weights {
		length := float64(s.Weighted) * float64(len(a.sessions)) / float64(all.Weighted)
		for i, weight := range ofTerms {
			s.score += bm25(float64(weight)/ofPerson, length, len(a.sessions), frequency[i])
		}
		for _, row := range s.rows {
			withBestRow[s] = max(withBestRow[s], s.score+a.rowScore(row))
		}
		if s.score > 0 {
			ranked = append(ranked, s)
		}
	}
	slices.SortFunc(ranked, func(a, b *candidate) int { return cmp.Or(cmp.Compare(withBestRow[b], withBestRow[a]), a.compare(b)) })
	return ranked, float64(all.Bytes) / float64(all.Events)
}

// compare orders candidates by project and session.
func (s *candidate) compare(other *candidate) int {
	return cmp.Or(strings.Compare(s.Project, other.Project), strings.Compare(s.Session, other.Session))
}

// rowScore returns the score of a row.
func (a *ranker) rowScore(row []int) (score float64) {
	for i, n := range row {
		score += bm25(float64(n)/ofPerson, 1, a.rows, a.frequency[i])
	}
	return score
}

// readBest reads the next unread rows of a session until the given number of rows had a passage, keeps the best passages, and adds the
// score of the best one to that of the session. mean is the mean size of an event in bytes.
func (a *ranker) readBest(ctx context.Context, s *candidate, mean float64, rows int) error {
	for ; len(s.unread) > 0 && rows > 0 && a.rowsRead < maxRowsRead; s.unread = s.unread[1:] {
		before := len(s.best)
		if err := a.readRow(ctx, s, s.unread[0], mean); err != nil {
			return err
		}
		if len(s.best) > before {
			rows--
		}
	}
	slices.SortFunc(s.best, func(a, b scoredEvent) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.event.Seq, a.event.Seq))
	})
	s.best = s.best[:min(len(s.best), maxPassages)]
	if len(s.best) > 0 {
		s.score += s.best[0].score - s.added
		s.added = s.best[0].score
	}
	return nil
}

// readRow adds the events of a row that are selected and have a term to the best ones.
func (a *ranker) readRow(ctx context.Context, s *candidate, row uint64, mean float64) error {
	a.rowsRead++
	span := events.Span{After: row * RowSpan, Until: (row + 1) * RowSpan}
	if s.unindexed[row] {
		span.After = max(span.After, a.span.After) // without an index, the ranked events may begin within a row
	}
	if a.span.Until > 0 {
		span.Until = min(span.Until, a.span.Until)
	}
	for e, err := range a.src.Events(ctx, span, events.Selector{Project: s.Project, Session: s.Session}) {
		if err != nil {
			return err
		}
		counts := a.count(e)
		if counts == nil || !a.selects(e) {
			continue
		}
		s.at = max(s.at, e.At)
		found := scoredEvent{event: e}
		for i, n := range counts {
			found.score += bm25(float64(n), float64(len(e.Body))/mean, a.rows, a.frequency[i])
		}
		found.score *= math.Sqrt(float64(weightOf(e.Type)) / ofPerson)
		s.best = append(s.best, found)
	}
	return nil
}

// bm25 returns the score of a document for a term that occurs count times in it. length is the document's length in mean lengths.
// frequency is the number of documents with the term.
func bm25(count, length float64, documents, frequency int) float64 {
	rarity := math.Log(1 + (float64(documents-frequency)+.5)/(float64(frequency)+.5))
	return rarity * count * (saturation + 1) / (count + saturation*(1-lengthShare+lengthShare*length))
}

// newestFirstOfSimilar moves the newest of the sessions about the same subject before the others, because a later session may replace
// the decisions of an earlier session.
func newestFirstOfSimilar(ranked []*candidate) {
	frequency := map[string]int{}
	for _, s := range ranked {
		s.about = map[string]float64{}
		for _, p := range s.best {
			eachTerm(p.event, termsOf, func(term string) { s.about[term]++ })
		}
		for term := range s.about {
			frequency[term]++
		}
	}
	for _, s := range ranked {
		for term, n := range s.about {
			s.about[term] = (1 + math.Log(n)) * math.Log(1+float64(len(ranked))/float64(frequency[term]))
		}
	}
	for i := range ranked {
		best := i
		for j := i + 1; j < len(ranked); j++ {
			relevant := ranked[j].score >= minScoreShare*ranked[i].score
			if relevant && ranked[j].at > ranked[best].at && cosine(ranked[i].about, ranked[j].about) >= minSimilarity {
				best = j
			}
		}
		s := ranked[best]
		copy(ranked[i+1:best+1], ranked[i:best])
		ranked[i] = s
	}
}

// cosine returns the similarity of two vectors, from 0 to 1. It adds in a fixed order, so that rounding is always the same.
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

// passage returns an event as a hit, with the part of its texts that has the most terms.
func (a *ranker) passage(e events.Envelope) Hit {
	most := 0
	return hitOf(e, func(h *Hit, path, text string) bool {
		if n, at, s := a.densest(text); n > most {
			most, h.Field = n, path
			h.Text, h.Match = cutExcerpt(s, at)
		}
		return true
	})
}

// densest returns the greatest number of different terms of the question within aroundBytes of a text, the offset of the first of
// these terms, and the text on one line, to which the offset refers.
func (a *ranker) densest(s string) (most, at int, line string) {
	line = strings.Join(strings.Fields(s), " ")
	type place struct{ term, at int }
	var near []place
	eachWord(line, func(script writing, from, to int) {
		for _, i := range a.termNumbers(script, line[from:to]) {
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
