package blocks_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"journal/embedded/store/blocks"
)

// fates lists what may happen to a record in a block.
var fates = []string{"good", "good", "good", "altered", "cut out", "behind other bytes", "behind zeros", "erased", "deleted", "its headers are longer", "twice"}

// written returns the bytes in a block for a record with a fate, and where in them the record begins.
func written(t *testing.T, s blocks.Stream, block int, seq uint64, fate string) (b []byte, at int) {
	t.Helper()
	const headers = "NATS/1.0\r\nNats-Msg-Id: %d\r\n\r\n"
	h, marks, longer := fmt.Sprintf(headers, seq), uint64(0), 0
	switch fate {
	case "erased":
		marks = blocks.Erased
	case "deleted":
		marks = blocks.Deleted
	case "its headers are longer":
		longer = 3
	}
	one := blocks.Record(s, block, seq|marks, "journal.p.s.prompt", h, fmt.Sprintf("data of %d", seq), len(h)+longer)
	switch fate {
	case "altered":
		one[len(one)-12] ^= 1
	case "cut out":
		return nil, 0
	case "behind other bytes":
		return append([]byte(strings.Repeat("\xee", 13)), one...), 13
	case "behind zeros":
		return append(make([]byte, 64), one...), 64
	case "twice":
		return slices.Concat(one, one), 0
	}
	return one, 0
}

