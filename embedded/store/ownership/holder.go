package ownership

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"journal/journal/disk"
	"journal/journal/wire/proc"
)

// Holder is an owner's record in the lock file. It is for people, and distinguishes machines. Only the lock itself proves that an owner
// exists.
type Holder struct {
	PID       int    `json:"pid"`
	BootID    string `json:"boot_id"`   // "" if unknown
	Host      string `json:"host"`      // host name
	Heartbeat int64  `json:"heartbeat"` // Unix time in nanoseconds
	Version   string `json:"version"`   // of the program
	Build     int64  `json:"build"`     // of the program, see Build; 0 if unknown
}

// foreignAge is the age up to which the heartbeat of another machine keeps this one from taking the lock (ADR-0004 rule 13).
const foreignAge = 10 * time.Second

// recordSize is the size in bytes of the record in the lock file. It is fixed, so that Beat overwrites the previous record in a single
// write.
const recordSize = 512

// bootID returns the id of this boot, "" if it is unknown.
var bootID = sync.OnceValue(proc.Boot)

// Beat writes the record of this process into the lock file, with the time of the call as heartbeat. version is that of the program. An owner
// calls it once a second. Beat returns ErrClosed if the lock was released, and ErrReplaced if the lock no longer guards its directory.
func (l *Lock) Beat(version string) error {
	host, _ := os.Hostname() // the name is only shown, and may be empty
	b, err := json.Marshal(Holder{
		PID: os.Getpid(), BootID: bootID(), Host: host, Heartbeat: time.Now().UnixNano(), Version: version, Build: Build(),
	})
	if err != nil {
		return fmt.Errorf("beat: %w", err)
	}
	if len(b) > recordSize {
		return fmt.Errorf("beat: record of %d bytes is over %d", len(b), recordSize)
	}
	b = append(b, bytes.Repeat([]byte{' '}, recordSize-len(b))...)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return fmt.Errorf("beat: %w", ErrClosed)
	}
	if !isLockOf(l.dir, l.file) {
		return fmt.Errorf("beat: %w", ErrReplaced)
	}
	if _, err := l.file.WriteAt(b, 0); err != nil {
		return fmt.Errorf("beat: %w", err)
	}
	return nil
}

// ReadHolder returns the record of the last owner of dir; Held reports whether that owner still lives. It takes no lock. The error is
// ErrNoHolder if the last owner released the lock, or there was none.
func ReadHolder(dir string) (Holder, error) {
	f, err := disk.OpenFile(lockPath(dir), os.O_RDONLY|disk.NoFollow, 0)
	if err != nil {
		return Holder{}, errors.Join(ErrNoHolder, err)
	}
	defer f.Close()
	return readHolder(f)
}

// readHolder reads the record. It retries if it read a record that was only half written.
func readHolder(f *os.File) (h Holder, err error) {
	for range 3 {
		var b []byte
		b, err = io.ReadAll(io.NewSectionReader(f, 0, recordSize))
		if err != nil {
			return Holder{}, fmt.Errorf("read holder: %w", err)
		}
		if len(bytes.TrimSpace(b)) == 0 {
			return Holder{}, ErrNoHolder
		}
		h = Holder{}
		if err = json.Unmarshal(b, &h); err == nil {
			return h, nil
		}
	}
	return Holder{}, fmt.Errorf("read holder: %w", err)
}

// foreign reports whether another machine wrote the record within foreignAge. Its clock may be ahead of this one's.
func (h Holder) foreign() bool {
	if h.BootID == "" || bootID() == "" || h.BootID == bootID() {
		return false
	}
	return time.Since(time.Unix(0, h.Heartbeat)).Abs() < foreignAge
}
