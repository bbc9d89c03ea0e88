// Package blocks reads the message blocks of a JetStream file store without the server. Only Writer writes blocks: it fills a new store.
// PagedFile holds data that is derived from a log.
//
// Scan checks a store before the server opens it. With an outdated index the server would truncate a block at its first bad record, and it
// removes a whole stream if it cannot open one of the stream's files. Reader reads while the server runs, which is faster than requests to
// the server.
//
// The format is that of nats-server 2.15. testdata/stores has a store of the version that was checked, and a test fails for another
// version. A store in another format is unknown, never damaged.
package blocks

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
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

// The names of a stream's files and directories.
const (
	metaName    = "meta.inf" // the description
	sumName     = "meta.sum" // its checksum
	keyName     = "meta.key" // the key of an encrypted store
	blockDir    = "msgs"
	blockSuffix = ".blk"
	keySuffix   = ".key" // of an encrypted block
	streamDir   = "streams"
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

// checkDescription checks the stream's description. It returns the damage of its files, and the reason why the stream's format is
// unknown, empty if it is known. The error is that of a machine without file descriptors or memory.
func (s Stream) checkDescription() (damage []Damage, unknown string, err error) {
	if _, err := os.Lstat(filepath.Join(s.Dir, keyName)); err == nil {
		return nil, "the store is encrypted", nil
	}
	meta, err := disk.ReadFile(filepath.Join(s.Dir, metaName), maxMeta)
	if err != nil {
		return descriptionFault(metaName, err)
	}
	sum, err := disk.ReadFile(filepath.Join(s.Dir, sumName), maxMeta)
	if err != nil {
		return descriptionFault(sumName, err)
	}
	h := hashFor(s.Name)
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

// descriptionFault returns the result of checkDescription for a file that cannot be read.
func descriptionFault(name string, cause error) (damage []Damage, unknown string, err error) {
	if disk.Transient(cause) {
		return nil, "", fmt.Errorf("read %s: %w", name, cause)
	}
	return []Damage{{File: name, What: unreadable(cause)}}, "", nil
}

// block is one file of messages.
type block struct {
	index int
	name  string // below the stream's directory, with slashes
	path  string
	size  int64
}

// block returns the block with an index, without its size. It need not exist.
func (s Stream) block(index int) block {
	file := strconv.Itoa(index) + blockSuffix
	return block{index: index, name: blockDir + "/" + file, path: filepath.Join(s.Dir, blockDir, file)}
}

// recordHash returns the hash for the checksums of a block's records.
func (s Stream) recordHash(b block) hash.Hash { return hashFor(fmt.Sprintf("%s-%d", s.Name, b.index)) }

// hashFor returns the hash that the server keys with a text.
func hashFor(text string) hash.Hash {
	key := sha256.Sum256([]byte(text))
	h, _ := highwayhash.New64(key[:]) // the key has the right size
	return h
}

// blocks returns the blocks by their index.
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
		number, ok := strings.CutSuffix(e.Name(), blockSuffix)
		index, err := strconv.Atoi(number)
		if !ok || err != nil {
			continue
		}
		b := s.block(index)
		if filepath.Base(b.path) != e.Name() { // the server makes no name such as 01.blk
			continue
		}
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
	_, err := os.Lstat(strings.TrimSuffix(b.path, blockSuffix) + keySuffix)
	return err == nil
}

// compressed reports whether a block is compressed by S2. A record of exactly 7,368,035 bytes begins with the same three letters, so
// the fourth byte counts too.
func compressed(content []byte) bool {
	return len(content) > 4 && bytes.HasPrefix(content, []byte("cmp\x01"))
}

// unreadable describes the error of a file that cannot be read.
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
