package transcript

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

// Request holds the tokens of one request to a model.
type Request struct {
	ID    string // distinguishes it within its transcript
	Copy  string // is the same in every copy of its row, and in no other row
	Lane  string
	Turn  string // distinguishes its turn from others of the lane; hooks' own name for it, if there is one
	At    time.Time
	Model string // empty if unknown
	Price int64  // as the client counts it, in millionths of a US dollar; 0 if it does not
	events.Tokens
}

// Seen holds the rows of requests in transcripts that were read together: a fork's has copies of rows of another. It is not
// safe for concurrent use.
type Seen struct {
	files int
	rows  map[uint64]int // number of the file, by digest
}

// file begins another transcript.
func (s *Seen) file() int {
	if s.rows == nil {
		s.rows = map[uint64]int{}
	}
	s.files++
	return s.files
}

// in reports whether a row was not in an earlier file.
func (s *Seen) in(file int, row string) bool {
	h := fnv.New64a()
	h.Write([]byte(row))
	first, known := s.rows[h.Sum64()]
	if !known {
		s.rows[h.Sum64()] = file
	}
	return !known || first == file
}

// Usage adds up the requests of one transcript. It is not safe for concurrent use.
type Usage struct {
	Since time.Time // older requests are another session's; zero for none
	take  func(row []byte) []Request
	seen  *Seen
	file  int // in seen
	all   []Request
	byID  map[string]int // places in all
}

// Usage starts reading what the requests of a transcript used, without those of earlier transcripts in seen.
func (f *Format) Usage(seen *Seen) *Usage {
	u := &Usage{byID: map[string]int{}, seen: seen, file: seen.file(), take: func([]byte) []Request { return nil }}
	if f.Requests != nil {
		u.take = f.Requests()
	}
	return u
}

// Row reads the next row.
func (u *Usage) Row(b []byte) {
	for _, request := range u.take(b) {
		if request.Tokens == (events.Tokens{}) || request.At.Before(u.Since) || !u.seen.in(u.file, request.Copy) {
			continue
		}
		i, known := u.byID[request.ID]
		if known {
			request.Copy, request.Turn = u.all[i].Copy, u.all[i].Turn
			u.all[i] = request
			continue
		}
		u.byID[request.ID] = len(u.all)
		u.all = append(u.all, request)
	}
}

// Turn holds the tokens of the requests of one turn to one model on one day.
type Turn struct {
	Lane, Turn string
	At         time.Time // of the newest request
	events.TokensUsed
}

// Turns adds up the requests by lane, turn, model and local day, in the order of their first ones.
func (u *Usage) Turns() (all []*Turn) {
	type key struct{ lane, turn, model, day string }
	known := map[key]*Turn{}
	for _, request := range u.all {
		k := key{request.Lane, request.Turn, request.Model, request.At.Local().Format(time.DateOnly)}
		t := known[k]
		if t == nil {
			t = &Turn{Lane: request.Lane, Turn: request.Turn, TokensUsed: events.TokensUsed{
				First: text.Digest(request.Copy + " " + request.Model)[:firstDigits], Model: redact.Text(request.Model),
			}}
			known[k] = t
			all = append(all, t)
		}
		if request.At.After(t.At) {
			t.At = request.At
		}
		t.Requests++
		t.Price += request.Price
		t.Tokens.Add(request.Tokens)
	}
	return all
}

// firstDigits is the length of TokensUsed.First: 64 bits distinguish the turns of a log.
const firstDigits = 16

// Event returns the event of the turn. Its id derives from the turn and its numbers.
func (t *Turn) Event(agent, session, project string) (events.Envelope, error) {
	return events.Wrap(t.TokensUsed, events.Meta{
		ID: events.DerivedID("tokens", t.First, fmt.Sprint(t.Requests, t.Tokens)), At: t.At.UnixNano(), Agent: agent,
		Session: session, Lane: t.Lane, Project: project, Turn: t.Turn, Rules: int(redact.RuleSet),
	})
}

// UsageOf adds up what the requests in files of a session used, but those that seen has. Requests before since are another
// session's; it may be zero. Of the first file only what is after an offset counts, without the turn that the offset cuts.
// Files that are gone since they were found have nothing.
func (f *Format) UsageOf(files []File, seen *Seen, after int64, since time.Time) (all []*Turn, err error) {
	if f.Requests == nil {
		return nil, nil
	}
	for _, file := range files {
		u := f.Usage(seen)
		u.Since = since
		in, err := file.Open()
		if err != nil {
			continue
		}
		if err := errors.Join(u.eachFrom(in, after, f.Limits), in.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Path, err)
		}
		turns := u.Turns()
		if after > 0 {
			turns = slices.DeleteFunc(turns, func(t *Turn) bool { return t.Turn == "" })
		}
		all, after = append(all, turns...), 0
	}
	return all, nil
}

// eachFrom takes the rows after an offset; there may be none.
func (u *Usage) eachFrom(in io.Reader, after int64, limits payload.Limits) error {
	_, err := io.CopyN(io.Discard, in, after)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	return NewRows(in, limits, nil).Each(func(row []byte) bool {
		u.Row(row)
		return true
	})
}
