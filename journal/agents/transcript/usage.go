package transcript

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"slices"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal/agents/payload"
	"journal/journal/redact"
)

// Request holds the tokens of one request to a model.
type Request struct {
	ID    string // unique within the transcript
	Copy  string // equal in every copy of the request's row, and in no other row
	Lane  string
	Turn  string // unique within the lane: the turn's id in hooks, if hooks have one
	At    time.Time
	Model string // "" if unknown
	Price int64  // in millionths of a US dollar, as the client computes it; 0 if it computes none
	events.Tokens
}

// Seen records the requests of several transcripts, so that copies of rows in a fork's transcript count once. The zero value is
// ready. It is not safe for concurrent use.
type Seen struct {
	files int            // number of transcripts so far
	rows  map[uint64]int // number of the first transcript with a request, by the digest of Request.Copy
}

// next begins the next transcript and returns its number.
func (s *Seen) next() int {
	if s.rows == nil {
		s.rows = map[uint64]int{}
	}
	s.files++
	return s.files
}

// isOwn records that a transcript has a request with the given Request.Copy, and reports whether no earlier transcript has it.
func (s *Seen) isOwn(file int, copyID string) bool {
	h := fnv.New64a()
	h.Write([]byte(copyID))
	first, known := s.rows[h.Sum64()]
	if !known {
		s.rows[h.Sum64()] = file
	}
	return !known || first == file
}

// Usage adds up the requests of one transcript. It is not safe for concurrent use.
type Usage struct {
	Since    time.Time // earlier requests do not count; zero for no limit
	requests func(row []byte) []Request
	seen     *Seen
	file     int // the transcript's number in seen
	all      []Request
	byID     map[string]int // indexes in all
	at       time.Time      // time of the newest request that has one
}

// Usage returns the empty usage of a transcript. Requests of earlier transcripts in seen will not count.
func (f *Format) Usage(seen *Seen) *Usage {
	return &Usage{at: time.Unix(0, 0), byID: map[string]int{}, seen: seen, file: seen.next(), requests: f.Requests()}
}

// Row adds the requests that the next row reports. A request with a known ID replaces the earlier one, unless the earlier one has more
// output. The Copy and Turn of the earlier one stay.
func (u *Usage) Row(b []byte) {
	for _, request := range u.requests(b) {
		if !request.At.IsZero() {
			u.at = request.At
		}
		request.At = u.at
		if request.Tokens == (events.Tokens{}) || request.At.Before(u.Since) || !u.seen.isOwn(u.file, request.Copy) {
			continue
		}
		i, known := u.byID[request.ID]
		if known && request.Tokens.Output < u.all[i].Tokens.Output {
			continue // a part of the answer, from before its end
		}
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
	At         time.Time // time of the newest request
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

// Event returns the event with the turn's tokens. Its id is derived from the turn and its numbers.
func (t *Turn) Event(agent, session, project string) (events.Envelope, error) {
	return events.Wrap(t.TokensUsed, events.Meta{
		ID: events.DerivedID("tokens", t.First, fmt.Sprint(t.Requests, t.Tokens)), At: t.At.UnixNano(), Agent: agent,
		Session: session, Lane: t.Lane, Project: project, Turn: t.Turn, Rules: int(redact.RuleSet),
	})
}

// UsageOf adds up the requests in files of a session, by turns. It leaves out requests that seen has, and those before since, which may
// be zero. In the file at path it skips the rows before the offset after, and then the rest of the turn that the offset cuts. It skips
// files that cannot be opened.
func (f *Format) UsageOf(files []File, seen *Seen, path string, after int64, since time.Time) (all []*Turn, err error) {
	for _, file := range files {
		start := int64(0)
		if file.Path == filepath.Clean(path) {
			start = after
		}
		u := f.Usage(seen)
		u.Since = since
		in, err := file.Open()
		if err != nil {
			continue
		}
		if err := errors.Join(u.addFrom(in, start, f.Limits), in.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Path, err)
		}
		turns := u.Turns()
		if start > 0 {
			// The requests of the turn that the offset cuts have no Turn, because its prompt was skipped.
			turns = slices.DeleteFunc(turns, func(t *Turn) bool { return t.Turn == "" })
		}
		all = append(all, turns...)
	}
	return all, nil
}

// addFrom adds the requests of the rows after an offset. It adds none if in is shorter.
func (u *Usage) addFrom(in io.Reader, after int64, limits payload.Limits) error {
	_, err := io.CopyN(io.Discard, in, after)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	for row, err := range NewRows(in, limits).All {
		if err != nil {
			return err
		}
		u.Row(row)
	}
	return nil
}
