package rebuild

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/embedded/store/archive"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/disk"
)

// A backup is a tar file: a description, the log as archive segments, and the files of the
// directory that cannot be derived from the log (docs/FORMAT.md).
const backupName = "backup.json"

// backupAside is where a backup is unpacked inside a journal directory.
const backupAside = "backup" + newSuffix

// besideLog lists what a backup contains besides the log: what a person has paused, and
// the tasks and outputs of runs.
var besideLog = []string{"paused", "work"}

// Bounds in bytes: of a file in besideLog, and of the description.
const (
	maxBeside      = 1 << 30
	maxDescription = 1 << 16
)

// ErrNotBackup is returned for a file that is no backup, or was changed or truncated.
var ErrNotBackup = errors.New("not a whole backup")

// BackupSummary describes a backup. It is the first file in it.
type BackupSummary struct {
	Format  int       `json:"format"` // see events.CheckFormat
	Events  uint64    `json:"events"` // also the newest sequence
	Chain   string    `json:"chain"`  // hex, the rolling hash after the last record
	At      time.Time `json:"at"`
	Program string    `json:"program"` // version of the program that made it
}

// Backup writes the log up to its present end, and the files of besideLog in dir, into a
// new file. Others may write meanwhile. The file gets its name after it was synced and
// read again. The error is fs.ErrExist if the name is taken.
func Backup(ctx context.Context, dir string, log *journal.Log, file, program string) (s BackupSummary, err error) {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return s, errors.Join(&fs.PathError{Op: "backup", Path: file, Err: fs.ErrExist}, err)
	}
	removeKilled(filepath.Dir(file))
	aside, err := os.MkdirTemp(filepath.Dir(file), asideName)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(aside)) }()
	segments := filepath.Join(aside, archiveName)
	if err := copyLog(ctx, log, segments); err != nil {
		return s, err
	}
	check, err := archive.Check(ctx, segments)
	if err == nil && len(check.Damage) > 0 {
		err = &check.Damage[0]
	}
	if err != nil {
		return s, err
	}
	s = BackupSummary{
		Format: events.Format, Events: check.Records, Chain: hex.EncodeToString(check.Chain[:]),
		At: time.Now().UTC().Truncate(time.Second), Program: program,
	}
	packed := filepath.Join(aside, "packed")
	if err := pack(s, segments, dir, packed); err != nil {
		return s, err
	}
	if err := os.Link(packed, file); err != nil { // unlike a rename it replaces nothing
		if !errors.Is(err, fs.ErrExist) {
			err = os.Rename(packed, file) // a file system without links
		}
		if err != nil {
			return s, err
		}
	}
	return s, disk.SyncDir(filepath.Dir(file))
}

// asideName is the pattern for directories in which backups are made.
const asideName = ".journal-backup-*"

// killedAge is longer than any backup takes.
const killedAge = 24 * time.Hour

// removeKilled removes the directories of killed backups: they hold a log from which no
// verb would forget anything.
func removeKilled(dir string) {
	all, _ := filepath.Glob(filepath.Join(dir, asideName)) // the pattern is ours, but for a directory with one: nothing is found there
	for _, aside := range all {
		if fi, err := os.Lstat(aside); err == nil && fi.IsDir() && time.Since(fi.ModTime()) > killedAge {
			_ = os.RemoveAll(aside) // the next backup tries again
		}
	}
}

// copyLog writes a log as an archive.
func copyLog(ctx context.Context, log *journal.Log, to string) (err error) {
	w, err := archive.Open(to, archive.Options{AtOnce: true})
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, w.Close()) }() // closing fails for the same reason
	for r, err := range log.Stored(ctx, events.Span{}) {
		if err == nil {
			err = w.Append(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pack writes the tar file and compares it with what the disk returns.
func pack(s BackupSummary, segments, dir, to string) (err error) {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	written := sha256.New()
	t := tar.NewWriter(io.MultiWriter(f, written))
	description, err := json.Marshal(s)
	if err == nil {
		err = addBytes(t, backupName, description)
	}
	if err == nil {
		err = addTree(t, segments, archiveName)
	}
	for _, name := range besideLog {
		if err == nil {
			err = addTree(t, filepath.Join(dir, name), name)
		}
	}
	if err = errors.Join(err, t.Close()); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	again := sha256.New()
	if _, err := io.Copy(again, io.NewSectionReader(f, 0, 1<<62)); err != nil {
		return err
	}
	if !bytes.Equal(again.Sum(nil), written.Sum(nil)) {
		return fmt.Errorf("%s: the disk does not return what was written", to)
	}
	return nil
}

// addTree adds a file, or the files below a directory, under a name. A missing one is
// skipped.
func addTree(t *tar.Writer, from, name string) error {
	return filepath.WalkDir(from, func(at string, d fs.DirEntry, err error) error {
		if at == from && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := disk.ReadFile(at, maxBeside)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, at)
		if err != nil {
			return err
		}
		return addBytes(t, path.Join(name, filepath.ToSlash(rel)), b)
	})
}

func addBytes(t *tar.Writer, name string, b []byte) error {
	err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(b)), Format: tar.FormatPAX})
	if err == nil {
		_, err = t.Write(b)
	}
	return err
}

