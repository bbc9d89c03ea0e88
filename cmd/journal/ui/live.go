package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"journal/projections"
)

// appended returns a channel for the sessions of events that are appended from now on. It holds one list, which grows until it is
// received, with each session once. The channel is closed when the log breaks, or ctx ends.
func (r *reader) appended(ctx context.Context) (<-chan []projections.Target, error) {
	st, err := r.Stats(ctx)
	if err != nil {
		return nil, err
	}
	sessions := make(chan []projections.Target, 1)
	go func() {
		defer close(sessions)
		for e, err := range r.Follow(ctx, st.Last) {
			if err != nil {
				return
			}
			var all []projections.Target
			select {
			case all = <-sessions:
			default:
			}
			if t := (projections.Target{Project: e.Project, Session: e.Session}); !slices.Contains(all, t) {
				all = append(all, t)
			}
			sessions <- all // there is room: nobody else sends
		}
	}()
	return sessions, nil
}

// pause is the shortest time between two messages to a page.
const pause = 100 * time.Millisecond

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
	appended, err := s.log.appended(ctx)
	if err != nil && s.config.Lost(err) { // the next owner answers
		appended, err = s.log.appended(ctx)
	}
	if err != nil {
		return
	}
	// The first message is about everything that the page missed.
	for all := []projections.Target{about}; ; {
		message, err := s.message(r, about, all)
		if err != nil {
			s.config.Logger.Warn("live", "error", err.Error())
			return
		}
		if message != nil {
			b, _ := json.Marshal(message) // strings and numbers cannot fail
			fmt.Fprintf(w, "data: %s\n\n", b)
		} else {
			fmt.Fprint(w, ": still here\n\n") // writing shows whether the page is gone
		}
		if send.Flush() != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		all = nil
		select {
		case <-ctx.Done():
			return
		case batch, ok := <-appended:
			if !ok {
				return
			}
			all = batch
		case <-time.After(20 * time.Second):
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

// message returns the message for a page about a session, or about all, after events in some sessions; nil for none.
func (s *Server) message(r *http.Request, about projections.Target, all []projections.Target) (any, error) {
	if len(all) == 0 {
		return nil, nil
	}
	if about.Session == "" {
		return liveMessage{}, nil
	}
	if !slices.ContainsFunc(all, func(t projections.Target) bool { return t.Project == about.Project }) {
		return nil, nil
	}
	h, err := s.histories.history(r.Context(), about)
	if err != nil {
		return nil, err
	}
	rows := h.Rows()
	if len(rows) == 0 {
		return nil, nil
	}
	place := newestOf(rows)
	m := liveMessage{Events: len(rows), Said: s.say(r)("n-events", len(rows)), Listed: len(filter{}.places(rows)), Place: place, When: s.time(rows[place].At, minutes), Kinds: map[string]int{}}
	m.Compacted = compactionsOf(h)
	m.Compactions = s.say(r)("n-compactions", m.Compacted)
	for _, k := range kinds(rows, filter{}) {
		m.Kinds[k.Noun] = k.N
	}
	return m, nil
}
