package opencode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"

	"journal/journal/agents/transcript"
	"journal/journal/disk"
)

// database reads a SQLite file as of the newest commit in the write-ahead log beside it. It is the system in which
// SQLite opens both: one without locks and writes, because SQLite's own would write beside the client. It is not safe for
// concurrent use.
type database struct {
	*sqlite3.Conn
	file, log *os.File // log is nil if there is none
	before    []byte   // the mark at opening, to detect rewritten files
}

// maxRecord limits the bytes of a row.
const maxRecord = 64 << 20

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
	if log, _, err := disk.Open(path + "-wal"); err == nil {
		d.log = log
	}
	d.before = d.mark()
	vfs.Register(d.name(), d)
	d.Conn, err = sqlite3.OpenFlags("file:db?vfs="+d.name(), sqlite3.OPEN_READONLY|sqlite3.OPEN_URI|sqlite3.OPEN_EXRESCODE)
	if err == nil {
		d.Limit(sqlite3.LIMIT_LENGTH, maxRecord)
		// With this mode the index of the log needs no shared memory.
		err = d.Exec("PRAGMA locking_mode=exclusive; PRAGMA temp_store=memory; PRAGMA trusted_schema=off")
	}
	if err != nil {
		d.Close()
		return nil, d.reason(err)
	}
	return d, nil
}

// name is what SQLite knows the system by.
func (d *database) name() string { return fmt.Sprintf("%p", d) }

// Close closes both files.
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

// each calls take with each row of a query.
func (d *database) each(query string, take func(*sqlite3.Stmt), arguments ...any) error {
	s, _, err := d.Prepare(query)
	if err != nil {
		return d.reason(err)
	}
	defer s.Close()
	for i, a := range arguments {
		switch a := a.(type) {
		case string:
			err = s.BindText(i+1, a)
		case int64:
			err = s.BindInt64(i+1, a)
		}
		if err != nil {
			return d.reason(err)
		}
	}
	for s.Step() {
		take(s)
	}
	return d.reason(s.Err())
}

// reason returns why a database is not read.
func (d *database) reason(err error) error {
	switch {
	case err == nil:
		return nil
	case d.unchanged() != nil:
		return errChanged
	case errors.Is(err, sqlite3.IOERR):
		return err
	}
	return errDatabase
}

// mark returns a value that changes when the client moves logged pages into the file, or restarts its log. Additions to
// the log do no harm.
func (d *database) mark() []byte {
	var mark [32 + 16]byte
	if d.log != nil {
		_, _ = d.log.ReadAt(mark[:32], 0) // a missing log is a mark too
	}
	if info, err := d.file.Stat(); err == nil {
		binary.BigEndian.PutUint64(mark[32:], uint64(info.Size()))
		binary.BigEndian.PutUint64(mark[40:], uint64(info.ModTime().UnixNano()))
	}
	return mark[:]
}

// unchanged returns an error if the files changed while they were read.
func (d *database) unchanged() error {
	if !bytes.Equal(d.mark(), d.before) {
		return errChanged
	}
	return nil
}

// Open gives SQLite the two files.
func (d *database) Open(_ string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	switch {
	case flags&vfs.OPEN_MAIN_DB != 0:
		return unwritten{d.file}, flags | vfs.OPEN_READONLY, nil
	case flags&vfs.OPEN_WAL != 0:
		return unwritten{d.log}, flags | vfs.OPEN_READONLY, nil
	}
	return nil, flags, sqlite3.CANTOPEN
}

func (d *database) Delete(string, bool) error                { return sqlite3.READONLY }
func (d *database) FullPathname(name string) (string, error) { return name, nil }
func (d *database) Access(name string, _ vfs.AccessFlag) (bool, error) {
	return name == "db-wal" && d.log != nil, nil
}

// unwritten is a file that is only read, and stays open. It is empty if it is nil.
type unwritten struct{ *os.File }

func (u unwritten) ReadAt(b []byte, at int64) (int, error) {
	if u.File == nil {
		return 0, io.EOF
	}
	return u.File.ReadAt(b, at)
}

func (u unwritten) Size() (int64, error) {
	if u.File == nil {
		return 0, nil
	}
	info, err := u.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (unwritten) Close() error                                    { return nil }
func (unwritten) WriteAt([]byte, int64) (int, error)              { return 0, sqlite3.READONLY }
func (unwritten) Truncate(int64) error                            { return sqlite3.READONLY }
func (unwritten) Sync(vfs.SyncFlag) error                         { return nil }
func (unwritten) Lock(vfs.LockLevel) error                        { return nil }
func (unwritten) Unlock(vfs.LockLevel) error                      { return nil }
func (unwritten) CheckReservedLock() (bool, error)                { return false, nil }
func (unwritten) SectorSize() int                                 { return 0 }
func (unwritten) DeviceCharacteristics() vfs.DeviceCharacteristic { return 0 }

// magic begins every database.
const magic = "SQLite format 3\x00"
