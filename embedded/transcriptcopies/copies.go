// Package transcriptcopies keeps copies of the clients' transcripts beside the log, redacted and compressed, for a person who chose that:
// clients delete their transcripts. The copy of a session is a folder PROJECT/SESSION whose files have the client's names.
package transcriptcopies

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"journal/events"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
	"journal/journal/redact"
	"journal/journal/wire"
)

// folderName is the folder of the copies in a journal's directory. barName is an empty file in that folder. Sessions that began before the
// modification time of barName are not copied, because a person removed something then.
const (
	folderName = "transcripts"
	barName    = "barred"
)

// Folder returns the folder of all copies. It need not exist.
func Folder(dir string) string { return filepath.Join(dir, folderName) }

// Copy is the copy of one session's transcripts. It has no files if it was removed.
type Copy struct {
	Project, Session string    // as subject tokens
	Path             string    // of its folder
	Bytes            uint64    // size of its files
	Saved            time.Time // the newest change of a transcript in it
}

// Of returns the path of the folder with a session's copy. The folder need not exist.
func Of(dir, project, session string) string {
	return filepath.Join(Folder(dir), wire.Token(project), wire.Token(session))
}

// File returns the path of the copy of a session's transcript. path is that of the client's file. The copy need not exist.
func File(dir, project, session, path string) string {
	return filepath.Join(Of(dir, project, session), strings.TrimSuffix(filepath.Base(path), transcript.Compressed))
}

// All returns all copies, including those without files.
func All(dir string) (all []Copy, err error) {
	for _, path := range disk.Match(Folder(dir), "*/*") {
		found := Copy{Project: filepath.Base(filepath.Dir(path)), Session: filepath.Base(path), Path: path}
		err = errors.Join(err, filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			found.Bytes += uint64(info.Size())
			if info.ModTime().After(found.Saved) {
				found.Saved = info.ModTime()
			}
			return nil
		}))
		all = append(all, found)
	}
	return all, err
}

// Drop removes the files of a copy for good. The empty folder stays: it keeps the session from being copied again.
func (c Copy) Drop() error {
	return errors.Join(os.RemoveAll(c.Path), os.MkdirAll(c.Path, 0o700))
}

// Bar prevents the copying of sessions that began before now. Copies that exist stay.
func Bar(dir string) error {
	if err := disk.MakePrivate(Folder(dir)); err != nil {
		return err
	}
	path, now := filepath.Join(Folder(dir), barName), time.Now()
	if err := disk.ReplaceDurable(path, nil); err != nil {
		return err
	}
	return os.Chtimes(path, now, now) // not the time of the file system, whose clock may be some milliseconds behind
}

// Holds reports whether a row of a copy has a text and, if secrets is true, also a secret. If before is not zero, only transcripts that
// began before that time are searched. A file that cannot be read counts as one that has both.
func (c Copy) Holds(ctx context.Context, text string, before time.Time, secrets bool) (bool, error) {
	files, err := transcript.Files(ctx, []string{c.Path}, transcript.Agents())
	if err != nil {
		return false, err
	}
	contains := events.TextMatcher(text)
	for _, file := range files {
		if file.Skip != "" {
			return true, nil
		}
		if !before.IsZero() && !file.Began.Before(before) {
			continue
		}
		for row, err := range transcript.RowsOf(file.Path, file.Format.Limits) {
			if err != nil {
				return true, nil
			}
			if err := ctx.Err(); err != nil {
				return false, err
			}
			if contains(row) && (!secrets || len(redact.FindIn(row)) > 0) {
				return true, nil
			}
		}
	}
	return false, nil
}

// save copies the files of a session that have changed since their last copy into a folder. path is that of the session's transcript.
func save(ctx context.Context, folder, path string, files []transcript.File) error {
	for _, file := range files {
		info, err := os.Stat(file.Path)
		if err != nil {
			continue // the client has removed it meanwhile
		}
		name, err := filepath.Rel(filepath.Dir(path), file.Path)
		if err != nil || !filepath.IsLocal(name) {
			name = filepath.Join(filepath.Base(filepath.Dir(file.Path)), filepath.Base(file.Path))
		}
		to, changed := filepath.Join(folder, strings.TrimSuffix(name, transcript.Compressed)), savedTime(info)
		old, err := os.Stat(to)
		if err == nil && old.ModTime().Equal(changed) {
			continue
		}
		if err := disk.MakePrivate(filepath.Dir(to)); err != nil {
			return err
		}
		if err := write(ctx, to, file); err != nil {
			return err
		}
		if err := os.Chtimes(to, changed, changed); err != nil {
			return err
		}
	}
	return nil
}

// savedTime returns the modification time of the copy of a file: that of the file, in seconds, which every file system keeps.
func savedTime(file fs.FileInfo) time.Time { return file.ModTime().Truncate(time.Second) }

// write writes the copy of a file, each row without its secrets.
func write(ctx context.Context, to string, file transcript.File) error {
	in, err := file.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	return disk.ReplaceDurableBy(to, func(w io.Writer) error {
		packed, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
		if err != nil {
			return err
		}
		return errors.Join(writeRows(ctx, packed, transcript.NewRows(in, file.Format.Limits)), packed.Close())
	})
}

// writeRows writes rows, each without its secrets.
func writeRows(ctx context.Context, w io.Writer, rows *transcript.Rows) error {
	for row, err := range rows.All {
		if err != nil {
			return err
		}
		if _, err := w.Write(append(redact.Document(row), '\n')); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
