// Package powercut says what a disk may hold after its power was cut, out of the calls that were
// recorded before: everything that was synced, and of the rest what chance lets survive. It takes
// POSIX at its word and no file system at its best: a name is durable when its directory was
// synced, not when its file was, and what was not synced may be there in any part and any order.
// Two things are taken for granted, as every file system does: a rename happens or does not, and
// a sector of 512 bytes is written or is not.
package powercut

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"journal/cmd/testkit/ptrace"
)

// Sector is the number of bytes that are written at once.
const Sector = 512

// Luck selects the fate of writes that were not synced.
type Luck int

// The kinds of luck.
const (
	None   Luck = iota // nothing of it is left
	All                // all of it is left, as after a kill
	Names              // names are there, and no byte in their files: sizes with zeros, or nothing
	Prefix             // names up to some moment, and bytes as they fall
	Any                // each by itself, in parts
	Lucks              // how many there are
)

func (l Luck) String() string { return [...]string{"none", "all", "names", "prefix", "any"}[l] }

// Disk records the writes that survive a power cut, and those that may.
type Disk struct {
	files map[int]*file
	names []ptrace.Op // changes of names that no sync has made durable, in their order
}

// file is a file or a directory.
type file struct {
	dir     bool
	target  string
	mode    fs.FileMode
	entries map[string]int // durable ones of a directory
	content []byte         // durable
	open    []change       // writes and truncations since
}

// change is a write or a truncation.
type change struct {
	ptrace.Op
	doubted bool // a sync that failed may have dropped it for good
	durable bool // it was synced, and one before it is doubted
}

// New is an empty directory.
func New() *Disk {
	return &Disk{files: map[int]*file{0: {dir: true, entries: map[string]int{}, mode: 0o700}}}
}

// Do takes the next call.
func (d *Disk) Do(op ptrace.Op) {
	switch op.Kind {
	case ptrace.Create:
		f := &file{dir: op.IsDir, target: op.Target, mode: op.Mode}
		if op.IsDir {
			f.entries = map[string]int{}
		}
		d.files[op.Ino] = f
		d.names = append(d.names, op)
	case ptrace.Link, ptrace.Remove, ptrace.Rename:
		d.names = append(d.names, op)
	case ptrace.Write, ptrace.Truncate:
		f := d.files[op.Ino]
		f.open = append(f.open, change{Op: op})
	case ptrace.Sync:
		d.sync(op.Ino)
	case ptrace.SyncFail:
		// The system reports an error once and takes the pages for clean from then on.
		f := d.files[op.Ino]
		for i := range f.open {
			f.open[i].doubted = !f.open[i].durable
		}
	case ptrace.Mark:
		if op.Name == ptrace.Durable {
			for _, ino := range slices.Sorted(maps.Keys(d.files)) {
				d.sync(ino)
			}
		}
	}
}

func (d *Disk) sync(ino int) {
	f := d.files[ino]
	if !f.dir {
		for i := range f.open {
			f.open[i].durable = !f.open[i].doubted
		}
		for len(f.open) > 0 && f.open[0].durable {
			f.content = apply(f.content, f.open[0].Op)
			f.open = f.open[1:]
		}
		return
	}
	d.names = slices.DeleteFunc(d.names, func(op ptrace.Op) bool {
		two := op.Kind == ptrace.Rename || op.Kind == ptrace.Link
		if op.Dir != ino && !(two && op.Dir2 == ino) {
			return false
		}
		d.name(op, func(dir int) map[string]int { return d.files[dir].entries })
		return true
	})
}

// name makes a change of names.
func (d *Disk) name(op ptrace.Op, entries func(dir int) map[string]int) {
	switch op.Kind {
	case ptrace.Create:
		entries(op.Dir)[op.Name] = op.Ino
	case ptrace.Link:
		entries(op.Dir2)[op.Name2] = op.Ino
	case ptrace.Remove:
		delete(entries(op.Dir), op.Name)
	case ptrace.Rename:
		delete(entries(op.Dir), op.Name)
		entries(op.Dir2)[op.Name2] = op.Ino
	}
}

