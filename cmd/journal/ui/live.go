package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"journal/projections"
)

// appended returns a channel that receives a value when events are appended from now on: to a project, or to any if project is empty.
// One value stands for all events since the previous one was received. The channel is closed when the log breaks, or ctx ends.
func (r *reader) appended(ctx context.Context, project string) (<-chan struct{}, error) {
	st, err := r.Stats(ctx)
	if err != nil {
		return nil, err
	}
	news := make(chan struct{}, 1)
	go func() {
		defer close(news)
		for e, err := range r.Follow(ctx, st.Last) {
			if err != nil {
				return
			}
			if project == "" || e.Project == project {
				select {
				case news <- struct{}{}:
				default: // one waits already
				}
			}
		}
	}()
	return news, nil
}

const (
	pause     = 100 * time.Millisecond // the shortest time between two messages to a page
	keepAlive = 20 * time.Second       // the longest time without a write, which shows whether the page is gone
)

// serveLive sends a page a message when events were appended: at once, but at most one in each pause. With a session the messages
// are about that session, else about all. When the log breaks, as when its owner leaves, the response ends, and the page requests
// it again.
func (s *Server) serveLive(w http.ResponseWriter, r *http.Request) {
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	send := http.NewResponseController(w)
	about := projections.Target{Project: r.FormValue("project"), Session: r.FormValue("session"), Lane: r.FormValue("lane")}
	fmt.Fprint(w, "retry: 1000\n\n")
	news, err := s.log.appended(ctx, about.Project)
	if err != nil && s.config.Lost(err) { // the next owner answers
		news, err = s.log.appended(ctx, about.Project)
	}
	if err != nil {
		return
	}
	for hasNews := true; ; { // the first message is about everything that the page missed
		if hasNews {
			message, err := s.message(r, about)
			if err != nil {
				s.config.Logger.Warn("live", "error", err.Error())
				return
			}
			b, _ := json.Marshal(message) // strings and numbers cannot fail
			fmt.Fprintf(w, "data: %s\n\n", b)
		} else {
			fmt.Fprint(w, ": still here\n\n") // a comment, which the page ignores
		}
		if send.Flush() != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		select {
		case <-ctx.Done():
			return
		case _, hasNews = <-news:
			if !hasNews {
				return
			}
		case <-time.After(keepAlive):
			hasNews = false
		}
	}
}

// liveMessage is a message to a page. One about all sessions is empty.
type liveMessage struct {
	Events int            `json:"events,omitempty"` // number of the session's events
	Said   string         `json:"said,omitempty"`   // the same number as text
	Listed int            `json:"listed,omitempty"` // number of events in the list without a filter
	Place  int            `json:"place,omitempty"`  // place of the newest event (newestOf)
	When   string         `json:"when,omitempty"`   // time of that event
	Kinds  map[string]int `json:"kinds,omitempty"`  // numbers of events by noun
	// Compacted is the number of compactions, Compactions the same number as text.
	Compacted   int    `json:"compacted,omitempty"`
	Compactions string `json:"compactions,omitempty"`
}

// message returns the message for a page about a session or, without a session, about all.
func (s *Server) message(r *http.Request, about projections.Target) (m liveMessage, err error) {
	if about.Session == "" {
		return m, nil
	}
	h, rows, err := s.histories.history(r.Context(), about)
	if errors.Is(err, errNoSession) { // its events were forgotten
		return m, nil
	}
	if err != nil {
		return m, err
	}
	place := newestOf(rows)
	m = liveMessage{Events: len(rows), Said: s.say(r)("n-events", len(rows)), Listed: len(filter{}.places(rows)), Place: place, When: s.time(rows[place].At, minutes), Kinds: map[string]int{}}
	m.Compacted = compactionsOf(h)
	m.Compactions = s.say(r)("n-compactions", m.Compacted)
	for _, k := range kinds(rows, filter{}) {
		m.Kinds[k.Noun] = k.N
	}
	return m, nil
}
