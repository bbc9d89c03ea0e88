package embedded

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"

	"journal/journal/disk"
)

// marker is the content of the clean file.
//
// The server trusts index.db if its checksum holds. Otherwise it reads every block again and truncates unreadable ones. So the marker has
// the digests of the index files that the clean stop wrote: a clean stop alone does not prove that they are right (ADR-0012 rule 1).
type marker struct {
	V     int               `json:"v"`     // version
	Seq   uint64            `json:"seq"`   // last sequence at the stop; 0 if unknown
	Head  string            `json:"head"`  // digest of the record at Seq
	Files map[string]string `json:"files"` // digests of the index files, by path (see digests)
}

const markerVersion = 1

// indexed holds the names of the index files: those whose digests the marker has.
var indexed = map[string]bool{"index.db": true, "meta.inf": true, "meta.sum": true}

// WasClean reports whether the last owner of dir stopped cleanly and its index files are unchanged since. If not, it also returns the
// reason. While an owner runs it returns false, because the owner has removed the marker. It changes nothing.
func WasClean(dir string) (bool, string) {
	if _, err := readMarker(dir); err != nil {
		return false, err.Error()
	}
	return true, ""
}

// readMarker returns the marker of a clean store. The error is the reason why the store is not clean.
func readMarker(dir string) (marker, error) {
	var m marker
	b, err := disk.ReadFile(cleanPath(dir), maxStoreFile)
	if errors.Is(err, fs.ErrNotExist) {
		return m, errors.New("no clean marker")
	}
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, fmt.Errorf("clean marker: %w", err)
	}
	if m.V != markerVersion {
		return m, fmt.Errorf("clean marker has version %d, not %d", m.V, markerVersion)
	}
	now, err := digests(storePath(dir))
	if err != nil {
		return m, err
	}
	for name, sum := range m.Files {
		if now[name] == "" {
			return m, fmt.Errorf("%s is missing", name)
		}
		if now[name] != sum {
			return m, fmt.Errorf("%s has changed", name)
		}
	}
	if !maps.Equal(now, m.Files) {
		return m, errors.New("an index file is new")
	}
	return m, nil
}

// writeMarker writes the marker, with which the store counts as clean.
func writeMarker(dir string, seq uint64, head string) error {
	files, err := digests(storePath(dir))
	if err != nil {
		return err
	}
	b, err := json.Marshal(marker{V: markerVersion, Seq: seq, Head: head, Files: files})
	if err != nil {
		return err
	}
	return disk.ReplaceDurable(cleanPath(dir), append(b, '\n'))
}

// digests returns the hexadecimal SHA-256 of the index files below store, by their slash-separated paths.
func digests(store string) (map[string]string, error) {
	sums := map[string]string{}
	err := filepath.WalkDir(store, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !indexed[d.Name()] {
			return err
		}
		rel, err := filepath.Rel(store, path)
		if err != nil {
			return err
		}
		b, err := disk.ReadFile(path, maxStoreFile)
		sum := sha256.Sum256(b)
		sums[filepath.ToSlash(rel)] = hex.EncodeToString(sum[:])
		return err
	})
	return sums, err
}
