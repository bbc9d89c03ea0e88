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

// copyName is the copy of a store whose format this program does not know.
const copyName = "store.copy"

// checkBlocks reads every block of a store that was not closed cleanly, before the server does (ADR-0012 rule 1). head
// is the sequence that the store reaches at least; 0 is unknown. The error is a SuspectError for damage. A format that
// this program does not know is not damage: the store is opened, after one copy was made (ADR-0012 rule 6). Nor is a stream
// without a record whose making was interrupted: one that had records is known by head or by the second copy.
func checkBlocks(ctx context.Context, dir string, head uint64, log *slog.Logger) error {
	streams, err := blocks.Streams(storePath(dir))
	if err != nil {
		return err
	}
	suspect := &SuspectError{Dir: dir}
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
			log.Warn("a stream without a record is not whole and is made again", "stream", s.Name, "reason", r.Damage[0])
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
		suspect.Reason = fmt.Sprintf("it ends with #%d, and #%d was acknowledged", last, head)
	}
	if suspect.Reason != "" || len(suspect.Streams) > 0 {
		return suspect
	}
	return nil
}

// copyStore copies the store aside, once.
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

// Looks at the health of the server. Who is ill stays ill, so that illness is believed
// when it was told several times.
const (
	healthLooks = 4
	healthPause = 50 * time.Millisecond
	// healthAsks bounds how often the server is asked where it does not tell.
	healthAsks = 100
)

// Healthy reports whether the server can still store. After a write error, such as that of a full disk, a stream takes
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

// ErrSuspectStore is the error of a store that the server may not open: it would
// answer damage by removing more (docs/ENGINE.md §2).
var ErrSuspectStore = errors.New("the store is damaged")

// SuspectError says what is wrong with a store. It wraps ErrSuspectStore. Its
// caller rebuilds the store; no failure is recorded for it.
type SuspectError struct {
	Dir     string           // journal directory
	Streams []blocks.Summary // those with damage; none when Reason says it all
	Reason  string           // what the blocks alone do not show
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

// Interrupted reports whether a power cut in the middle of one write explains the damage: a disk that
// is going to pieces would not stop there.
func (e *SuspectError) Interrupted() bool {
	return e.Reason == "" && len(e.Streams) == 1 && e.Streams[0].Interrupted
}

func (e *SuspectError) Unwrap() error { return ErrSuspectStore }
