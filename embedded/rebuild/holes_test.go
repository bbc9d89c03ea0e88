package rebuild_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"testing"

	"journal/embedded/rebuild"
	"journal/journal/record"
)

// stray puts an open segment into the archive with one record, whose sequence is far beyond the others.
func (w *world) stray(r record.Record) {
	w.t.Helper()
	sum := func(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }
	le := binary.LittleEndian
	b := le.AppendUint64(le.AppendUint32([]byte("jarchive"), 4), r.Seq)
	b = append(b, make([]byte, 32)...)
	b = le.AppendUint32(b, sum(b))
	body := le.AppendUint64(nil, r.Seq)
	body = le.AppendUint16(le.AppendUint16(body, uint16(len(r.Subject))), uint16(len(r.ID)))
	body = append(append(append(body, r.Subject...), r.ID...), r.Data...)
	length := le.AppendUint32(nil, uint32(len(body)))
	b = le.AppendUint32(append(b, length...), sum(append(length, body...)))
	if err := os.WriteFile(w.path("archive", fmt.Sprintf("%016x.open", r.Seq)), append(b, body...), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// A file in the archive does not decide how many marks are written: a record with an impossible sequence is reported, left out of the log,
// and kept aside.
func TestAPlaceThatCannotBeTrue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0, wishes(t, 12, 10)...)
	far := w.all[3]
	far.Seq = 4_000_000_000
	w.stray(far)
	if i := w.inspect(); i.OK || !i.Repairable() || i.Bad[len(i.Bad)-1].Seq != far.Seq {
		t.Fatalf("inspection %+v", i)
	}
	r := w.rebuild(rebuild.Options{})
	if r.Events != 13 || len(r.Gaps) > 0 || r.LostTail != nil || !r.Archive {
		t.Errorf("result %+v", r)
	}
	if i := w.inspect(); !i.OK || i.Archive.Last != 13 {
		t.Errorf("after: %+v", i)
	}
	if n := len(rebuild.Suspects(w.dir)); n != 2 {
		t.Errorf("%d replaced copies, want 2", n)
	}
	w.wantKept(nil, repaired)
}

// Every sequence up to that in the head file is possible, however many are lost before it.
func TestAFarPlaceThatIsRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0, wishes(t, 12, 10)...)
	far := w.all[3]
	far.Seq = 10_000_014
	w.stray(far)
	lost := func() (n uint64) {
		for _, b := range w.inspect().Bad {
			if b.Where == "store" && b.Last > 0 {
				n += b.Last - b.Seq + 1
			}
		}
		return n
	}
	if n := lost(); n != 0 {
		t.Errorf("%d records are lost before a place that cannot be true", n)
	}
	w.writeHead(int(far.Seq))
	if n := lost(); n != far.Seq-13 {
		t.Errorf("%d records are lost before #%d", n, far.Seq)
	}
}
