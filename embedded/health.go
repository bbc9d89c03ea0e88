package embedded

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// Once the server counts as unhealthy it never counts as healthy again. So a single report does not suffice.
const (
	unhealthyReports = 4                     // number of reports that suffice
	healthPause      = 50 * time.Millisecond // between two queries
	healthQueries    = 100                   // bound for a server that does not report the state of its store
)

// Healthy returns an error if the server cannot store any more. After a write error, such as that of a full disk, a stream takes no message
// until the server is restarted, even if there is space by then, and appends get no reply (docs/ENGINE.md §6). Concurrent callers wait for
// each other.
func (s *Server) Healthy() error {
	if !s.ns.Running() {
		return errors.New("the server was stopped")
	}
	s.healthMu.Lock()
	defer s.healthMu.Unlock()
	if s.unhealthy == nil {
		s.unhealthy = healthy(s.health, time.Sleep)
	}
	return s.unhealthy
}

// healthy queries the server until it reports a healthy store, or an unhealthy one unhealthyReports times. query returns false if the
// server did not report the state of its store. If it never does, the server counts as healthy.
func healthy(query func() (known bool, err error), sleep func(time.Duration)) (err error) {
	for reports, queries := 0, 0; reports < unhealthyReports && queries < healthQueries; queries++ {
		known, unhealthy := query()
		if known && unhealthy == nil {
			return nil
		}
		if known {
			reports, err = reports+1, unhealthy
		}
		sleep(healthPause)
	}
	return err
}

// health queries the health of the server's store. known is false if the server did not report it.
func (s *Server) health() (known bool, err error) {
	w := response{header: http.Header{}, code: http.StatusOK}
	r, err := http.NewRequest(http.MethodGet, "/healthz", nil)
	if err != nil {
		return false, err
	}
	// This is the only way to query the server's health; no port is open.
	s.ns.HandleHealthz(&w, r)
	switch w.code {
	case http.StatusOK:
		return true, nil
	case http.StatusInternalServerError:
		// A busy server may not find out within a millisecond that it has started. Then it has not checked its store.
		return false, nil
	}
	var body struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(w.body.Bytes(), &body) != nil || body.Error == "" {
		body.Error = http.StatusText(w.code)
	}
	return true, errors.New("the store takes no writes: " + body.Error)
}

// response records the response of a handler. It implements http.ResponseWriter.
type response struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (r *response) Header() http.Header         { return r.header }
func (r *response) WriteHeader(code int)        { r.code = code }
func (r *response) Write(b []byte) (int, error) { return r.body.Write(b) }
