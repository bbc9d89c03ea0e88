package codex

import (
	"bytes"
	"cmp"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"journal/journal/agents/transcript"
)

// copies drops the rows of a rollout that are another's: forks, and subagents that know their parent's conversation, begin
// with a copy of it, often with new times. Rows with the parent's payloads, in the parent's order, are the parent's. Without
// the parent's rollout, times decide. It is not safe for concurrent use.
type copies struct {
	path      string   // of the rollout
	begun     bool     // the first row was read
	firstTorn bool     // the first row was torn
	ended     bool     // the rest is the rollout's own
	parent    []uint64 // digests of the parent's payloads that are still to come
	// watching is set if an answer may wait for a row. A large parent is then read in the background, and reading receives its
	// digests; otherwise reading is nil.
	watching     bool
	reading      chan []uint64
	waitingBytes int       // of rows that wait for the parent's
	began        time.Time // when the rollout began
	otherSession bool      // a session_meta of another session came
	previous     time.Time // the time of the row before
	turnEnded    bool      // the end of a turn was copied
	held         [][]byte  // rows after the last that was certainly copied
}

const (
	maxHeld     = 1024                   // rows
	parentBytes = 1 << 20                // bytes of a parent that are read before an answer: 3 ms
	maxWaiting  = 32 << 20               // bytes
	burst       = 100 * time.Millisecond // between the rows of a copy, at most
)

// take adds the next row, and returns the rows that are known to be the rollout's own.
func (c *copies) take(b []byte) (own [][]byte) {
	if c.ended {
		return [][]byte{b}
	}
	row, err := parse(b)
	switch {
	case !c.begun:
		return c.first(b, row)
	case c.reading != nil:
		return c.wait(b)
	case err != nil:
		return c.hold(b)
	case c.parent != nil:
		return c.match(b, row)
	}
	return c.byTime(b, row)
}

// first handles the rows up to the one that names the parent. After a torn first row, a session_meta of another session counts
// as copied.
func (c *copies) first(b []byte, r row) [][]byte {
	thread := threadIn(c.path)
	switch {
	case thread == "" || r.Type == "session_meta" && (!c.firstTorn || r.Payload.ID == thread):
		c.begin(r)
	case r.Type == "session_meta":
		c.begin(row{Type: "session_meta", at: r.at, Payload: item{Forked: r.Payload.ID}})
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

// begin reads the row that names the parent.
func (c *copies) begin(row row) {
	c.begun, c.began = true, row.at
	parent := cmp.Or(row.Payload.Forked, row.Payload.parentThread())
	if c.ended = row.Type != "session_meta" || parent == ""; c.ended {
		return
	}
	path := rolloutOf(c.path, parent)
	if path == "" {
		return
	}
	if info, err := os.Stat(path); err == nil && c.watching && info.Size() > parentBytes {
		reading := make(chan []uint64, 1)
		go func() { reading <- payloads(path) }()
		c.reading = reading
		return
	}
	c.parent = payloads(path)
}

// wait holds rows until the parent's are read. If the held ones exceed maxWaiting bytes, times decide.
func (c *copies) wait(b []byte) (own [][]byte) {
	c.held, c.waitingBytes = append(c.held, bytes.Clone(b)), c.waitingBytes+len(b)
	select {
	case c.parent = <-c.reading:
	default:
		if c.waitingBytes <= maxWaiting {
			return nil
		}
	}
	held := c.held
	c.held, c.reading = nil, nil
	for _, row := range held {
		own = append(own, c.take(row)...)
	}
	return own
}

// hold keeps a row that may be the parent's or the rollout's own. If there are too many, it takes the copy for ended.
func (c *copies) hold(b []byte) [][]byte {
	c.held = append(c.held, bytes.Clone(b))
	if len(c.held) > maxHeld {
		return c.end()
	}
	return nil
}

// end ends the copy: what is held is the rollout's own.
func (c *copies) end() (own [][]byte) {
	own, c.held, c.ended, c.parent = c.held, nil, true, nil
	return own
}

// match compares a row with the parent's. A copy lacks some rows, and has some of the client's in other words.
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

// isConversation reports whether a row belongs to the conversation. If such a row is not the parent's, the copy has ended.
func isConversation(row row) bool {
	switch row.Payload.Type {
	case "task_started", "user_message", "agent_message", "item_completed", "task_complete":
		return true
	}
	return row.Type == "response_item" || row.Type == "compacted"
}

// byTime takes rows from before the rollout's begin for copied, and rows that were written at once behind another
// session's session_meta, up to the end of a turn.
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

// lastTurn returns where the newest turn begins in what is held.
func (c *copies) lastTurn() int {
	for i := len(c.held) - 1; i >= 0; i-- {
		if row, err := parse(c.held[i]); err == nil && row.Payload.Type == "task_started" {
			return i
		}
	}
	return 0
}

// payloads returns the digests of the payloads of a rollout's rows; nil if it cannot be read.
func payloads(path string) []uint64 {
	digests := []uint64{}
	err := transcript.EachRow(path, rowLimits, func(b []byte) { digests = append(digests, payloadDigest(b)) })
	if err != nil {
		return nil
	}
	return digests
}

// payloadDigest returns the digest of a row without its time.
func payloadDigest(b []byte) uint64 {
	h := fnv.New64a()
	for name, value := range transcript.Members(b) {
		if string(name) == "type" || string(name) == "payload" {
			_, _ = h.Write(value) // never fails
		}
	}
	return h.Sum64()
}

// ownRows are the rows of a rollout without copied ones.
type ownRows struct {
	rows    *transcript.Rows
	from    io.Closer
	copies  copies
	pending []byte
}

// own implements transcript.Format.Own.
func own(path string, rows io.ReadCloser) io.ReadCloser {
	return &ownRows{rows: transcript.NewRows(rows, rowLimits, nil), from: rows, copies: copies{path: path}}
}

// Read implements io.Reader.
func (o *ownRows) Read(b []byte) (int, error) {
	for len(o.pending) == 0 {
		row, err := o.rows.Next()
		kept := [][]byte{}
		switch {
		case err == io.EOF:
			kept = o.copies.end()
		case err != nil:
			return 0, err
		case len(row) > 0:
			kept = o.copies.take(row)
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

// Close implements io.Closer.
func (o *ownRows) Close() error { return o.from.Close() }

// archived is the folder, beside that of the rollouts, to which the client moves those that the person archived.
const archived = "archived_sessions"

// clientHome returns the folder of the client that a rollout is in. It reports false for a rollout elsewhere.
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

// rolloutOf returns the rollout of a thread, as seen from another one: plain or compressed, of another day, or archived.
// It is empty if there is none.
func rolloutOf(path, thread string) string {
	if !transcript.PlainID(thread) {
		return ""
	}
	for _, row := range stored(path, "rollout-*-"+thread+".jsonl*") {
		if strings.TrimSuffix(row, transcript.Compressed) != strings.TrimSuffix(path, transcript.Compressed) {
			return row
		}
	}
	return ""
}

// movedTo returns where the client has put a rollout since: compressed, or among the archived ones. It is empty if there is
// none.
func movedTo(path string) string {
	for _, row := range stored(path, filepath.Base(path)+"*") {
		if row != path {
			return row
		}
	}
	return ""
}

// stored lists the rollouts of the client with such a name, those in the folder of one of them first.
func stored(path, name string) (all []string) {
	folders := []string{filepath.Dir(path)}
	if home, ok := clientHome(path); ok {
		folders = append(folders, filepath.Join(home, "sessions", "*", "*", "*"), filepath.Join(home, archived))
	}
	for _, folder := range folders {
		found, _ := filepath.Glob(filepath.Join(folder, name)) // a name that is no pattern matches nothing
		all = append(all, found...)
	}
	return all
}
