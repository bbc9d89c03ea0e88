package search

import (
	"errors"
	"slices"

	"journal/events"
)

// Index has the terms of a log up to a sequence, so that a search need not read all events. It is not safe for concurrent use.
// Its errors are ErrIndex; then only the newest events are ranked.
type Index interface {
	// Filters returns the known filters of the spans with the numbers from up to, but excluding, to. A span has FilterSpan
	// sequences; the first one has the number 0.
	Filters(from, to uint64) []*Filter
	// Until returns the sequence up to which the index has every row, a multiple of RowSpan.
	Until() uint64
	// Sessions returns the sums of every session.
	Sessions() ([]Sums, error)
	// Count returns the number of rows that have a term.
	Count(term string) (int, error)
	// Rows calls do with each row that has a term: the index of its session in Sessions, its number, and the level of the term's
	// weight in it.
	Rows(term string, do func(session int, row uint64, level int)) error
	// Terms calls do with every term that begins with the letter.
	Terms(letter string, do func(term string)) error
}

// ErrIndex is the error of an index that cannot be read.
var ErrIndex = errors.New("the index of words cannot be read")

// RowSpan is the number of sequences of a row. A row consists of the events of one session among these sequences.
const RowSpan = 64

// RowOf returns the number of the row of a sequence, from 0.
func RowOf(seq uint64) uint64 { return (seq - 1) / RowSpan }

// LevelWeights are the weights of a term in a row that an index distinguishes, ascending.
var LevelWeights = [...]int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256}

// LevelOf returns the level of a weight of at least 1: the index of the greatest of LevelWeights that is not above the weight.
func LevelOf(weight int) int {
	level, same := slices.BinarySearch(LevelWeights[:], weight)
	if !same {
		level--
	}
	return max(level, 0)
}

// Sums holds the sizes of a session.
type Sums struct {
	Project, Session string
	Weighted, Bytes  int64 // bytes of its events, with and without the weights of their types
	Events, Rows     int   // numbers of its events and rows
}

// Add adds an event to Weighted, Bytes and Events.
func (s *Sums) Add(e events.Envelope) {
	s.Weighted += int64(weightOf(e.Type) * len(e.Body))
	s.Bytes += int64(len(e.Body))
	s.Events++
}

// AddWeights adds the weights of the terms of an event to those in a row.
func AddWeights(e events.Envelope, row map[string]int) {
	weight := weightOf(e.Type)
	eachTerm(e, termsOf, func(term string) { row[term] += weight })
}

// eachTerm calls do with each result of termsOf for the words of an event. An event that cannot be read has none.
func eachTerm[T any](e events.Envelope, termsOf func(script writing, word string) []T, do func(T)) {
	ev, err := events.Open(e)
	if err != nil {
		return
	}
	events.MapText(ev, func(s string) string {
		eachWord(s, func(script writing, from, to int) {
			for _, term := range termsOf(script, s[from:to]) {
				do(term)
			}
		})
		return s
	})
}
