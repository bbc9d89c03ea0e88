package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// sums are the digests of the dictionaries: a message that was compressed with one must stay
// readable, so none is changed or removed.
var sums = map[string]string{
	"32769.zdict": "1c46ddeecbf327ce8fabf7700587d844bf9b045efd3db320907f00c25653098f",
}

func TestDictionariesAreAsTheyWere(t *testing.T) {
	t.Parallel()
	files, err := dictionaries.ReadDir("dictionaries")
	if err != nil {
		t.Fatal(err)
	}
	newest := ""
	for _, f := range files {
		b, err := dictionaries.ReadFile("dictionaries/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(b)
		if got := hex.EncodeToString(sum[:]); got != sums[f.Name()] {
			t.Errorf("%s has the digest %s", f.Name(), got)
		}
		newest = max(newest, f.Name())
	}
	if len(files) != len(sums) || newest != fmt.Sprintf("%d.zdict", Dictionary) {
		t.Errorf("%d dictionaries up to %s, want %d up to %d", len(files), newest, len(sums), Dictionary)
	}
}

// sample returns the beginning of an encoded event, with n repetitions of a text.
func sample(n int) []byte {
	return append([]byte("\x8c\xa1v\x01\xa2id\xd9$01a20089-a53a-715c-95b8-2ead17a7d3d8\xa4type\xactool.started"), strings.Repeat(" go test ./...", n)...)
}

// Unpack restores every record, also one whose data only looks compressed.
func TestUnpackIsTheInverse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var data []byte
		if rapid.Bool().Draw(t, "looks compressed") {
			data = append(data, magic...)
		}
		data = append(data, rapid.SliceOfN(rapid.Byte(), 0, 400).Draw(t, "bytes")...)
		data = append(data, sample(rapid.IntRange(0, 600).Draw(t, "repetitions"))...)
		r := Record{Seq: 7, Subject: "journal.p.s.t", ID: rapid.SampledFrom([]string{"", "i"}).Draw(t, "id"), Data: bytes.Clone(data)}
		stored := r
		packed := false
		var err error
		if stored.Data, packed, err = r.Pack(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(r.Data, data) {
			t.Fatal("Pack wrote into the data")
		}
		if packed != stored.Packed() {
			t.Fatalf("Pack says %v, Packed %v", packed, stored.Packed())
		}
		again, err := stored.Unpack()
		if err != nil || again.ID != r.ID || again.Seq != r.Seq || !bytes.Equal(again.Data, data) {
			t.Fatalf("%d bytes come back as %d, error %v", len(data), len(again.Data), err)
		}
	})
}

func TestPackLeavesAloneWhatGainsNothing(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 2000)
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(noise)
	for name, r := range map[string]Record{
		"short": {ID: "i", Data: sample(3)},
		"noise": {ID: "i", Data: noise},
		"no id": {Data: sample(100)},
	} {
		if data, packed, err := r.Pack(); packed || err != nil || !bytes.Equal(data, r.Data) {
			t.Errorf("%s: packed %v, error %v", name, packed, err)
		}
	}
	long := Record{ID: "i", Data: sample(100)}
	if data, packed, err := long.Pack(); !packed || err != nil || len(data) > 100 {
		t.Errorf("%d bytes are packed into %d, error %v", len(long.Data), len(data), err)
	}
}

// A message of a later program's dictionary is not called damaged.
func TestUnpackRefuses(t *testing.T) {
	t.Parallel()
	r := Record{Seq: 5, ID: "i", Data: sample(40)}
	var err error
	if r.Data, _, err = r.Pack(); err != nil {
		t.Fatal(err)
	}
	later := Record{Seq: 5, ID: "i", Data: bytes.Clone(r.Data)}
	later.Data[6]++ // the dictionary's id, behind the magic, what follows it, and the window
	if _, err := later.Unpack(); !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), "#5") {
		t.Errorf("another dictionary: %v", err)
	}
	cut := Record{Seq: 5, ID: "i", Data: r.Data[:len(r.Data)-3]}
	if same, err := cut.Unpack(); !errors.Is(err, ErrPacked) || !bytes.Equal(same.Data, cut.Data) {
		t.Errorf("cut off: %v", err)
	}
	huge := Record{ID: "i", Data: bytes.Repeat([]byte("x"), maxPlain+1)}
	if huge.Data, _, err = huge.Pack(); err != nil {
		t.Fatal(err)
	}
	if _, err := huge.Unpack(); !errors.Is(err, ErrPacked) {
		t.Errorf("more than %d bytes: %v", maxPlain, err)
	}
}

// What this version stores is read by every later one.
func TestGoldenMessage(t *testing.T) {
	t.Parallel()
	const golden = "28b52ffd420001805700bd010024028c38392d613533612d373135632d393562382d3265616431376137643364382e2e2e0530074135504031a02338909c0f4e4ec6b902"
	stored, err := hex.DecodeString(golden)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Record{ID: "i", Data: stored}.Unpack()
	if err != nil || !bytes.Equal(r.Data, sample(20)) {
		t.Errorf("%q, error %v", r.Data, err)
	}
}

func TestPackAndUnpackAtOnce(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 50 {
				r := Record{ID: "i", Data: sample(20 + i*n)}
				want := r.Data
				var err error
				if r.Data, _, err = r.Pack(); err == nil {
					r, err = r.Unpack()
				}
				if err != nil || !bytes.Equal(r.Data, want) {
					t.Errorf("%v", err)
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkPack(b *testing.B) {
	r := Record{ID: "i", Data: sample(40)}
	for b.Loop() {
		if _, _, err := r.Pack(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUnpack(b *testing.B) {
	r := Record{ID: "i", Data: sample(40)}
	r.Data, _, _ = r.Pack()
	for b.Loop() {
		if _, err := r.Unpack(); err != nil {
			b.Fatal(err)
		}
	}
}
