package snapshot

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/vmihailenco/msgpack/v5"

	"journal/projections"
)

// magic begins every snapshot; its number is that of the format.
const magic = "journal snapshot 1\n"

// ErrUnusable is returned for bytes that are no snapshot, were changed, or were
// made by a program that folds differently.
var ErrUnusable = errors.New("unusable snapshot")

// Place says where in which log a snapshot was taken.
type Place struct {
	Stream string // name of the stream, with its epoch
	Seq    uint64 // of the last event that was applied
	Record string // digest of what is stored there
}

// Snapshot is the state of every declared projection for one lane at a place of a
// log. It is read-only.
type Snapshot struct {
	Place  Place
	Target projections.Target
	Config projections.Config

	state []byte
}

// body is what a snapshot holds behind its digest.
type body struct {
	Place      Place
	Target     projections.Target
	Config     projections.Config
	Definition string
	State      []byte
}

// Encode gives the snapshot of a fold of every declared projection, so that any of
// them can be restored from it. The configuration is that of the fold, and the
// place where it stands.
func Encode(f *projections.Fold, c projections.Config, at Place) ([]byte, error) {
	state, err := f.Encode()
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	b, err := msgpack.Marshal(body{at, f.Target(), c, definition(), state})
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	sum := sha256.Sum256(b)
	return bytes.Join([][]byte{[]byte(magic), sum[:], b}, nil), nil
}

// Decode reads a snapshot. The error is ErrUnusable.
func Decode(b []byte) (Snapshot, error) {
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok || len(rest) < sha256.Size {
		return Snapshot{}, fmt.Errorf("%w: not of this format", ErrUnusable)
	}
	sum, rest := rest[:sha256.Size], rest[sha256.Size:]
	if is := sha256.Sum256(rest); !bytes.Equal(is[:], sum) {
		return Snapshot{}, fmt.Errorf("%w: its digest is another", ErrUnusable)
	}
	var d body
	if err := msgpack.Unmarshal(rest, &d); err != nil {
		return Snapshot{}, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	if d.Definition != definition() {
		return Snapshot{}, fmt.Errorf("%w: of other projections", ErrUnusable)
	}
	return Snapshot{Place: d.Place, Target: d.Target, Config: d.Config, state: d.State}, nil
}

// Fold gives a new fold of some projections that stands where the snapshot was
// taken. The error is ErrUnusable.
func (s Snapshot) Fold(ps ...projections.Projection) (*projections.Fold, error) {
	f := projections.NewFold(s.Target, s.Config, ps...)
	if err := f.Restore(s.state); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	if f.Seq() != s.Place.Seq {
		return nil, fmt.Errorf("%w: it stands at #%d and says #%d", ErrUnusable, f.Seq(), s.Place.Seq)
	}
	return f, nil
}
