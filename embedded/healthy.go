package embedded

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// Looks at the health of the server. Who is ill stays ill, so that illness is believed
// when it was told several times.
const (
	healthLooks = 4
	healthPause = 50 * time.Millisecond
	// healthAsks bounds how often the server is asked where it does not tell.
	healthAsks = 100
)

// Healthy says whether the server can still store. After a write error, such as that of a full disk, a stream takes
// nothing until the server is started again, even if there is space by then; appends get no reply (docs/ENGINE.md §6).
// Whoever asks meanwhile waits for the same looks.
func (s *Server) Healthy() error {
	if !s.ns.Running() {
		return errors.New("the server was stopped")
	}
	s.looking.Lock()
	defer s.looking.Unlock()
	if s.illness == nil {
		s.illness = healthy(s.health, time.Sleep)
	}
	return s.illness
}

// healthy asks until the server has told the same several times. told is false when it said
// nothing of its store, of which nothing follows: err is the store's own error then.
func healthy(ask func() (told bool, err error), sleep func(time.Duration)) (err error) {
	for ill, asked := 0, 0; ill < healthLooks && asked < healthAsks; asked++ {
		told, said := ask()
		if told && said == nil {
			return nil
		}
		if told {
			ill, err = ill+1, said
		}
		sleep(healthPause)
	}
	return err
}

// health asks the server for the health of its store.
func (s *Server) health() (told bool, err error) {
	w := answer{header: http.Header{}, code: http.StatusOK}
	r, err := http.NewRequest(http.MethodGet, "/healthz", nil)
	if err != nil {
		return false, err
	}
	// This is the only way to ask the server for its health; no port is open.
	s.ns.HandleHealthz(&w, r)
	switch w.code {
	case http.StatusOK:
		return true, nil
	case http.StatusInternalServerError:
		// It gives itself a millisecond to see whether it was started, which a busy machine
		// can miss, and then does not look at its store. Once started it stays so.
		return false, nil
	}
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(w.body.Bytes(), &said) != nil || said.Error == "" {
		said.Error = http.StatusText(w.code)
	}
	return true, errors.New("the store takes no writes: " + said.Error)
}

// answer records what a handler writes.
type answer struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(code int)        { a.code = code }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }
