package codex

import (
	"bytes"
	"cmp"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/journal/agents/transcript"
	"journal/journal/disk"
)

// copies separates the copied rows at the beginning of a rollout from the rollout's own. Rollouts of forks, and of subagents that know
// their parent's conversation, begin with copies of the parent's rows, often with new times. Rows with the parent's payloads, in the
// parent's order, are copies. If the parent's rollout is missing, the times of the rows decide. It is not safe for concurrent use.
type copies struct {
	path      string   // the rollout
	begun     bool     // the row that names the parent was read
	firstTorn bool     // the first row was torn
	ended     bool     // the copied rows have ended
	parent    []uint64 // digests of the parent's payloads after the newest copied row; nil if the times decide
	// watching is set if an agent may wait while a row is read. Then a goroutine computes the digests of a large parent and sends them
	// to digests. In all other cases digests is nil.
	watching     bool
	digests      chan []uint64
	heldBytes    int       // size of held while rows wait for digests
	began        time.Time // time of the row that names the parent
	otherSession bool      // a session_meta of another session was read
	previous     time.Time // time of the newest row that is a copy or may be one
	turnEnded    bool      // the copies include the end of a turn
	held         [][]byte  // rows after the newest copied one that may be copies
}

const (
	maxHeld      = 1024                   // rows in held while no rows wait for digests
	maxHeldBytes = 32 << 20               // size of held while rows wait for digests
	parentBytes  = 1 << 20                // the largest parent that is read while an agent may wait, in bytes: that takes 3 ms
	burst        = 100 * time.Millisecond // the longest time between two rows of a copy
)

// add adds the next row, and returns the rows of which it is now certain that they are not copies.
func (c *copies) add(b []byte) (own [][]byte) {
	if c.ended {
		return [][]byte{b}
	}
	row, err := parse(b)
	switch {
	case !c.begun:
		return c.first(b, row)
	case c.digests != nil:
		return c.wait(b)
	case err != nil:
		return c.hold(b)
	case c.parent != nil:
		return c.match(b, row)
	}
	return c.byTime(b, row)
}

// first handles the rows up to the one that names the parent. If the first row is torn, a session_meta of another session after it is a
// copy of the parent's first row, and so names the parent.
func (c *copies) first(b []byte, r row) [][]byte {
	thread := threadIn(c.path)
	switch {
	case thread == "" || r.Type == "session_meta" && (!c.firstTorn || r.Payload.ID == thread):
		c.begin(r)
	case r.Type == "session_meta":
		c.begin(row{Type: "session_meta", at: r.at, Payload: rowPayload{Forked: r.Payload.ID}})
		return nil
	case !c.firstTorn:
		c.firstTorn = true
		if head := tornHead(c.path, b); cmp.Or(head.Payload.Forked, head.Payload.parentThread()) != "" {
			c.begin(head)
		}
	default:
		c.ended = true
	}
	return [][]byte{b}
}

// begin handles the row that may name the parent.
func (c *copies) begin(row row) {
	c.begun, c.began = true, row.at
	parent := cmp.Or(row.Payload.Forked, row.Payload.parentThread())
	if row.Type != "session_meta" || parent == "" {
		c.ended = true
		return
	}
	path := rolloutOf(c.path, parent)
	if path == "" {
		return
	}
	if info, err := os.Stat(path); err == nil && c.watching && info.Size() > parentBytes {
		digests := make(chan []uint64, 1)
		go func() { digests <- payloadDigests(path) }()
		c.digests = digests
		return
	}
	c.parent = payloadDigests(path)
}

// wait holds rows until the parent's digests are there. If the held rows exceed maxHeldBytes, the times decide.
func (c *copies) wait(b []byte) (own [][]byte) {
	c.held, c.heldBytes = append(c.held, bytes.Clone(b)), c.heldBytes+len(b)
	select {
	case c.parent = <-c.digests:
	default:
		if c.heldBytes <= maxHeldBytes {
			return nil
		}
	}
	held := c.held
	c.held, c.digests = nil, nil
	for _, row := range held {
		own = append(own, c.add(row)...)
	}
	return own
}

// hold keeps a row that may be a copy. If it holds more than maxHeld rows, none of them is a copy.
func (c *copies) hold(b []byte) [][]byte {
	c.held = append(c.held, bytes.Clone(b))
	if len(c.held) > maxHeld {
		return c.end()
	}
	return nil
}

// end ends the copied rows. The held rows are not copies.
func (c *copies) end() (own [][]byte) {
	own, c.held, c.ended, c.parent = c.held, nil, true, nil
	return own
}

// match compares a row with the parent's rows. Some of the parent's rows have no copy, and some copies differ: rows that are not of the
// conversation.
func (c *copies) match(b []byte, row row) [][]byte {
	digest := payloadDigest(b)
	for i, d := range c.parent {
		if d == digest {
			c.parent, c.held = c.parent[i+1:], nil
			return nil
		}
	}
	if own := c.hold(b); own != nil || !isConversation(row) {
		return own
	}
	return c.end()
}

