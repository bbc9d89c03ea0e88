package peers_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/team"
	"journal/embedded/team/chunk"
	"journal/embedded/team/hub"
	"journal/embedded/team/peers"
	"journal/events"
	"journal/journal/record"
)

const device = "0a0a0a0a"

// said are records of a log from one number to another.
func said(first, last uint64) (all []record.Record) {
	for seq := first; seq <= last; seq++ {
		all = append(all, record.Record{Seq: seq, Subject: "journal.web.s.prompt.submitted", ID: fmt.Sprint("id-", seq), Data: fmt.Appendf(nil, "said %d", seq)})
	}
	return all
}

// What a member did not sign, or signed for another place, is refused: altered, moved, repeated, left out, or of
// somebody else; and who is in the team is what whoever invites says.
func TestOnlyWhatIsSignedIsRead(t *testing.T) {
	t.Parallel()
	head := func(copy int, first, last uint64, before []byte) chunk.Head {
		return chunk.Head{Team: "acme", Member: "alice", Device: device, Copy: copy, First: first, Last: last, Before: before}
	}
	for name, c := range map[string]struct {
		good   bool
		chunks func(sign func(chunk.Head) []byte, eve func(chunk.Head) []byte) [][]byte
	}{
		"as it was": {true, func(sign, _ func(chunk.Head) []byte) [][]byte {
			a := sign(head(1, 1, 3, nil))
			return [][]byte{a, sign(head(1, 4, 9, chunk.Hash(a)))}
		}},
		"altered": {false, func(sign, _ func(chunk.Head) []byte) [][]byte {
			a := sign(head(1, 1, 3, nil))
			a[len(a)-1] ^= 1
			return [][]byte{a}
		}},
		"of another":      {false, func(_, eve func(chunk.Head) []byte) [][]byte { return [][]byte{eve(head(1, 1, 3, nil))} }},
		"of another copy": {false, func(sign, _ func(chunk.Head) []byte) [][]byte { return [][]byte{sign(head(2, 1, 3, nil))} }},
		"repeated": {false, func(sign, _ func(chunk.Head) []byte) [][]byte {
			a := sign(head(1, 1, 3, nil))
			return [][]byte{a, a}
		}},
		"without its beginning": {false, func(sign, _ func(chunk.Head) []byte) [][]byte {
			return [][]byte{sign(head(1, 4, 9, chunk.Hash(sign(head(1, 1, 3, nil)))))}
		}},
		"with another before": {false, func(sign, _ func(chunk.Head) []byte) [][]byte {
			return [][]byte{sign(head(1, 1, 3, nil)), sign(head(1, 4, 9, chunk.Hash([]byte("another"))))}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
			alice, eve := h.Member(t, "alice"), h.Member(t, "eve")
			h.Start(t)
			h.Announced(t)
			by := func(m team.Member) func(chunk.Head) []byte {
				return func(is chunk.Head) []byte {
					key, err := m.Key.Pair()
					must(t, err)
					b, err := chunk.Encode(is, said(is.First, is.Last), key)
					must(t, err)
					return b
				}
			}
			nc := hubtest.As(t, alice)
			for _, b := range c.chunks(by(alice), by(eve)) {
				_, err := nc.Request(team.Put+device+".1", b, testutil.Patience)
				must(t, err)
			}
			reader, err := peers.Reach(t.Context(), eve)
			must(t, err)
			defer reader.Close()
			n := uint64(0)
			all, err := reader.Copies(t.Context(), "alice")
			if err == nil {
				log, readErr := all[0].Log(t.Context())
				if err = readErr; err == nil {
					for r, err := range log.Stored(t.Context(), events.Span{}) {
						must(t, err)
						if n++; r.Seq != n || string(r.Data) != fmt.Sprint("said ", n) {
							t.Errorf("#%d is #%d %q", n, r.Seq, r.Data)
						}
					}
				}
			}
			if c.good != (err == nil) || c.good != (n == 9) {
				t.Errorf("%d events are read, error %v", n, err)
			}
			other := eve
			other.Issuer = newHubIssuer(t)
			_, err = peers.Reach(t.Context(), other)
			testutil.WantError(t, err, team.ErrRoster)
		})
	}
}

// newHubIssuer is the public key of who invites to another hub.
func newHubIssuer(t *testing.T) string {
	return hubtest.New(t, filepath.Join(t.TempDir(), "other"), hub.Hub{}, 1).Member(t, "eve").Issuer
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
