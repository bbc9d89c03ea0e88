package rebuild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/embedded"
	"journal/embedded/copies"
	"journal/embedded/store/archive"
	"journal/embedded/store/blocks"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/record"
	"journal/journal/spool"
	"journal/journal/wire/client"
	"journal/projections"
)

// Inspection is the condition of a log.
type Inspection struct {
	OK     bool         `json:"ok"`     // nothing is bad or unknown, and no loss unacknowledged
	Events uint64       `json:"events"` // number of good records in the store
	First  uint64       `json:"first"`  // their first sequence, 0 for none
	Last   uint64       `json:"last"`   // their last sequence
	Bad    []copies.Bad `json:"bad"`    // the faults, by sequence
	// Losses are the permanent losses that the log has recorded.
	Losses  []projections.Loss `json:"losses"`
	Archive ArchiveSummary     `json:"archive"`
	Spool   SpoolSummary       `json:"spool"`
	Unread  UnreadSummary      `json:"unread"`
	// Unknown describes the unknown part of the store's format. If it is set, the store was not checked.
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
	Files  int `json:"files"`     // files that wait for the owner
	Aside  int `json:"set_aside"` // unreadable files that were set aside earlier
	Broken int `json:"broken"`    // waiting files that cannot be read
	Newer  int `json:"newer"`     // waiting files of a newer program
}

// UnreadSummary describes intact records that no reader can use, such as an event of another build that does not fit its type. Readers
// leave them out, and a repair keeps them.
type UnreadSummary struct {
	Events uint64 `json:"events"`
	First  string `json:"first,omitempty"` // why the first of them cannot be read
}

// add adds a record, unless it can be read.
func (u *UnreadSummary) add(r record.Record) {
	e, foreign, err := journal.Decode(r)
	if err == nil && !foreign {
		_, err = events.Open(e)
	} else if err != nil {
		err = fmt.Errorf("#%d: %w", r.Seq, err)
	}
	if !errors.Is(err, events.ErrMalformed) {
		return
	}
	if u.Events++; u.Events == 1 {
		u.First = err.Error()
	}
}

// Repairable reports whether a rebuild helps, because the store or the archive is damaged. A broken spool file needs no rebuild: it is set
// aside.
func (i Inspection) Repairable() bool {
	return slices.ContainsFunc(i.Bad, func(b copies.Bad) bool { return damagedCopy(b) != "" })
}

// damagedCopy returns the copy that has a fault, empty if the fault is elsewhere. An event that only the head file promises counts as
// missing from the store.
func damagedCopy(b copies.Bad) string {
	switch b.Where {
	case inHead:
		return copies.Store
	case copies.Store, copies.Archive:
		return b.Where
	}
	return ""
}

// Bounds of the archive's delay behind the log, in events and time, also after an owner was killed.
const (
	maxBehind = 256
	copyTime  = 2 * time.Second
)

// lacksArchive reports whether the archive is missing. live is true if an owner runs. It may be about to write the archive, so lacksArchive
// waits for it, up to copyTime. An empty directory counts as missing only after a clean stop: an owner that was killed early leaves one.
func lacksArchive(dir string, live bool) bool {
	for end := time.Now().Add(copyTime); ; time.Sleep(copyTime / 20) {
		files, err := disk.ReadDir(filepath.Join(dir, archiveName))
		clean, _ := embedded.WasClean(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil, len(files) > 0, live, !clean:
			return false
		}
		if !live || time.Now().After(end) {
			return true
		}
	}
}

// Remember saves the damage that a repair would fix, for status and doctor.
func (i Inspection) Remember(dir string) error {
	var found []copies.Damage
	for _, b := range i.Bad {
		if where := damagedCopy(b); where != "" {
			found = append(found, copies.Damage{Where: where, First: b.Seq, Last: max(b.Seq, b.Last), What: b.String()})
		}
	}
	return copies.RememberDamage(dir, found)
}

// Further values of copies.Bad.Where.
const (
	inSpool = "spool"
	inHead  = "head"
)

