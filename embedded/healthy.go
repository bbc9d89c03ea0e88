package embedded

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// Healthy says whether the server can still store. After a write error, such as that of a full disk, a stream takes
// nothing until the server is started again, even if there is space by then; appends get no reply (docs/ENGINE.md §6).
//
// The server gives its own looks a millisecond, which a busy machine can miss: who is ill
// stays ill, so that it is asked again before it is believed.
func (s *Server) Healthy() (err error) {
	for again := range 4 {
		if err = s.health(); err == nil {
			return nil
		}
		time.Sleep(time.Duration(again) * 20 * time.Millisecond)
	}
	return err
}

func (s *Server) health() error {
	w := answer{header: http.Header{}, code: http.StatusOK}
	r, err := http.NewRequest(http.MethodGet, "/healthz", nil)
	if err != nil {
		return err
	}
	// This is the only way to ask the server for its health; no port is open.
	s.ns.HandleHealthz(&w, r)
	if w.code == http.StatusOK {
		return nil
	}
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(w.body.Bytes(), &said) != nil || said.Error == "" {
		said.Error = http.StatusText(w.code)
	}
	return errors.New("the store takes no writes: " + said.Error)
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
