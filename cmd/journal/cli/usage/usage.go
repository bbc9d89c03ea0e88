// Package usage counts the tokens that requests to models used. It reads them from the log, and from transcripts where the
// log does not have them yet.
package usage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"journal/embedded/catalogue"
	"journal/events"
	"journal/journal"
	"journal/journal/agents/transcript"
	"journal/replay"
	"journal/replay/day"
)

// Turn holds the usage of a turn's requests to one model.
type Turn struct {
	Session, Project string
	At               time.Time // of the newest of these requests
	events.TokensUsed
}

// Report holds the usage of sessions in a span of time.
type Report struct {
	Turns   []*Turn
	Unknown []string // ids of sessions of that time whose usage is not known

	byFirst map[string]*Turn // by the id of the first request
}

// Of reports the usage of the sessions of rows from one time up to, but excluding, another.
func Of(ctx context.Context, log replay.Source, rows []*catalogue.Row, from, to time.Time) (*Report, error) {
	r := &Report{byFirst: map[string]*Turn{}}
	newest, err := r.readLog(ctx, log, rows)
	if err != nil {
		return nil, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	files, seen := transcript.NewIndex(home, os.Getenv), &transcript.Seen{}
	for _, row := range rows {
		session, _, _ := strings.Cut(row.ID, "~") // an import adds parts of a session as SESSION~1
		last, known := newest[session]
		turns, err := readFiles(ctx, files, row, session, last, seen)
		if errors.Is(err, fs.ErrNotExist) {
			if !known && row.Asked && time.Unix(0, row.Began).Before(to) {
				r.Unknown = append(r.Unknown, row.ID)
			}
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("what %s used: %w", row.ID, err)
		}
		for _, t := range turns {
			r.add(&Turn{Session: row.ID, Project: row.Project, At: t.At, TokensUsed: t.TokensUsed})
		}
	}
	r.Turns = slices.DeleteFunc(r.Turns, func(t *Turn) bool { return t.At.Before(from) || !t.At.Before(to) })
	return r, nil
}

// fewSessions bounds the sessions that are selected one by one. For more, the usage of all sessions is read.
const fewSessions = 100

// readLog adds the usage that the log has of the sessions. It returns the time of each session's newest request in the log, by
// session id.
func (r *Report) readLog(ctx context.Context, log replay.Source, rows []*catalogue.Row) (map[string]time.Time, error) {
	type key struct{ project, session string }
	wanted, used := map[key]bool{}, events.TypeOf[events.TokensUsed]()
	var sel []events.Selector
	for _, row := range rows {
		wanted[key{row.Project, row.ID}] = true
		sel = append(sel, events.Selector{Project: row.Project, Session: row.ID, Type: used})
	}
	newest := map[string]time.Time{}
	switch n := len(rows); {
	case n == 0:
		return newest, nil
	case n > fewSessions:
		sel = []events.Selector{{Type: used}}
	}
	for e, err := range log.Events(ctx, events.Span{}, sel...) {
		if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
			continue // journal verify reports it
		}
		if err != nil {
			return nil, err
		}
		used, ok := events.As[events.TokensUsed](e)
		if !ok || !wanted[key{e.Project, e.Session}] {
			continue
		}
		r.add(&Turn{Session: e.Session, Project: e.Project, At: e.Time(), TokensUsed: used})
		if e.Time().After(newest[e.Session]) {
			newest[e.Session] = e.Time()
		}
	}
	return newest, nil
}

// add adds the usage of a turn. Usage of a turn that is known already replaces the known usage only if it includes that.
func (r *Report) add(t *Turn) {
	known := r.byFirst[t.First]
	if known == nil {
		r.byFirst[t.First] = t
		r.Turns = append(r.Turns, t)
	} else if t.Includes(known.TokensUsed) {
		known.TokensUsed, known.At = t.TokensUsed, t.At
	}
}

// Sum holds the tokens and price of requests.
type Sum struct {
	Requests       int     `json:"requests"`
	Input          int64   `json:"input"`
	CacheRead      int64   `json:"cache_read"`
	CacheWrite     int64   `json:"cache_write"`
	CacheWriteHour int64   `json:"cache_write_1h"` // the part of CacheWrite that is kept for an hour
	Output         int64   `json:"output"`
	Price          float64 `json:"price"`    // of the requests with a price
	Unpriced       int     `json:"unpriced"` // requests without one
}

// Tokens returns the number of all tokens.
func (s Sum) Tokens() int64 { return s.Input + s.CacheRead + s.CacheWrite + s.Output }

// Money returns the price as text, with ≥ if some requests have no price. If none has one, it returns the text unknown.
func (s Sum) Money(unknown string) string {
	switch {
	case s.Unpriced == s.Requests:
		return unknown
	case s.Unpriced > 0:
		return fmt.Sprintf("≥ %.2f", s.Price)
	}
	return fmt.Sprintf("%.2f", s.Price)
}

// By returns the sum of the turns with each key, and the sum of all turns. price returns the price of a turn's requests; ok is
// false if they have none.
func (r *Report) By(key func(*Turn) string, price func(events.TokensUsed) (price float64, ok bool)) (by map[string]*Sum, all Sum) {
	by = map[string]*Sum{}
	for _, turn := range r.Turns {
		k := key(turn)
		if by[k] == nil {
			by[k] = &Sum{}
		}
		money, priced := price(turn.TokensUsed)
		t := turn.Tokens
		for _, s := range []*Sum{by[k], &all} {
			s.Requests += turn.Requests
			s.Input, s.CacheRead, s.Output = s.Input+t.Input, s.CacheRead+t.CacheRead, s.Output+t.Output
			s.CacheWrite, s.CacheWriteHour = s.CacheWrite+t.CacheWrite, s.CacheWriteHour+t.CacheWriteHour
			s.Price += money
			if !priced {
				s.Unpriced += turn.Requests
			}
		}
	}
	return by, all
}

// Used returns the sum of a session's turns; of all turns if session is empty.
func (r *Report) Used(project, session string) (sum day.Used) {
	for _, t := range r.Turns {
		if session == "" || t.Session == session && t.Project == project {
			sum.Requests += t.Requests
			sum.Tokens.Add(t.Tokens)
		}
	}
	return sum
}

// readFiles reads the turns of a session from its transcripts. last is the time of the session's newest request in the log, zero
// for none. If there is one, and the transcript was not written since, or cannot be found any more, it reads nothing: the log has
// all turns. The error is fs.ErrNotExist if there is no transcript.
func readFiles(ctx context.Context, files *transcript.Index, row *catalogue.Row, session string, last time.Time, seen *transcript.Seen) ([]*transcript.Turn, error) {
	format, err := transcript.Named(row.Info.Agent)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	if !last.IsZero() {
		info, err := os.Stat(row.Info.Transcript)
		if err != nil || !info.ModTime().After(last.Add(settled)) {
			return nil, nil // the log has all turns
		}
	}
	found, err := files.Of(ctx, format, session, row.Info.Transcript)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fs.ErrNotExist
	}
	return format.UsageOf(found, seen, "", 0, time.Time{})
}

// settled bounds the time between a request and the writing of its row in the transcript.
const settled = time.Second
