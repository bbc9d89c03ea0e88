package rebuild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"journal/embedded"
	"journal/embedded/store/archive"
	"journal/embedded/store/blocks"
	"journal/embedded/store/ownership"
	"journal/embedded/store/scrub"
	"journal/journal/disk"
	"journal/journal/spool"
	"journal/journal/wire/client"
	"journal/projections"
)

// Bad is one thing that is wrong with a log, in a form that scripts rely on.
type Bad struct {
	Seq   uint64 `json:"seq"`            // first sequence that it is about, 0 when it is about none
	Last  uint64 `json:"last,omitempty"` // last sequence, when there are more
	Where string `json:"where"`          // store, archive, spool, head, lock, format, plan or history
	What  string `json:"what"`
}

// Inspection is the condition of a log as it was found.
type Inspection struct {
	OK     bool   `json:"ok"`
	Events uint64 `json:"events"`
	First  uint64 `json:"first"`
	Last   uint64 `json:"last"`
	Bad    []Bad  `json:"bad"`
	// Losses is what no repair brings back. Until a person has acknowledged it the log is not OK.
	Losses  []projections.Loss `json:"losses"`
	Archive ArchiveSummary     `json:"archive"`
	Spool   SpoolSummary       `json:"spool"`
	// Unknown is the format of a store that this program does not know; it was
	// not judged.
	Unknown string `json:"unknown,omitempty"`
}

// ArchiveSummary is the archive's part of an Inspection.
type ArchiveSummary struct {
	Events   uint64 `json:"events"`
	Last     uint64 `json:"last"`
	Segments int    `json:"segments"`
	Bytes    int64  `json:"bytes"`
}

// SpoolSummary is the spool's part of an Inspection.
type SpoolSummary struct {
	Files  int `json:"files"`  // that wait for the owner
	Aside  int `json:"aside"`  // that could not be read and were set aside earlier
	Broken int `json:"broken"` // of those that wait: torn, altered or not reports at all
	Newer  int `json:"newer"`  // of those that wait: written by a later program
}

// Mendable says whether a rebuild changes anything: the store or the archive is
// damaged. Broken spool files are for the owner, who sets them aside.
func (i Inspection) Mendable() bool {
	return slices.ContainsFunc(i.Bad, func(b Bad) bool { return b.Where == inStore || b.Where == inArchive || b.Where == inHead })
}

// The second copy is behind by no more events and no longer, while there is an owner and when it is killed.
const (
	maxBehind = 256
	copyTime  = 2 * time.Second
)

// absent says whether there is no second copy, and no owner at work who makes one. An empty directory is what
// an owner leaves that was killed before it copied anything; behind a clean stop it lost what it had.
func absent(dir string, live bool) bool {
	for end := time.Now().Add(copyTime); ; time.Sleep(copyTime / 20) {
		files, err := disk.ReadDir(filepath.Join(dir, archiveName))
		clean, _ := embedded.WasClean(dir)
		if len(files) > 0 || err == nil && (live || !clean) || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false
		}
		if !live || time.Now().After(end) {
			return true
		}
	}
}

// Remember keeps what a repair would mend, until there is one or a person has seen it.
func (i Inspection) Remember(dir string) error {
	var found []scrub.Damage
	for _, b := range i.Bad {
		switch b.Where {
		case inStore, inHead:
			found = append(found, scrub.Damage{Where: scrub.Store, First: b.Seq, Last: max(b.Seq, b.Last), What: b.String()})
		case inArchive:
			found = append(found, scrub.Damage{Where: scrub.Archive, First: b.Seq, Last: max(b.Seq, b.Last), What: b.String()})
		}
	}
	return scrub.Remember(dir, found)
}

const (
	inStore   = "store"
	inArchive = "archive"
	inSpool   = "spool"
	inHead    = "head"
)

