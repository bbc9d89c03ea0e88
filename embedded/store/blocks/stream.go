// Package blocks reads the message blocks of a JetStream file store without the server. Only Writer changes files: it fills a new
// store.
//
// Scan checks a store before the server opens it: with a stale index the server truncates a block at its first bad record, and it
// removes a whole stream if it cannot open one of its files. Reader reads while the server runs, which is faster than requests to it.
//
// The format is that of nats-server 2.12 to 2.15; testdata/stores has a store of each
// version that was checked. A store in another format is unknown, never damaged.
package blocks

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/minio/highwayhash"

	"journal/journal/disk"
)

// The names in a stream's directory.
const (
	metaName  = "meta.inf"
	sumName   = "meta.sum"
	keyName   = "meta.key"
	blockDir  = "msgs"
	blockEnd  = ".blk"
	keyEnd    = ".key"
	streamDir = "streams"
)

// Stream is a stream of a store.
type Stream struct {
	Name string
	Dir  string
}

// Streams returns the streams below the server's directory by name, including those with a damaged or missing description. Without a
// store there are none. The error is that of reading a directory.
func Streams(store string) ([]Stream, error) {
	jetstream := filepath.Join(store, "jetstream")
	accounts, err := directories(jetstream)
	if err != nil {
		return nil, fmt.Errorf("list streams: %w", err)
	}
	var all []Stream
	for _, account := range accounts {
		names, err := directories(filepath.Join(jetstream, account, streamDir))
		if err != nil {
			return nil, fmt.Errorf("list streams: %w", err)
		}
		for _, name := range names {
			all = append(all, Stream{Name: name, Dir: filepath.Join(jetstream, account, streamDir, name)})
		}
	}
	slices.SortFunc(all, func(a, b Stream) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

// directories returns the names of the directories in dir, none if dir is not a directory.
func directories(dir string) (names []string, err error) {
	all, err := disk.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	for _, e := range all {
		fi, statErr := os.Stat(filepath.Join(dir, e.Name()))
		switch {
		case errors.Is(statErr, fs.ErrNotExist): // a link to nothing
		case statErr != nil:
			err = errors.Join(err, statErr)
		case fi.IsDir():
			names = append(names, e.Name())
		}
	}
	return names, err
}

// maxMeta bounds a stream's description and its checksum, in bytes.
const maxMeta = 1 << 20

// checkDescription checks the stream's description. It returns its damage, and the reason why its format is unknown, empty if it is known.
func (s Stream) checkDescription() (damage []Damage, unknown string, err error) {
	if _, err := os.Lstat(filepath.Join(s.Dir, keyName)); err == nil {
		return nil, "the store is encrypted", nil
	}
	meta, err := disk.ReadFile(filepath.Join(s.Dir, metaName), maxMeta)
	if err != nil {
		return missing(metaName, err)
	}
	sum, err := disk.ReadFile(filepath.Join(s.Dir, sumName), maxMeta)
	if err != nil {
		return missing(sumName, err)
	}
	key := sha256.Sum256([]byte(s.Name))
	h, err := highwayhash.New64(key[:])
	if err != nil {
		return nil, err.Error(), nil
	}
	h.Write(meta)
	if hex.EncodeToString(h.Sum(nil)) != string(sum) {
		return []Damage{{File: metaName, What: "checksum does not hold"}}, "", nil
	}
	var config struct {
		Compression json.RawMessage `json:"compression"`
	}
	if err := json.Unmarshal(meta, &config); err != nil {
		return nil, "its description is no JSON", nil
	}
	if c := string(config.Compression); c != "" && c != `"none"` && c != "0" && c != "null" {
		return nil, "the store is compressed: " + c, nil
	}
	return nil, "", nil
}

// missing returns the result of checkDescription for a file that cannot be read.
func missing(name string, cause error) (damage []Damage, unknown string, err error) {
	if transient(cause) {
		return nil, "", fmt.Errorf("read %s: %w", name, cause)
	}
	return []Damage{{File: name, What: unreadable(cause)}}, "", nil
}

// block is one file of messages.
type block struct {
	index int
	name  string // below the stream's directory
	path  string
	size  int64
}

// blocks lists the files of messages by their index.
func (s Stream) blocks() ([]block, error) {
	entries, err := disk.ReadDir(filepath.Join(s.Dir, blockDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list blocks of %s: %w", s.Name, err)
	}
	var all []block
	for _, e := range entries {
		number, ok := strings.CutSuffix(e.Name(), blockEnd)
		index, err := strconv.Atoi(number)
		if !ok || err != nil {
			continue
		}
		b := block{index: index, name: blockDir + "/" + e.Name(), path: filepath.Join(s.Dir, blockDir, e.Name())}
		if fi, err := e.Info(); err == nil {
			b.size = fi.Size()
		}
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b block) int { return cmp.Compare(a.index, b.index) })
	return all, nil
}

// encrypted reports whether a block has a key of its own.
func (b block) encrypted() bool {
	_, err := os.Lstat(strings.TrimSuffix(b.path, blockEnd) + keyEnd)
	return err == nil
}

// compressed reports whether a block is compressed by S2. A record of exactly 7,368,035 bytes begins with the same three letters, so
// the fourth byte counts too.
func compressed(content []byte) bool {
	return len(content) > 4 && bytes.HasPrefix(content, []byte("cmp\x01"))
}

// transient reports whether an error comes from a temporary state of the machine and not from the file. The file is then not damaged.
func transient(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}

func unreadable(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "missing"
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return "cannot be read: " + err.Error()
}

// Files returns the paths of a stream's description and blocks, as far as they exist.
func (s Stream) Files() ([]string, error) {
	all, err := s.blocks()
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, name := range []string{metaName, sumName} {
		if _, err := os.Lstat(filepath.Join(s.Dir, name)); err == nil {
			paths = append(paths, filepath.Join(s.Dir, name))
		}
	}
	for _, b := range all {
		paths = append(paths, b.path)
	}
	return paths, nil
}
