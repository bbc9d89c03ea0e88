package blocks

import (
	"context"
	"fmt"

	"journal/journal/record"
)

// Damage is a part of a stream that was changed or lost after it was written.
type Damage struct {
	First, Last uint64 // sequences that cannot be read; 0, 0 for none
	File        string // name below the stream's directory, with slashes
	Offset      int64  // in the file
	What        string // for people
}

func (d Damage) String() string {
	switch {
	case d.First == 0:
		return fmt.Sprintf("%s: %s", d.File, d.What)
	case d.First == d.Last:
		return fmt.Sprintf("#%d: %s at byte %d: %s", d.First, d.File, d.Offset, d.What)
	}
	return fmt.Sprintf("#%d to #%d: %s at byte %d: %s", d.First, d.Last, d.File, d.Offset, d.What)
}

// Summary is the result of a scan.
type Summary struct {
	Blocks      int
	Bytes       int64  // of the blocks
	Records     uint64 // good ones
	First, Last uint64 // sequences of the good ones; 0, 0 if there are none
	Damage      []Damage
	// Torn is the number of bytes after the last good record of the last block that form no whole record. They are from an interrupted
	// write, or from lost records. Only the head file, which has the newest sequence, distinguishes the two cases.
	Torn int64
	// Interrupted is true if the only damage is a wrong checksum of the newest record, and the length of that record is right. A power cut
	// has this effect on file systems that extend a file before they write the bytes. The record may have been acknowledged.
	Interrupted bool
	// Unknown describes the unknown part of the format. If it is set, the scan ended there.
	Unknown string
}

// Scan reads every block of a stream and calls visit, if not nil, with the good records in order. Data is valid only during the call.
// After damage it continues with the next good record, and lists the sequences between. progress, if not nil, gets the bytes read so
// far and their total. A million events of 400 bytes take 0.25 s: memory is the limit (BenchmarkScan). Damage is not an error; the
// error is that of visit, of ctx, of a directory that cannot be listed, or of a machine without file descriptors or memory.
func Scan(ctx context.Context, s Stream, progress func(done, total int64), visit func(record.Record) error) (Summary, error) {
	c := collector{visit: visit}
	var unknown string
	var err error
	if c.report.Damage, unknown, err = s.checkDescription(); err != nil {
		return c.report, err
	}
	if unknown != "" {
		c.report.Unknown = unknown
		return c.report, nil
	}
	blocks, err := s.blocks()
	if err != nil {
		return c.report, err
	}
	total := int64(0)
	for _, b := range blocks {
		total += b.size
	}
	var result inspection
	for i, b := range blocks {
		if err := ctx.Err(); err != nil {
			return c.report, err
		}
		result = s.scan(b, result) // reuses its memory, because fresh pages cost more than reading into them
		if err := c.add(result, i == len(blocks)-1); err != nil || c.report.Unknown != "" {
			return c.report, err
		}
		if progress != nil {
			progress(c.report.Bytes, total)
		}
	}
	return c.report, ctx.Err()
}

// collector combines the results of the blocks.
type collector struct {
	report Summary
	visit  func(record.Record) error // may be nil
	last   uint64                    // everything up to this sequence was seen or reported
}

// add adds the next block. newest is true for the last one.
func (c *collector) add(r inspection, newest bool) error {
	c.report.Blocks++
	c.report.Bytes += int64(len(r.content))
	switch {
	case r.unknown != "":
		c.report.Unknown = r.unknown
		return nil
	case r.err != nil:
		return r.err
	case r.fault != "":
		c.damage(Damage{File: r.block.name, What: r.fault})
		return nil
	}
	gaps := r.gaps
	for i, rec := range r.records {
		missing := Damage{File: r.block.name, Offset: int64(rec.offset), What: "missing"}
		if len(gaps) > 0 && gaps[0].next == i {
			missing.Offset, missing.What = int64(gaps[0].offset), "bytes that are no record"
			if rec.seq == c.last+1 {
				c.damage(missing)
			}
			gaps = gaps[1:]
		}
		if err := c.record(r, rec, missing); err != nil {
			return err
		}
	}
	c.tail(r, newest)
	return nil
}

// record adds a good record. missing is the damage to report before the record if its sequence is not the next one.
func (c *collector) record(r inspection, rec recordInfo, missing Damage) error {
	if rec.seq > c.last+1 {
		missing.First, missing.Last = c.last+1, rec.seq-1
		c.damage(missing)
	}
	if rec.deleted {
		// Only the server writes such records, for messages that it lost: the streams of a journal deny deletion.
		c.damage(Damage{First: rec.seq, Last: rec.seq, File: r.block.name, Offset: int64(rec.offset), What: "marked as deleted"})
		c.last = max(c.last, rec.seq)
		return nil
	}
	if rec.seq <= c.last {
		c.damage(Damage{File: r.block.name, Offset: int64(rec.offset), What: fmt.Sprintf("#%d again, behind #%d", rec.seq, c.last)})
		return nil
	}
	c.last = rec.seq
	if rec.erased {
		c.damage(Damage{First: rec.seq, Last: rec.seq, File: r.block.name, Offset: int64(rec.offset), What: "erased"})
		return nil
	}
	if rec.misfit {
		c.damage(Damage{File: r.block.name, Offset: int64(rec.offset), What: fmt.Sprintf("#%d: the length of its headers is wrong", rec.seq)})
	}
	if c.report.First == 0 {
		c.report.First = rec.seq
	}
	c.report.Last = rec.seq
	c.report.Records++
	if c.visit == nil {
		return nil
	}
	return c.visit(rec.record(r.content))
}

// tail adds the bytes after the last good record of a block.
func (c *collector) tail(r inspection, newest bool) {
	if r.torn == 0 {
		return
	}
	offset := int64(len(r.content)) - r.torn
	switch {
	case newest && r.endsInRecord():
		c.report.Interrupted = len(c.report.Damage) == 0
		c.damage(Damage{First: c.last + 1, Last: c.last + 1, File: r.block.name, Offset: offset, What: "the checksum of the newest record does not hold"})
	case newest:
		c.report.Torn = r.torn
	case !r.endsInZeros():
		// The records in these bytes are reported as missing before the first record of the next block.
		c.damage(Damage{File: r.block.name, Offset: offset, What: "bytes that are no record"})
	}
}

func (c *collector) damage(d Damage) { c.report.Damage = append(c.report.Damage, d) }