// RestoreBackup creates the log of a directory without one from a backup. It checks
// everything first; the error is ErrNotBackup for a bad file. After an error nothing is
// changed, or Resume completes the restore. The caller holds the lock.
func RestoreBackup(ctx context.Context, lock *ownership.Lock, logger *slog.Logger, file io.Reader) (s BackupSummary, err error) {
	aside := filepath.Join(lock.Dir(), backupAside)
	if err := os.Mkdir(aside, 0o700); err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(aside)) }()
	if s, err = unpack(file, aside); err != nil {
		return s, err
	}
	segments := filepath.Join(aside, archiveName)
	check, err := archive.Check(ctx, segments)
	switch {
	case err != nil:
		return s, err
	case len(check.Damage) > 0:
		return s, fmt.Errorf("%w: %w", ErrNotBackup, &check.Damage[0])
	case check.Records != s.Events || check.Last != s.Events || hex.EncodeToString(check.Chain[:]) != s.Chain:
		return s, fmt.Errorf("%w: it holds %s, and says %d", ErrNotBackup, text.Counted(check.Records, "event"), s.Events)
	}
	// Pauses must be there before anything is recorded.
	var moved []string
	for _, name := range besideLog {
		if from := filepath.Join(aside, name); exists(from) {
			if err = rename(from, filepath.Join(lock.Dir(), name)); err != nil {
				break
			}
			moved = append(moved, name)
		}
	}
	if err == nil {
		_, err = restore(ctx, lock, logger, archive.Read(ctx, segments, 0), Result{segments: filepath.Join(backupAside, archiveName)})
	}
	if err != nil && !exists(filepath.Join(lock.Dir(), planName)) {
		for _, name := range moved {
			err = errors.Join(err, os.RemoveAll(filepath.Join(lock.Dir(), name)))
		}
	}
	return s, err
}

// unpack writes the files of a backup below a directory and returns its description.
func unpack(file io.Reader, to string) (s BackupSummary, err error) {
	for t := tar.NewReader(file); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) && s.Format > 0 {
			return s, nil
		}
		if err != nil {
			return s, fmt.Errorf("%w: %w", ErrNotBackup, err)
		}
		first, _, _ := strings.Cut(h.Name, "/")
		ofBackup := first == archiveName || slices.Contains(besideLog, first)
		switch {
		case h.Name == backupName && s.Format == 0:
			if err := json.NewDecoder(io.LimitReader(t, maxDescription)).Decode(&s); err != nil {
				return s, fmt.Errorf("%w: %w", ErrNotBackup, err)
			}
			if err := events.CheckFormat("backup has format", s.Format); err != nil {
				return s, err
			}
		case s.Format == 0:
			return s, fmt.Errorf("%w: it does not begin with %s", ErrNotBackup, backupName)
		case h.Typeflag != tar.TypeReg || isSparse(h) || !filepath.IsLocal(h.Name) || !ofBackup:
			return s, fmt.Errorf("%w: %q is no part of one", ErrNotBackup, h.Name)
		default:
			if err := extract(t, filepath.Join(to, filepath.FromSlash(h.Name))); err != nil {
				return s, err
			}
		}
	}
}

// isSparse reports whether a file in a tar is sparse. No backup has such files: a few bytes could claim any size.
func isSparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

func extract(from io.Reader, to string) error {
	if err := disk.MakePrivate(filepath.Dir(to)); err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: %w", ErrNotBackup, err)
	}
	if err == nil {
		err = f.Sync() // the archive takes over what was unpacked
	}
	return errors.Join(err, f.Close())
}