// apply makes a change of bytes.
func apply(content []byte, op ptrace.Op) []byte {
	if op.Kind == ptrace.Truncate {
		return sized(content, op.Size)
	}
	if end := op.Off + int64(len(op.Data)); end > int64(len(content)) {
		content = sized(content, end)
	}
	copy(content[op.Off:], op.Data)
	return content
}

func sized(content []byte, size int64) []byte {
	if size <= int64(len(content)) {
		return content[:size:size]
	}
	return append(content, make([]byte, size-int64(len(content)))...)
}

// Cut lays down in an empty directory what is left when the power is cut now.
func (d *Disk) Cut(to string, luck Luck, chance *rand.Rand) error {
	entries := map[int]map[string]int{}
	entriesOf := func(dir int) map[string]int {
		if entries[dir] == nil {
			entries[dir] = maps.Clone(d.files[dir].entries)
		}
		return entries[dir]
	}
	until := chance.IntN(len(d.names) + 1)
	for i, op := range d.names {
		if luck == All || luck == Names || luck == Prefix && i < until || luck == Any && chance.IntN(2) == 0 {
			d.name(op, entriesOf)
		}
	}
	return d.lay(to, 0, entriesOf, func(f *file) []byte { return f.left(luck, chance) })
}

// lay writes a directory and all that is in it.
func (d *Disk) lay(to string, dir int, entries func(int) map[string]int, left func(*file) []byte) error {
	for _, name := range slices.Sorted(maps.Keys(entries(dir))) {
		path, ino := filepath.Join(to, name), entries(dir)[name]
		f := d.files[ino]
		var err error
		switch {
		case f.target != "":
			err = os.Symlink(f.target, path)
		case f.dir:
			if err = os.Mkdir(path, 0o700); err == nil {
				err = d.lay(path, ino, entries, left)
			}
		default:
			err = os.WriteFile(path, left(f), f.mode)
		}
		if err != nil {
			return fmt.Errorf("lay down %s: %w", path, err)
		}
	}
	return nil
}

// left returns the content of a file after a cut.
func (f *file) left(luck Luck, chance *rand.Rand) []byte {
	content := slices.Clone(f.content)
	for _, c := range f.open {
		op := c.Op
		switch {
		case c.durable || luck == All:
			content = apply(content, op)
			continue
		case luck == None:
			continue
		}
		switch luck {
		case Names:
			if op.Kind == ptrace.Write && chance.IntN(2) == 0 {
				op.Data = make([]byte, len(op.Data))
				if at := min(op.Off, int64(len(content))); at < int64(len(content)) {
					copy(op.Data, content[at:]) // what was there stays
				}
				content = apply(content, op)
			}
		default:
			if op, any := torn(op, content, chance); any {
				content = apply(content, op)
			}
		}
	}
	return content
}

// torn is the part of a change of bytes that is left.
func torn(op ptrace.Op, content []byte, chance *rand.Rand) (part ptrace.Op, any bool) {
	switch fate := chance.IntN(4); {
	case fate == 0:
		return op, false
	case fate == 1 || op.Kind == ptrace.Truncate:
		return op, true
	default: // sectors from the beginning, or each by itself; in the place of the others what was there, or zeros
		data := make([]byte, len(op.Data))
		if op.Off < int64(len(content)) {
			copy(data, content[op.Off:])
		}
		until := chance.IntN(len(data) + 1)
		end := 0
		for at := 0; at < len(data); {
			next := min(len(data), at+Sector-int((op.Off+int64(at))%Sector))
			if fate == 2 && next <= until || fate == 3 && chance.IntN(2) == 0 {
				copy(data[at:next], op.Data[at:next])
				end = next
			}
			at = next
		}
		if chance.IntN(2) == 0 {
			data = data[:end] // the size was not changed further
		}
		op.Data = data
		return op, len(data) > 0
	}
}
