package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"journal/projections"
)

// hub tells all open pages what was appended. It follows the log once for all pages, and not at all
// without one.
type hub struct {
	log  *reader
	done context.CancelFunc
	ctx  context.Context

	mu      sync.Mutex
	running bool
	pages   map[chan projections.Target]bool
	at      chan struct{} // closed while the log is followed
}

func newHub(log *reader) *hub {
	h := &hub{log: log, pages: map[chan projections.Target]bool{}, at: make(chan struct{})}
	h.ctx, h.done = context.WithCancel(context.Background())
	return h
}

func (h *hub) close() { h.done() }

// roomForNews is how many appends a page may be behind. Beyond that it misses some messages, but
// the next one makes it ask for everything new.
const roomForNews = 256

// join returns a channel with the session of each event that is appended from now on.
func (h *hub) join() (news chan projections.Target, leave func()) {
	news = make(chan projections.Target, roomForNews)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pages[news] = true
	if !h.running {
		h.running = true
		go h.run()
	}
	return news, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.pages, news)
	}
}

// retry is the wait before the log is tried again when it cannot be reached.
const retry = time.Second

// run follows the log while a page is open.
func (h *hub) run() {
	var at uint64
	for {
		ctx, cancel := context.WithCancel(h.ctx)
		err := h.follow(ctx, cancel, &at)
		cancel()
		if h.rest() {
			return
		}
		if err != nil {
			select {
			case <-h.ctx.Done():
			case <-time.After(retry):
			}
		}
	}
}

// rest reports whether nobody listens any more; then following ends.
func (h *hub) rest() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running = len(h.pages) > 0 && h.ctx.Err() == nil
	return !h.running
}

// follow passes on what is appended until the log breaks or nobody listens.
func (h *hub) follow(ctx context.Context, leave context.CancelFunc, at *uint64) error {
	st, err := h.log.Stats(ctx)
	if err != nil {
		return err
	}
	if *at == 0 || *at > st.Last {
		*at = st.Last
	}
	go func() { // nobody listens: the consumer is released
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(retry):
				h.mu.Lock()
				if len(h.pages) == 0 {
					leave()
				}
				h.mu.Unlock()
			}
		}
	}()
	h.begins()
	defer h.ends()
	for e, err := range h.log.Follow(ctx, *at) {
		if err != nil {
			return err
		}
		*at = e.Seq
		h.tell(projections.Target{Project: e.Project, Session: e.Session})
	}
	return nil
}

// begins and ends note that the log is now followed, and that it no longer is.
func (h *hub) begins() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.at)
}

func (h *hub) ends() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = make(chan struct{})
}

// listening waits until the log is followed, so that no later append is missed.
func (h *hub) listening(ctx context.Context) bool {
	h.mu.Lock()
	at := h.at
	h.mu.Unlock()
	select {
	case <-at:
		return true
	case <-ctx.Done():
	case <-h.ctx.Done():
	}
	return false
}

func (h *hub) tell(t projections.Target) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for news := range h.pages {
		select {
		case news <- t:
		default:
		}
	}
}

// pause is the shortest time between two messages to a page.
const pause = 100 * time.Millisecond

// serveLive sends a page a message at once when something was appended; what follows soon after is
// in the next message. With a session the messages are about that one, else about all.
func (s *Server) serveLive(w http.ResponseWriter, r *http.Request) {
	news, leave := s.live.join()
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	send := http.NewResponseController(w)
	about := projections.Target{Project: r.FormValue("project"), Session: r.FormValue("session"), Lane: r.FormValue("lane")}
	fmt.Fprint(w, "retry: 1000\n\n")
	if !s.live.listening(r.Context()) {
		return
	}
	// First comes what a page missed while it was away.
	for all := []projections.Target{about}; ; {
		message, err := s.news(r, about, all)
		if err != nil {
			s.config.Logger.Warn("live", "error", err.Error())
			return // the page asks again
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
		case <-r.Context().Done():
			return
		case <-time.After(pause):
		}
		all = nil
		select {
		case <-r.Context().Done():
			return
		case <-s.live.ctx.Done():
			return
		case t := <-news:
			all = gathered(news, t)
		case <-time.After(20 * time.Second):
		}
	}
}

// gathered collects the sessions to tell about, each once.
func gathered(news chan projections.Target, first projections.Target) []projections.Target {
	all := []projections.Target{first}
	for {
		select {
		case t := <-news:
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		default:
			return all
		}
	}
}

// news is a message to a page.
type news struct {
	Events   int            `json:"events,omitempty"` // of the session
	Said     string         `json:"said,omitempty"`   // their number, for people
	Last     uint64         `json:"last,omitempty"`   // sequence of the session's newest event
	Listed   int            `json:"listed,omitempty"` // how many events the list has without a filter
	When     string         `json:"when,omitempty"`   // time of the newest event
	Kinds    map[string]int `json:"kinds,omitempty"`
	Sessions []string       `json:"sessions,omitempty"`
}

// news returns the message for a page, nil for none.
func (s *Server) news(r *http.Request, about projections.Target, all []projections.Target) (any, error) {
	if len(all) == 0 {
		return nil, nil
	}
	if about.Session == "" {
		m := news{}
		for _, t := range all {
			m.Sessions = append(m.Sessions, t.Project+"/"+t.Session)
		}
		return m, nil
	}
	if !slices.ContainsFunc(all, func(t projections.Target) bool { return t.Project == about.Project }) {
		return nil, nil
	}
	h, err := s.desk.history(r.Context(), about)
	if err != nil {
		return nil, err
	}
	rows := h.Rows()
	if len(rows) == 0 {
		return nil, nil
	}
	newest := rows[len(rows)-1]
	n := news{Events: len(rows), Said: s.say(r)("n-events", len(rows)), Last: newest.Seq, Listed: len(filter{}.places(rows)), When: s.time(newest.At, minutes), Kinds: map[string]int{}}
	for _, k := range kinds(rows, filter{}) {
		n.Kinds[k.Noun] = k.N
	}
	return n, nil
}
