package rebuild

import (
	"archive/tar"
	"bytes"
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
	"journal/journal/forgotten"
)

// backupName is the name of a backup's description. A backup is a tar file with the description, the log as archive segments, and the
// files of the directory that cannot be derived from the log (docs/FORMAT.md).
const backupName = "backup.json"

// backupAside is the directory inside a journal directory in which a backup is unpacked.
const backupAside = "backup" + newSuffix

// extraFiles lists the files and directories of a journal directory that a backup has beside the log: the pauses, the record of forgotten
// events, and the tasks and outputs of runs.
var extraFiles = []string{"paused", forgotten.Name, forgotten.KeyName, "work"}

// Bounds in bytes: of each file of a backup, and of the description.
const (
	maxExtra       = 1 << 30
	maxDescription = 1 << 16
)

// ErrNotBackup is returned for a file that is not a backup, or whose description or log was changed or truncated.
var ErrNotBackup = errors.New("not a whole backup")

// BackupSummary describes a backup. The first file of a backup has it.
type BackupSummary struct {
	Format  int       `json:"format"` // see events.CheckFormat
	Events  uint64    `json:"events"` // number of events, which is the newest sequence too
	Chain   string    `json:"chain"`  // archive.Summary.Chain of the log, in hex
	At      time.Time `json:"at"`
	Program string    `json:"program"` // version of the program that made the backup
}

// Backup writes the log up to its present end, and the extraFiles in dir, into a new file. Other processes may append meanwhile. The file
// gets its name after it was synced and read again. The error is fs.ErrExist if the name is in use.
func Backup(ctx context.Context, dir string, log *journal.Log, file, program string) (s BackupSummary, err error) {
	if _, err := os.Lstat(file); err == nil {
		return s, &fs.PathError{Op: "backup", Path: file, Err: fs.ErrExist}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	removeKilled(filepath.Dir(file))
	aside, err := os.MkdirTemp(filepath.Dir(file), asidePattern)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(aside)) }()
	segments := filepath.Join(aside, archiveName)
	if err := copyLog(ctx, log, segments); err != nil {
		return s, err
	}
	check, err := archive.Check(ctx, segments)
	if err != nil {
		return s, err
	}
	if len(check.Damage) > 0 {
		return s, &check.Damage[0]
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

// asidePattern is the pattern for the temporary directories of backups.
const asidePattern = ".journal-backup-*"

// killedAge is the age at which the temporary directory of a backup is removed. No backup takes that long.
const killedAge = 24 * time.Hour

// removeKilled removes the temporary directories of killed backups. They hold a copy of the log, from which journal forget would not remove
// events.
func removeKilled(dir string) {
	for _, aside := range disk.Match(dir, asidePattern) {
		if fi, err := os.Lstat(aside); err == nil && fi.IsDir() && time.Since(fi.ModTime()) > killedAge {
			_ = os.RemoveAll(aside) // the next backup retries
		}
	}
}

// copyLog writes a log as an archive.
func copyLog(ctx context.Context, log *journal.Log, to string) error {
	w, err := archive.Open(to, archive.Options{AtOnce: true})
	if err != nil {
		return err
	}
	for r, err := range log.Stored(ctx, events.Span{}) {
		if err != nil {
			_ = w.Close()
			return err
		}
		if err := w.Append(r); err != nil {
			_ = w.Close() // it fails for the same reason
			return err
		}
	}
	return w.Close()
}

// pack writes the tar file, reads it again and compares the digests.
func pack(s BackupSummary, segments, dir, to string) (err error) {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	written := sha256.New()
	if err := writeTar(io.MultiWriter(f, written), s, segments, dir); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	read := sha256.New()
	if _, err := io.Copy(read, io.NewSectionReader(f, 0, 1<<62)); err != nil {
		return err
	}
	if !bytes.Equal(read.Sum(nil), written.Sum(nil)) {
		return fmt.Errorf("%s: the disk returns other bytes than were written; write the backup to another disk", to)
	}
	return nil
}

// writeTar writes the files of a backup.
func writeTar(to io.Writer, s BackupSummary, segments, dir string) (err error) {
	description, err := json.Marshal(s)
	if err != nil {
		return err
	}
	t := tar.NewWriter(to)
	defer func() { err = errors.Join(err, t.Close()) }()
	if err := addBytes(t, backupName, description); err != nil {
		return err
	}
	if err := addTree(t, segments, archiveName); err != nil {
		return err
	}
	for _, name := range extraFiles {
		if err := addTree(t, filepath.Join(dir, name), name); err != nil {
			return err
		}
	}
	return nil
}

// addTree adds a file, or the files below a directory, under a name. It skips a missing one.
func addTree(t *tar.Writer, from, name string) error {
	return filepath.WalkDir(from, func(file string, d fs.DirEntry, err error) error {
		if file == from && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := disk.ReadFile(file, maxExtra)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		return addBytes(t, path.Join(name, filepath.ToSlash(rel)), b)
	})
}

// addBytes adds a file with some content.
func addBytes(t *tar.Writer, name string, b []byte) error {
	if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(b)), Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err := t.Write(b)
	return err
}

// RestoreBackup creates the log of a directory without a log from a backup. It checks everything first; the error is ErrNotBackup for a bad
// file. After an error nothing is changed, unless the new copies were complete. Then Resume completes the restore. The caller holds the
// lock.
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
	case check.Records != s.Events || check.Last != s.Events:
		return s, fmt.Errorf("%w: it holds %s, but its description says %d", ErrNotBackup, text.Counted(check.Records, "event"), s.Events)
	case hex.EncodeToString(check.Chain[:]) != s.Chain:
		return s, fmt.Errorf("%w: its events are not those of its description", ErrNotBackup)
	}
	var moved []string
	defer func() {
		if err == nil || exists(filepath.Join(lock.Dir(), planName)) {
			return
		}
		for _, path := range moved {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}()
	// Pauses must exist before anything is recorded.
	if moved, err = moveExtraFiles(aside, lock.Dir()); err != nil {
		return s, err
	}
	_, err = restore(ctx, lock, logger, archive.Read(ctx, segments, 0), Result{segments: filepath.Join(backupAside, archiveName)})
	return s, err
}

// moveExtraFiles moves the files of extraFiles from one directory to another, and returns their new paths.
func moveExtraFiles(from, to string) (moved []string, err error) {
	for _, name := range extraFiles {
		if !exists(filepath.Join(from, name)) {
			continue
		}
		if err := rename(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return moved, err
		}
		moved = append(moved, filepath.Join(to, name))
	}
	return moved, nil
}

// unpack writes the files of a backup below a directory and returns its description. The error is ErrNotBackup, that of
// events.CheckFormat or of the disk.
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
		ofBackup := first == archiveName || slices.Contains(extraFiles, first)
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
			return s, fmt.Errorf("%w: it contains %q, which belongs to no backup", ErrNotBackup, h.Name)
		default:
			if err := extract(t, filepath.Join(to, filepath.FromSlash(h.Name))); err != nil {
				return s, err
			}
		}
	}
}

// isSparse reports whether a file in a tar is sparse. No backup has such files, of which a few bytes could stand for any size.
func isSparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// extract writes one file of a backup.
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
	return errors.Join(err, f.Sync(), f.Close()) // synced, because the archive reuses the file
}
