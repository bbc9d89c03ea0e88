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

// hub tells all pages that are open what was appended. However many they are the log is
// followed once, and not at all without one.
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

// roomForNews is how many appends a page may be behind. One that is further behind is told
// of the next: it asks for all that is new anyway.
const roomForNews = 256

// join gives what a page is told: the session of each event that is appended from now on.
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

// retry is how long the log is waited for when it cannot be reached.
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

// rest says whether nobody listens any more; then following ends.
func (h *hub) rest() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running = len(h.pages) > 0 && h.ctx.Err() == nil
	return !h.running
}

// follow tells of what comes until the log breaks or nobody listens.
func (h *hub) follow(ctx context.Context, leave context.CancelFunc, at *uint64) error {
	st, err := h.log.Stats(ctx)
	if err != nil {
		return err
	}
	if *at == 0 || *at > st.Last {
		*at = st.Last
	}
	go func() { // nobody listens: the consumer is let go of
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

// begins and ends say that the log is followed from where it stood, and that it is not any more.
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

// listening waits until whatever is appended from then on will be told.
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

// pause is what lies at least between two messages to a page.
const pause = 100 * time.Millisecond

// serveLive sends a page a message when something was appended: at once, and what comes
// soon after in the next. With a session it is about this one, else about all.
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
	// What a page missed that was away is told first.
	for all := []projections.Target{about}; ; {
		message, err := s.news(r, about, all)
		if err != nil {
			s.config.Logger.Warn("live", "error", err.Error())
			return // the page asks again
		}
		if message != nil {
			b, _ := json.Marshal(message) // of strings and numbers
			fmt.Fprintf(w, "data: %s\n\n", b)
		} else {
			fmt.Fprint(w, ": still here\n\n") // a page that is gone is noticed
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

// gathered gives what there is to tell, each session once.
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
	Said     string         `json:"said,omitempty"`   // how many, for people
	Last     uint64         `json:"last,omitempty"`   // sequence of the session's newest event
	Listed   int            `json:"listed,omitempty"` // events that are listed where no kind is chosen
	When     string         `json:"when,omitempty"`   // the newest one was
	Kinds    map[string]int `json:"kinds,omitempty"`
	Sessions []string       `json:"sessions,omitempty"`
}

// news says what a page is told, nil for nothing.
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