// isConversation reports whether a row belongs to the conversation. Such a row is a copy only if the parent has a row with its payload.
func isConversation(row row) bool {
	switch row.Payload.Type {
	case "task_started", "user_message", "agent_message", "item_completed", "task_complete":
		return true
	}
	return row.Type == "response_item" || row.Type == "compacted"
}

// byTime decides by the times of rows. Rows from before the beginning of the rollout are copies. Rows that follow the session_meta of
// another session at intervals of at most burst are copies too, up to the last end of a turn among them. Without such an end they are
// copies up to the newest beginning of a turn.
func (c *copies) byTime(b []byte, row row) [][]byte {
	if row.at.Before(c.began) {
		c.previous = row.at
		return nil
	}
	if row.Type == "session_meta" {
		c.otherSession, c.previous = true, row.at
		return nil
	}
	if !c.otherSession || row.at.Sub(c.previous) > burst {
		if !c.turnEnded && c.otherSession {
			c.held = c.held[c.lastTurn():]
		}
		return append(c.end(), bytes.Clone(b))
	}
	c.previous = row.at
	if row.Payload.Type == "task_complete" || row.Payload.Type == "turn_aborted" {
		c.turnEnded, c.held = true, nil
		return nil
	}
	return c.hold(b)
}

// lastTurn returns the index in held at which the newest turn begins, 0 if held has no beginning of a turn.
func (c *copies) lastTurn() int {
	for i := len(c.held) - 1; i >= 0; i-- {
		if row, err := parse(c.held[i]); err == nil && row.Payload.Type == "task_started" {
			return i
		}
	}
	return 0
}

// payloadDigests returns the digests of the payloads of a rollout's rows, nil if the rollout cannot be read.
func payloadDigests(path string) []uint64 {
	digests := []uint64{}
	for b, err := range transcript.RowsOf(path, rowLimits) {
		if err != nil {
			return nil
		}
		digests = append(digests, payloadDigest(b))
	}
	return digests
}

// payloadDigest returns the digest of a row's type and payload.
func payloadDigest(b []byte) uint64 {
	h := fnv.New64a()
	for name, value := range transcript.Members(b) {
		if string(name) == "type" || string(name) == "payload" {
			_, _ = h.Write(value) // never fails
		}
	}
	return h.Sum64()
}

// uncopied reads the rows of a rollout without the copied ones.
type uncopied struct {
	io.Closer
	rows    *transcript.Rows
	copies  copies
	pending []byte // bytes of rows that were not returned yet
}

// ownRows implements transcript.Format.OwnRows.
func ownRows(path string, rows io.ReadCloser) io.ReadCloser {
	return &uncopied{Closer: rows, rows: transcript.NewRows(rows, rowLimits), copies: copies{path: path}}
}

// Read implements io.Reader.
func (o *uncopied) Read(b []byte) (int, error) {
	for len(o.pending) == 0 {
		row, err := o.rows.Next()
		kept := [][]byte{}
		switch {
		case err == io.EOF:
			kept = o.copies.end()
		case err != nil:
			return 0, err
		case len(row) > 0:
			kept = o.copies.add(row)
		}
		for _, row := range kept {
			o.pending = append(append(o.pending, row...), '\n')
		}
		if err != nil && len(o.pending) == 0 {
			return 0, err
		}
	}
	n := copy(b, o.pending)
	o.pending = o.pending[n:]
	return n, nil
}

// archived is the name of the folder with the rollouts of sessions that the person archived.
const archived = "archived_sessions"

// clientHome returns the client's folder, such as ~/.codex, from the path of a rollout. ok is false for a rollout elsewhere.
func clientHome(path string) (home string, ok bool) {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if base := filepath.Base(dir); base == "sessions" || base == archived {
			return filepath.Dir(dir), true
		}
	}
	return "", false
}

// around implements transcript.Format.Around.
func around(path string) []string {
	if home, ok := clientHome(path); ok {
		return []string{filepath.Join(home, "sessions"), filepath.Join(home, archived)}
	}
	return []string{filepath.Dir(path)}
}

// rolloutOf returns the path of a thread's rollout, "" if there is none. It looks in the client's folder of the rollout at path, also for
// compressed and archived rollouts, and those of other days.
func rolloutOf(path, thread string) string {
	if !transcript.PlainID(thread) {
		return ""
	}
	for _, other := range stored(path, "rollout-*-"+thread+".jsonl*") {
		if strings.TrimSuffix(other, transcript.Compressed) != strings.TrimSuffix(path, transcript.Compressed) {
			return other
		}
	}
	return ""
}

// movedTo returns the new path of a rollout that the client has compressed or archived, "" if there is no such file.
func movedTo(path string) string {
	for _, other := range stored(path, filepath.Base(path)+"*") {
		if other != path {
			return other
		}
	}
	return ""
}

// stored lists the client's rollouts whose names match the pattern name, first those in the folder of the rollout at path.
func stored(path, name string) (all []string) {
	all = disk.Match(filepath.Dir(path), name)
	if home, ok := clientHome(path); ok {
		all = slices.Concat(all, disk.Match(home, "sessions/*/*/*/"+name), disk.Match(filepath.Join(home, archived), name))
	}
	return all
}
