// Package powercut computes a possible content of a disk after a power cut, from the operations that were recorded before:
// everything that was synced, and a random part of the rest. It assumes only what POSIX promises: a name is durable once its
// directory was synced, which a sync of the file does not do, and any part of what was not synced may survive, in any order. It
// also assumes what every file system does: a rename, and the write of a sector of 512 bytes, happen whole or not at all.
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

// Sector is the number of bytes that are written whole or not at all.
const Sector = 512

// Luck selects which of the operations that were not synced survive.
type Luck int

// The kinds of luck.
const (
	None   Luck = iota // nothing survives
	All                // everything survives, as after a kill
	Names              // all changes of names survive, and of some writes the new size of the file without the bytes
	Prefix             // the changes of names up to one of them survive, and parts of writes
	Any                // some changes of names survive, and parts of writes
	Lucks              // number of the kinds
)

// String returns the name of the luck.
func (l Luck) String() string { return [...]string{"none", "all", "names", "prefix", "any"}[l] }

// Disk is a directory on a disk: its durable content, and the operations that are not durable yet.
type Disk struct {
	files map[int]*file // by ptrace.Op.Ino
	names []ptrace.Op   // changes of names that are not durable yet, in their order
}

// file is a file, a directory or a symbolic link.
type file struct {
	dir     bool
	target  string // of a symbolic link
	mode    fs.FileMode
	entries map[string]int // the durable names of a directory, with the numbers of their files
	content []byte         // the durable bytes of a file
	open    []change       // the writes and truncations that content does not have yet, in their order
}

// change is a write or a truncation.
type change struct {
	ptrace.Op
	doubted bool // a failed sync may have dropped the change for good
	durable bool // the change was synced, but an earlier one is doubted
}

// New returns an empty directory.
func New() *Disk {
	return &Disk{files: map[int]*file{0: {dir: true, entries: map[string]int{}, mode: 0o700}}}
}

// Do applies the next operation.
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
		// The kernel reports an error once, and then treats the pages as if they were written. So no later sync writes them.
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

// sync makes the open changes of a file durable, except doubted ones, or the changes of names in a directory. The content of the
// file gets the changes before the first doubted one.
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
		hasDir2 := op.Kind == ptrace.Rename || op.Kind == ptrace.Link
		if op.Dir != ino && !(hasDir2 && op.Dir2 == ino) {
			return false
		}
		changeNames(op, func(dir int) map[string]int { return d.files[dir].entries })
		return true
	})
}

// changeNames applies a change of names. entries returns the names in a directory.
func changeNames(op ptrace.Op, entries func(dir int) map[string]int) {
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

// apply applies a write or a truncation to the content of a file.
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

// sized returns content, cut or extended with zeros to a size.
func sized(content []byte, size int64) []byte {
	if size <= int64(len(content)) {
		return content[:size:size]
	}
	return append(content, make([]byte, size-int64(len(content)))...)
}

// Cut writes the content of the directory after a power cut into the empty directory to. luck selects what survives; chance draws
// it where luck allows several results.
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
			changeNames(op, entriesOf)
		}
	}
	return d.writeDir(to, 0, entriesOf, func(f *file) []byte { return f.afterCut(luck, chance) })
}

// writeDir writes the content of the directory with the number dir into the path to. entries returns the names in a directory, and
// contentOf the content of a file.
func (d *Disk) writeDir(to string, dir int, entries func(int) map[string]int, contentOf func(*file) []byte) error {
	for _, name := range slices.Sorted(maps.Keys(entries(dir))) {
		path, ino := filepath.Join(to, name), entries(dir)[name]
		f := d.files[ino]
		var err error
		switch {
		case f.target != "":
			err = os.Symlink(f.target, path)
		case f.dir:
			if err = os.Mkdir(path, 0o700); err == nil {
				err = d.writeDir(path, ino, entries, contentOf)
			}
		default:
			err = os.WriteFile(path, contentOf(f), f.mode)
		}
		if err != nil {
			return fmt.Errorf("lay down %s: %w", path, err)
		}
	}
	return nil
}

// afterCut returns the content of a file after a power cut.
func (f *file) afterCut(luck Luck, chance *rand.Rand) []byte {
	content := slices.Clone(f.content)
	for _, c := range f.open {
		op := c.Op
		switch {
		case c.durable || luck == All:
			content = apply(content, op)
		case luck == None:
		case luck == Names:
			if op.Kind == ptrace.Write && chance.IntN(2) == 0 {
				op.Data = make([]byte, len(op.Data))
				if op.Off < int64(len(content)) {
					copy(op.Data, content[op.Off:]) // old bytes stay
				}
				content = apply(content, op)
			}
		default:
			if op, ok := torn(op, content, chance); ok {
				content = apply(content, op)
			}
		}
	}
	return content
}

// torn returns the part of a write or truncation that survives; ok is false if nothing does.
func torn(op ptrace.Op, content []byte, chance *rand.Rand) (part ptrace.Op, ok bool) {
	switch fate := chance.IntN(4); {
	case fate == 0:
		return op, false
	case fate == 1 || op.Kind == ptrace.Truncate:
		return op, true
	default: // with fate 2 the first sectors survive, with fate 3 some of them; the others have the old bytes, or zeros
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
			data = data[:end] // the new size of the file does not survive
		}
		op.Data = data
		return op, len(data) > 0
	}
}
