// Package database reads the sessions that OpenCode stores. Only the program journal links it: SQLite is too large for the programs
// that agents wait for.
package database

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/ioutil"
	"github.com/ncruces/go-sqlite3/vfs"

	"journal/journal/agents/transcript"
	"journal/journal/disk"
)

// database reads a SQLite file as of the newest commit in its write-ahead log. It implements the file system in which SQLite opens both
// files. This file system neither locks nor writes. SQLite's own file system would write to files of the client. A database is not safe
// for concurrent use.
type database struct {
	*sqlite3.Conn
	file, log *os.File // log is the write-ahead log, nil if there is none
	opened    []byte   // the fingerprint at opening, to detect rewritten files
}

const (
	magic     = "SQLite format 3\x00" // the beginning of every database
	maxRecord = 64 << 20              // the largest row, in bytes
	walHeader = 32                    // bytes of the log's header, whose salts change when the log is restarted
)

var (
	errDatabase = transcript.Unfit("no database of OpenCode, or a damaged one")
	errChanged  = transcript.Unfit("the client wrote to it meanwhile: import it again")
)

// openDatabase opens the file at path. Only regular files are opened.
func openDatabase(path string) (*database, error) {
	file, _, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	d := &database{file: file}
	if d.log, _, err = disk.Open(path + "-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		file.Close()
		return nil, err
	}
	d.opened = d.fingerprint()
	vfs.Register(d.name(), d)
	if err := d.connect(); err != nil {
		err = d.reason(err) // before Close, because it reads the files
		d.Close()
		return nil, err
	}
	return d, nil
}

// connect opens the connection to the database.
func (d *database) connect() (err error) {
	d.Conn, err = sqlite3.OpenFlags("file:db?vfs="+d.name(), sqlite3.OPEN_READONLY|sqlite3.OPEN_URI|sqlite3.OPEN_EXRESCODE)
	if err != nil {
		return err
	}
	d.Limit(sqlite3.LIMIT_LENGTH, maxRecord)
	if _, err = d.Config(sqlite3.DBCONFIG_ENABLE_VIEW, false); err != nil { // a view could take any time
		return err
	}
	// In exclusive mode SQLite keeps the index of the log in memory. Otherwise it would write a shared file.
	return d.Exec("PRAGMA locking_mode=exclusive; PRAGMA temp_store=memory; PRAGMA trusted_schema=off")
}

// name returns the name under which SQLite knows the file system.
func (d *database) name() string { return fmt.Sprintf("%p", d) }

// Close closes the connection and both files.
func (d *database) Close() error {
	if d.Conn != nil {
		_ = d.Conn.Close()
	}
	vfs.Unregister(d.name())
	if d.log != nil {
		d.log.Close()
	}
	return d.file.Close()
}

// each calls visit with each row of a query.
func (d *database) each(query string, visit func(*sqlite3.Stmt)) error {
	s, _, err := d.Prepare(query)
	if err != nil {
		return d.reason(err)
	}
	defer s.Close()
	for s.Step() {
		visit(s)
	}
	return d.reason(s.Err())
}

// reason returns an error for a person in place of an error of SQLite: errChanged if the files were changed meanwhile, else
// errDatabase. It returns nil and an error of reading the files unchanged.
func (d *database) reason(err error) error {
	switch {
	case err == nil, errors.Is(err, sqlite3.IOERR):
		return err
	case d.checkUnchanged() != nil:
		return errChanged
	}
	return errDatabase
}

// fingerprint returns bytes that change when the client moves logged pages into the file, or restarts its log. Additions to the log,
// which do no harm, do not change them.
func (d *database) fingerprint() []byte {
	var b [walHeader + 16]byte
	if d.log != nil {
		_, _ = d.log.ReadAt(b[:walHeader], 0) // an empty log leaves zeros
	}
	if info, err := d.file.Stat(); err == nil {
		binary.BigEndian.PutUint64(b[walHeader:], uint64(info.Size()))
		binary.BigEndian.PutUint64(b[walHeader+8:], uint64(info.ModTime().UnixNano()))
	}
	return b[:]
}

// checkUnchanged returns errChanged if the files were changed in a harmful way since they were opened.
func (d *database) checkUnchanged() error {
	if !bytes.Equal(d.fingerprint(), d.opened) {
		return errChanged
	}
	return nil
}

// Open implements vfs.VFS. It opens the database or its log, and no other file.
func (d *database) Open(_ string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	content := ioutil.NewSizeReaderAt(d.file)
	switch {
	case flags&vfs.OPEN_MAIN_DB != 0:
	case flags&vfs.OPEN_WAL != 0 && d.log == nil:
		content = ioutil.NewSizeReaderAt(strings.NewReader(""))
	case flags&vfs.OPEN_WAL != 0:
		content = ioutil.NewSizeReaderAt(d.log)
	default:
		return nil, flags, sqlite3.CANTOPEN
	}
	return readOnly{content}, flags | vfs.OPEN_READONLY, nil
}

// Delete implements vfs.VFS. It deletes nothing.
func (d *database) Delete(string, bool) error { return sqlite3.READONLY }

// FullPathname implements vfs.VFS.
func (d *database) FullPathname(name string) (string, error) { return name, nil }

// Access implements vfs.VFS. It reports whether there is a log.
func (d *database) Access(name string, _ vfs.AccessFlag) (bool, error) {
	return name == "db-wal" && d.log != nil, nil
}

// readOnly is a file that SQLite neither writes nor closes.
type readOnly struct{ ioutil.SizeReaderAt }

func (readOnly) Close() error                                    { return nil }
func (readOnly) WriteAt([]byte, int64) (int, error)              { return 0, sqlite3.READONLY }
func (readOnly) Truncate(int64) error                            { return sqlite3.READONLY }
func (readOnly) Sync(vfs.SyncFlag) error                         { return nil }
func (readOnly) Lock(vfs.LockLevel) error                        { return nil }
func (readOnly) Unlock(vfs.LockLevel) error                      { return nil }
func (readOnly) CheckReservedLock() (bool, error)                { return false, nil }
func (readOnly) SectorSize() int                                 { return 0 }
func (readOnly) DeviceCharacteristics() vfs.DeviceCharacteristic { return 0 }