// Inspect reads everything that a journal directory holds and changes nothing.
// An owner may be at work: what it writes meanwhile is left out. progress, when
// not nil, gets the bytes of the store that were read, and their number.
func Inspect(ctx context.Context, dir string, progress func(done, total int64)) (Inspection, error) {
	i := Inspection{Bad: []Bad{}, Losses: []projections.Loss{}}
	if err := ownership.Inspect(dir); err != nil {
		return i, err
	}
	unreadable := false
	for _, o := range Obstacles(dir) {
		if o.Try != "" {
			return i, &ObstacleError{o}
		}
		i.bad(Range{}, o.Where, o.Err.Error())
		unreadable = unreadable || o.Where == inArchive
	}
	// What was remembered and archived before the store is read, it has to have.
	head := client.Head(dir)
	second, err := archive.Check(ctx, filepath.Join(dir, archiveName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !unreadable {
		return i, err
	}
	live := ownership.Held(dir)
	var missing [3]Ranges // from the store, by origin
	told := newLosses()
	found, err := walk(ctx, dir, false, progress, func(p entry) error {
		told.take(p.Record)
		if p.origin != stored && (p.Seq <= second.Last || p.origin == lost) {
			missing[p.origin].add(p.Seq)
		}
		return nil
	})
	if err != nil {
		return i, err
	}
	damage := found.store.Damage
	if live && len(damage) > 0 {
		if damage, err = settled(ctx, dir, damage); err != nil {
			return i, err
		}
	}
	i.Events, i.First, i.Last = found.store.Records, found.store.First, found.store.Last
	i.Unknown = found.store.Unknown
	i.Archive = ArchiveSummary{Events: second.Records, Last: second.Last, Segments: second.Segments, Bytes: second.Bytes}
	for _, b := range found.far {
		i.bad(Range{First: b.Seq, Last: b.Seq}, b.Where, b.What)
	}
	if i.Unknown == "" {
		i.store(damage, missing, found, head)
	}
	if second.Records == 0 && i.Events > 0 && !unreadable && (i.Events > maxBehind || absent(dir, live)) {
		i.bad(Range{i.First, i.Last}, inArchive, "there is none")
	}
	for _, d := range second.Damage {
		i.bad(Range{d.First, d.Last}, inArchive, d.Error())
	}
	if err := i.spool(dir); err != nil {
		return i, err
	}
	i.Losses = told.all()
	i.OK = len(i.Bad) == 0 && i.Unknown == "" && Unseen(i.Losses) == 0
	return i, nil
}

// store says what is wrong with the store, and with the two copies together.
func (i *Inspection) store(damage []blocks.Damage, missing [3]Ranges, found findings, head uint64) {
	for _, d := range damage {
		i.bad(Range{d.First, d.Last}, inStore, fmt.Sprintf("%s: %s", filepath.Base(d.File), d.What))
	}
	named := func(r Range) bool {
		return slices.ContainsFunc(damage, func(d blocks.Damage) bool { return d.First <= r.First && r.Last <= d.Last })
	}
	for _, r := range missing[archived] {
		if !named(r) {
			i.bad(r, inStore, "missing; the archive has it")
		}
	}
	for _, r := range missing[lost] {
		if !named(r) {
			i.bad(r, inStore, "missing, and not in the archive")
		}
	}
	for _, r := range found.differ {
		i.bad(r, inArchive, "differs from the store")
	}
	if head > max(found.store.Last, found.reached) {
		i.bad(Range{max(found.store.Last, found.reached) + 1, head}, inHead, "remembered as stored, and in no copy")
	}
}

func (i *Inspection) bad(r Range, where, what string) {
	b := Bad{Seq: r.First, Where: where, What: what}
	if r.Last > r.First {
		b.Last = r.Last
	}
	i.Bad = append(i.Bad, b)
	slices.SortStableFunc(i.Bad, func(a, b Bad) int { return cmp.Compare(a.Seq, b.Seq) })
}

// settled keeps the damage that is there when a store at work is read again: the
// record that was being written looked torn.
func settled(ctx context.Context, dir string, damage []blocks.Damage) ([]blocks.Damage, error) {
	s, ok, err := streamOf(dir)
	if err != nil || !ok {
		return damage, err
	}
	again, err := blocks.Scan(ctx, s, nil, nil)
	return slices.DeleteFunc(damage, func(d blocks.Damage) bool { return !slices.Contains(again.Damage, d) }), err
}

// spool reads what waits in the spool.
func (i *Inspection) spool(dir string) error {
	d := spool.Open(filepath.Join(dir, spoolName))
	var err error
	if _, i.Spool.Aside, err = d.Count(); err != nil {
		return err
	}
	entries, err := d.List()
	if err != nil {
		return err
	}
	i.Spool.Files = len(entries)
	for _, e := range entries {
		_, _, err := d.Read(e)
		switch {
		case errors.Is(err, fs.ErrNotExist): // it reached the log meanwhile
			i.Spool.Files--
		case errors.Is(err, spool.ErrNewer):
			i.Spool.Newer++
		case err != nil:
			i.Spool.Broken++
			i.bad(Range{}, inSpool, err.Error())
		}
	}
	return nil
}
