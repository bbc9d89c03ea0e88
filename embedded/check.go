package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"journal/embedded/store/blocks"
	"journal/journal/disk"
)

// copyName is the directory of the copy of a store whose format this program does not know.
const copyName = "store.copy"

// checkBlocks reads every block of a store that was not closed cleanly, before the server does (ADR-0012 rule 1). head is the least
// sequence that the store must reach, 0 if it is unknown. The error is a SuspectError for damage. An unknown format is not damage: the
// store is copied once, and the server opens it (ADR-0012 rule 6). A damaged stream without a byte in its blocks is removed, because its
// creation was interrupted. If the stream once had records, the check of head or the second copy shows that.
func checkBlocks(ctx context.Context, dir string, head uint64, log *slog.Logger) error {
	streams, err := blocks.Streams(storePath(dir))
	if err != nil {
		return err
	}
	suspect := &SuspectError{}
	last := uint64(0)
	for _, s := range streams {
		r, err := blocks.Scan(ctx, s, nil, nil)
		if err != nil {
			return fmt.Errorf("check the store: %w", err)
		}
		if r.Unknown != "" {
			log.Warn("the format of the store is not known, so it was not checked", "stream", s.Name, "reason", r.Unknown, "copy", copyName)
			return copyStore(dir)
		}
		if len(r.Damage) > 0 && r.Bytes == 0 {
			log.Warn("a stream without a record is incomplete and is created again", "stream", s.Name, "reason", r.Damage[0])
			if err := os.RemoveAll(s.Dir); err != nil {
				return fmt.Errorf("check the store: %w", err)
			}
			continue
		}
		if len(r.Damage) > 0 {
			suspect.Streams = append(suspect.Streams, r)
		}
		if r.Torn > 0 {
			log.Warn("the last write to the store was interrupted", "stream", s.Name, "bytes", r.Torn, "last", r.Last)
		}
		last = max(last, r.Last)
	}
	if last < head {
		suspect.Reason = fmt.Sprintf("it ends with #%d, but #%d was acknowledged", last, head)
	}
	if suspect.Reason != "" || len(suspect.Streams) > 0 {
		return suspect
	}
	return nil
}

// copyStore copies the store to copyName, unless there is a copy.
func copyStore(dir string) error {
	to := filepath.Join(dir, copyName)
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	tmp := to + ".new"
	if err := errors.Join(os.RemoveAll(tmp), disk.CopyDir(tmp, storePath(dir))); err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	if err := errors.Join(syncTree(tmp), os.Rename(tmp, to)); err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	return disk.SyncDir(dir)
}

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

// ErrSuspectStore is returned for a store that the server must not open: it would answer damage by removing more
// (docs/ENGINE.md §2).
var ErrSuspectStore = errors.New("the store is damaged")

// SuspectError describes the damage of a store. It wraps ErrSuspectStore. Own records no failure for it, because the caller rebuilds the
// store.
type SuspectError struct {
	Streams []blocks.Summary // streams with damage, if any
	Reason  string           // damage that the blocks alone do not show, empty for none
}

func (e *SuspectError) Error() string {
	places, first := 0, e.Reason
	for _, r := range e.Streams {
		places += len(r.Damage)
		if first == "" && len(r.Damage) > 0 {
			first = r.Damage[0].String()
		}
	}
	if places > 1 {
		first += fmt.Sprintf(", and %d more", places-1)
	}
	return fmt.Sprintf("%v: %s", ErrSuspectStore, first)
}

// Interrupted reports whether a power cut during one write explains all of the damage. A failing disk would damage more.
func (e *SuspectError) Interrupted() bool {
	return e.Reason == "" && len(e.Streams) == 1 && e.Streams[0].Interrupted
}

func (e *SuspectError) Unwrap() error { return ErrSuspectStore }