// Inspect reads everything in a journal directory and changes nothing. It ignores records that a running owner writes meanwhile. progress,
// if not nil, gets the bytes of the store read so far, and their total. The error is an ObstacleError for an obstacle that no repair
// removes, that of ownership.Inspect, archive.Check or copies.Walk, or that of reading the spool.
func Inspect(ctx context.Context, dir string, progress func(done, total int64)) (Inspection, error) {
	i := Inspection{Bad: []copies.Bad{}, Losses: []projections.Loss{}}
	if err := ownership.Inspect(dir); err != nil {
		return i, err
	}
	unreadable, err := i.obstacles(dir)
	if err != nil {
		return i, err
	}
	// The head file and the archive are read before the store, so that everything in them must be in the store too.
	head := client.Head(dir)
	second, err := archive.Check(ctx, filepath.Join(dir, archiveName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !unreadable {
		return i, err
	}
	live := ownership.Held(dir)
	var missing [3]copies.Ranges // sequences that the store lacks, by Entry.Origin
	losses := copies.NewLossFold()
	found, err := copies.Walk(ctx, dir, progress, func(p copies.Entry) error {
		losses.Add(p.Record)
		if p.Origin != copies.Lost {
			i.Unread.add(p.Record)
		}
		// What the archive has got since it was checked is not missing: an owner has written it to the store too.
		if p.Origin == copies.Lost || p.Origin == copies.InArchive && p.Seq <= second.Last {
			missing[p.Origin].Add(p.Seq)
		}
		return nil
	})
	if err != nil {
		return i, err
	}
	damage := found.Store.Damage
	if live && len(damage) > 0 {
		if damage, err = confirmed(ctx, dir, damage); err != nil {
			return i, err
		}
	}
	if found.Store.Records == 0 && second.Records == 0 && head == 0 {
		// Nothing was ever stored. An owner is creating the log, or was killed while it did, and has not written the stream's description
		// yet.
		damage = slices.DeleteFunc(damage, func(d blocks.Damage) bool { return d.First == 0 && !strings.Contains(d.File, "/") })
	}
	i.Events, i.First, i.Last = found.Store.Records, found.Store.First, found.Store.Last
	i.Unknown = found.Store.Unknown
	i.Archive = ArchiveSummary{Events: second.Records, Last: second.Last, Segments: second.Segments, Bytes: second.Bytes}
	for _, b := range found.Impossible {
		i.bad(copies.Range{First: b.Seq, Last: b.Seq}, b.Where, b.What)
	}
	if i.Unknown == "" {
		i.store(damage, missing, found, head)
	}
	if second.Records == 0 && i.Events > 0 && !unreadable && (i.Events > maxBehind || lacksArchive(dir, live)) {
		i.bad(copies.Range{First: i.First, Last: i.Last}, copies.Archive, "there is none")
	}
	for _, d := range second.Damage {
		i.bad(copies.Range{First: d.First, Last: d.Last}, copies.Archive, d.Error())
	}
	if err := i.spool(dir); err != nil {
		return i, err
	}
	i.Losses = losses.All()
	i.OK = len(i.Bad) == 0 && i.Unknown == "" && copies.Unacknowledged(i.Losses) == 0
	return i, nil
}

// obstacles adds the obstacles in a directory. unreadable is true if the archive cannot be opened, in whole or in part. The error is an
// ObstacleError for an obstacle that no repair removes.
func (i *Inspection) obstacles(dir string) (unreadable bool, err error) {
	for _, o := range Obstacles(dir) {
		if o.Try != "" {
			return unreadable, &ObstacleError{o}
		}
		i.bad(copies.Range{}, o.Where, o.Err.Error())
		unreadable = unreadable || o.Where == copies.Archive
	}
	return unreadable, nil
}

// store adds the faults of the store, and the differences of the two copies. missing has the sequences that the store lacks, by origin.
// head is the sequence in the head file.
func (i *Inspection) store(damage []blocks.Damage, missing [3]copies.Ranges, found copies.Findings, head uint64) {
	for _, d := range damage {
		i.bad(copies.Range{First: d.First, Last: d.Last}, copies.Store, fmt.Sprintf("%s: %s", filepath.Base(d.File), d.What))
	}
	listed := func(r copies.Range) bool {
		return slices.ContainsFunc(damage, func(d blocks.Damage) bool { return d.First <= r.First && r.Last <= d.Last })
	}
	for origin, text := range [...]string{copies.InArchive: "missing; the archive has it", copies.Lost: "missing, and not in the archive"} {
		for _, r := range missing[origin] {
			if !listed(r) {
				i.bad(r, copies.Store, text)
			}
		}
	}
	for _, r := range found.Differ {
		i.bad(r, copies.Archive, "differs from the store")
	}
	if head > max(found.Store.Last, found.Reached) {
		i.bad(copies.Range{First: max(found.Store.Last, found.Reached) + 1, Last: head}, inHead, "remembered as stored, and in no copy")
	}
}

// bad adds a fault that affects some sequences, or none if r is zero.
func (i *Inspection) bad(r copies.Range, where, text string) {
	b := copies.Bad{Seq: r.First, Where: where, What: text}
	if r.Last > r.First {
		b.Last = r.Last
	}
	i.Bad = append(i.Bad, b)
	slices.SortStableFunc(i.Bad, func(a, b copies.Bad) int { return cmp.Compare(a.Seq, b.Seq) })
}

// confirmed returns the damage of a store in use that a second scan finds too: a record looks torn while it is written.
func confirmed(ctx context.Context, dir string, damage []blocks.Damage) ([]blocks.Damage, error) {
	s, ok, err := copies.StreamOf(dir)
	if err != nil || !ok {
		return damage, err
	}
	second, err := blocks.Scan(ctx, s, nil, nil)
	return slices.DeleteFunc(damage, func(d blocks.Damage) bool { return !slices.Contains(second.Damage, d) }), err
}

// spool checks the files in the spool.
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
		case errors.Is(err, fs.ErrNotExist): // an owner has stored the file meanwhile
			i.Spool.Files--
		case errors.Is(err, spool.ErrNewer):
			i.Spool.Newer++
		case err != nil:
			i.Spool.Broken++
			i.bad(copies.Range{}, inSpool, err.Error())
		}
	}
	return nil
}
