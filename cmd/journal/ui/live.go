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

// appended returns a channel with the sessions of the events that are appended from now on, each once until it is taken.
// It is closed when the log breaks, or ctx ends.
func (r *reader) appended(ctx context.Context) (<-chan []projections.Target, error) {
	st, err := r.Stats(ctx)
	if err != nil {
		return nil, err
	}
	news := make(chan []projections.Target, 1)
	go func() {
		defer close(news)
		for e, err := range r.Follow(ctx, st.Last) {
			if err != nil {
				return
			}
			var all []projections.Target
			select {
			case all = <-news:
			default:
			}
			if t := (projections.Target{Project: e.Project, Session: e.Session}); !slices.Contains(all, t) {
				all = append(all, t)
			}
			news <- all // there is room: nobody else sends
		}
	}()
	return news, nil
}

// pause is the shortest time between two messages to a page.
const pause = 100 * time.Millisecond

// serveLive sends a page a message at once when something was appended; what follows soon after is
// in the next message. With a session the messages are about that one, else about all. When the log breaks, as when
// its owner leaves, it ends: the page asks again.
func (s *Server) serveLive(w http.ResponseWriter, r *http.Request) {
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	send := http.NewResponseController(w)
	about := projections.Target{Project: r.FormValue("project"), Session: r.FormValue("session"), Lane: r.FormValue("lane")}
	fmt.Fprint(w, "retry: 1000\n\n")
	news, err := s.log.appended(ctx)
	if err != nil && s.config.Lost(err) { // the next owner answers
		news, err = s.log.appended(ctx)
	}
	if err != nil {
		return
	}
	// First comes what a page missed while it was away.
	for all := []projections.Target{about}; ; {
		message, err := s.news(r, about, all)
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
		case batch, ok := <-news:
			if !ok {
				return
			}
			all = batch
		case <-time.After(20 * time.Second):
		}
	}
}

// news is a message to a page.
type news struct {
	Events int            `json:"events,omitempty"` // of the session
	Said   string         `json:"said,omitempty"`   // their number, for people
	Listed int            `json:"listed,omitempty"` // how many events the list has without a filter
	Place  int            `json:"place,omitempty"`  // of the newest event that a person wants to see
	When   string         `json:"when,omitempty"`   // its time
	Kinds  map[string]int `json:"kinds,omitempty"`
	// Compacted is the number of compactions, Compactions for people.
	Compacted   int    `json:"compacted,omitempty"`
	Compactions string `json:"compactions,omitempty"`
}

// news returns the message for a page, nil for none.
func (s *Server) news(r *http.Request, about projections.Target, all []projections.Target) (any, error) {
	if len(all) == 0 {
		return nil, nil
	}
	if about.Session == "" {
		return news{}, nil
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
	n := news{Events: len(rows), Said: s.say(r)("n-events", len(rows)), Listed: len(filter{}.places(rows)), Place: place, When: s.time(rows[place].At, minutes), Kinds: map[string]int{}}
	n.Compacted = compactionsOf(h)
	n.Compactions = s.say(r)("n-compactions", n.Compacted)
	for _, k := range kinds(rows, filter{}) {
		n.Kinds[k.Noun] = k.N
	}
	return n, nil
}