// Whatever happened to some records, the others are read in order. The damage has exactly the lost ones, and each place with other bytes.
// CheckNext finds the same, and what is missing at the end.
func TestDamageIsExact(t *testing.T) {
	t.Parallel()
	s, _ := store(t, 1, 10)
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 600 {
		var story []string
		var want []uint64            // sequences that are read
		places := map[string]int64{} // where bytes stand that are no record, by file
		lost := map[uint64]bool{}
		seq, notes, newest, begun := uint64(0), 0, 0, false
		count := 1 + rnd.IntN(3)
		var unsaid []uint64 // lost at the very end, where nothing tells that they were
		for block := 1; block <= count; block++ {
			var content []byte
			name := fmt.Sprintf("msgs/%d.blk", block)
			for range 1 + rnd.IntN(3) {
				seq++
				fate := fates[rnd.IntN(len(fates))]
				story = append(story, fmt.Sprintf("%d/%d %s", block, seq, fate))
				b, _ := written(t, s, block, seq, fate)
				switch fate {
				case "altered", "cut out":
					lost[seq] = true
					unsaid = append(unsaid, seq)
				case "erased", "deleted":
					lost[seq], unsaid = true, nil
				default:
					if fate == "behind other bytes" || fate == "behind zeros" {
						places[name] = int64(len(content))
					}
					if fate == "its headers are longer" || fate == "twice" {
						notes++
					}
					want, unsaid = append(want, seq), nil
				}
				content = append(content, b...)
			}
			put(t, s, name, content)
			newest, begun = block, len(content) == 0
		}
		last := strings.HasSuffix(story[len(story)-1], " altered")
		about := strings.Join(story, ", ")
		r, got := scan(t, s)
		var read []uint64
		for _, m := range got {
			read = append(read, m.Seq)
			if m.ID != fmt.Sprint(m.Seq) || m.Data != fmt.Sprintf("data of %d", m.Seq) || m.Subject != "journal.p.s.prompt" {
				t.Errorf("%s: %+v", about, m)
			}
		}
		if !slices.Equal(read, want) || r.Blocks != newest || r.Records != uint64(len(want)) || len(want) > 0 && (r.First != want[0] || r.Last != want[len(want)-1]) {
			t.Errorf("%s: read %v, want %v; %+v", about, read, want, r)
		}
		named := map[uint64]bool{}
		for _, d := range r.Damage {
			for seq := d.First; seq <= d.Last && seq > 0; seq++ {
				named[seq] = true
			}
			if d.First == 0 {
				notes--
			}
		}
		// At the very end only a record that stands there in full is known to have been one.
		for i, seq := range unsaid {
			if named[seq] && !(i == 0 || named[unsaid[i-1]]) {
				t.Errorf("%s: #%d is named, the one before is not", about, seq)
			}
			if last && len(unsaid) == 1 && (!named[seq] || r.Interrupted != (len(r.Damage) == 1)) {
				t.Errorf("%s: the newest record: %+v", about, r)
			}
			named[seq] = true
		}
		if !sameKeys(named, lost) {
			t.Errorf("%s: %v named, %v lost: %v", about, named, lost, r.Damage)
		}
		if len(lost) == 0 && notes != -len(placesOf(story)) {
			t.Errorf("%s: %d places are not named, of %d: %v", about, notes, len(placesOf(story)), r.Damage)
		}
		if len(lost) == 0 && len(places) == 1 && len(placesOf(story)) == 1 {
			for name, at := range places {
				if !slices.ContainsFunc(r.Damage, func(d blocks.Damage) bool { return d.File == name && d.Offset == at && d.First == 0 }) {
					t.Errorf("%s: %s from byte %d on: %v", about, name, at, r.Damage)
				}
			}
		}
		checked := map[uint64]bool{}
		var place blocks.Check
		for more := true; more; {
			var found []blocks.Damage
			var err error
			if found, more, err = s.CheckNext(t.Context(), &place, seq, func(int) error { return nil }); err != nil {
				t.Fatal(about, err)
			}
			for _, d := range found {
				for seq := d.First; seq <= d.Last && seq > 0; seq++ {
					checked[seq] = true
				}
			}
		}
		upTo := newest
		if begun { // a block with nothing in it is not checked yet
			upTo--
		}
		if !sameKeys(checked, lost) || place.Block != upTo {
			t.Errorf("%s: checking named %v, lost are %v, up to %+v", about, checked, lost, place)
		}
		for block := 1; block <= newest; block++ {
			if err := os.Remove(filepath.Join(s.Dir, "msgs", fmt.Sprintf("%d.blk", block))); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func placesOf(story []string) (all []string) {
	for _, s := range story {
		if strings.Contains(s, "behind") {
			all = append(all, s)
		}
	}
	return all
}

func sameKeys(a, b map[uint64]bool) bool {
	for seq := range a {
		if !b[seq] {
			return false
		}
	}
	return len(a) == len(b)
}

// CheckNext continues after the last checked block, and passes every byte of a long block to pace.
func TestCheckNext(t *testing.T) {
	t.Parallel()
	s, _ := store(t, 5000, 4000) // three blocks
	var place blocks.Check
	bytes, looks := 0, 0
	for more := true; more; looks++ {
		found, next, err := s.CheckNext(t.Context(), &place, 5000, func(n int) error { bytes += n; return nil })
		if err != nil || found != nil {
			t.Fatalf("%v, %v", found, err)
		}
		more = next
	}
	r, _ := scan(t, s)
	if place.Seq != 5000 || place.Block != r.Blocks || looks != r.Blocks+1 || int64(bytes) > r.Bytes || int64(bytes) < r.Bytes-int64(r.Blocks)*512<<10 {
		t.Errorf("%d looks, %d of %d bytes: %+v", looks, bytes, r.Bytes, place)
	}
	// More was acknowledged than the files have.
	if found, more, err := s.CheckNext(t.Context(), &place, 5003, func(int) error { return nil }); err != nil || more || len(found) != 1 || found[0].First != 5001 || found[0].Last != 5003 {
		t.Errorf("%v, %v, %v", found, more, err)
	}
	// A block whose check pace has ended is read again.
	place = blocks.Check{}
	if _, _, err := s.CheckNext(t.Context(), &place, 5000, func(int) error { return os.ErrDeadlineExceeded }); err == nil || place != (blocks.Check{}) {
		t.Errorf("the pace ended it: %v, %+v", err, place)
	}
	put(t, s, "meta.key", []byte("x"))
	if _, _, err := s.CheckNext(t.Context(), &place, 5000, func(int) error { return nil }); err == nil {
		t.Error("what cannot be judged is not an error")
	}
}

// Files returns the description and the blocks that exist, and the text of damage has its place.
func TestFiles(t *testing.T) {
	t.Parallel()
	s, _ := store(t, 20, 100)
	for _, name := range []string{"meta.sum", "meta.inf", ""} {
		want := []string{"meta.inf", "meta.sum", "msgs/1.blk"}
		if name != "" {
			b := file(t, s, name)
			if err := os.Remove(filepath.Join(s.Dir, name)); err != nil {
				t.Fatal(err)
			}
			want = slices.DeleteFunc(want, func(s string) bool { return s == name })
			defer put(t, s, name, b)
		} else {
			want = []string{"msgs/1.blk"}
		}
		if name == "meta.inf" { // meta.sum is gone by now
			want = []string{"msgs/1.blk"}
		}
		got, err := s.Files()
		if err != nil || len(got) != len(want) {
			t.Errorf("without %q: %v, %v; want %v", name, got, err, want)
		}
		for i := range got {
			if got[i] != filepath.Join(s.Dir, want[i]) {
				t.Errorf("without %q: %s, want %s", name, got[i], want[i])
			}
		}
	}
	for want, d := range map[string]blocks.Damage{
		"meta.inf: missing":                          {File: "meta.inf", What: "missing"},
		"#7: msgs/1.blk at byte 70: erased":          {First: 7, Last: 7, File: "msgs/1.blk", Offset: 70, What: "erased"},
		"#7 to #9: msgs/1.blk at byte 70: no record": {First: 7, Last: 9, File: "msgs/1.blk", Offset: 70, What: "no record"},
	} {
		if d.String() != want {
			t.Errorf("%q, want %q", d, want)
		}
	}
}

// Sync fails for a missing store. For another one it works, also again and with a further block.
func TestNames(t *testing.T) {
	t.Parallel()
	s, _ := store(t, 20, 100)
	n := s.DirSyncer()
	for _, next := range []string{"", "", "msgs/2.blk", "msgs/3.blk"} {
		if next != "" {
			put(t, s, next, nil)
		}
		if err := n.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("a directory that is open cannot be renamed")
	}
	msgs := filepath.Join(s.Dir, "msgs")
	if err := os.Rename(msgs, msgs+".away"); err != nil {
		t.Fatal(err)
	}
	if err := s.DirSyncer().Sync(); err == nil {
		t.Error("the names of a store that is not there are durable")
	}
	put(t, s, "msgs", nil)
	if err := n.Sync(); err == nil {
		t.Error("a file holds blocks with durable names")
	}
}
