// Package frame defines the protocol between journal-hook and the owner of the log: the agent's call, and the text to print. It
// imports nothing, because an agent waits for the start of the program that links it.
//
// A frame has eight bytes of magic, one with the version, four with the length of the rest, and the members of Call. Numbers and
// lengths are big endian. docs/FORMAT.md describes it.
package frame

// Call is one call of journal-hook by an agent.
type Call struct {
	Build int64 // of the caller's program; 0: unknown
	Began int64 // ns since 1970 UTC
	// Late is true if stdin did not end in time. Stdin then holds the bytes read so far.
	Late  bool
	PID   uint32 // of the caller, in its own namespace
	ID    string // for the first event of the call
	Cwd   string // absolute path of the working directory
	Args  []string
	Vars  []string // NAME=value
	Stdin []byte
}

const (
	magic = "journalH"
	// Version is the version of frames and replies. A frame of another version is not accepted.
	Version = 1
	// MaxStdin is the longest stdin that is carried, in bytes.
	MaxStdin = 256 << 10
	// maxAround bounds the members of a call besides stdin, in bytes.
	maxAround = 64 << 10
	// maxWords bounds the number of arguments, and of variables.
	maxWords = 256
	// Head is the length of the head of a frame, in bytes: magic, version and length.
	Head  = len(magic) + 1 + 4
	fixed = 8 + 8 + 1 + 4 // bytes of the members Build to PID
)

// Append appends the frame of a call. ok is false if the call is too long for a frame.
func Append(b []byte, c Call) (_ []byte, ok bool) {
	size := fixed + 2*4 + len(c.ID) + len(c.Cwd) // a word has 4 bytes of length
	size += 2*2 + 4*len(c.Args) + 4*len(c.Vars)  // a list of words has 2 bytes of length
	for _, words := range [][]string{c.Args, c.Vars} {
		for _, w := range words {
			size += len(w)
		}
	}
	if size > maxAround || len(c.Stdin) > MaxStdin || len(c.Args) > maxWords || len(c.Vars) > maxWords {
		return b, false
	}
	b = append(append(b, magic...), Version)
	b = appendNumber(b, uint64(size+len(c.Stdin)), 4)
	b = appendNumber(appendNumber(b, uint64(c.Build), 8), uint64(c.Began), 8)
	late := byte(0)
	if c.Late {
		late = 1
	}
	b = appendNumber(append(b, late), uint64(c.PID), 4)
	b = appendWord(appendWord(b, c.ID), c.Cwd)
	for _, words := range [][]string{c.Args, c.Vars} {
		b = appendNumber(b, uint64(len(words)), 2)
		for _, w := range words {
			b = appendWord(b, w)
		}
	}
	return append(b, c.Stdin...), true
}

// Length returns the number of bytes that follow the head of a frame. ok is false unless head is that of a frame of this version.
func Length(head []byte) (n int, ok bool) {
	if len(head) != Head || string(head[:len(magic)]) != magic || head[len(magic)] != Version {
		return 0, false
	}
	n = int(readNumber(head[len(magic)+1:]))
	return n, n >= fixed && n <= maxAround+MaxStdin
}

// Parse parses a frame without its head. The call's stdin shares memory with b. ok is false for bytes that Append did not return.
func Parse(b []byte) (c Call, ok bool) {
	if len(b) < fixed || len(b) > maxAround+MaxStdin {
		return Call{}, false
	}
	c.Build, c.Began = int64(readNumber(b[:8])), int64(readNumber(b[8:16]))
	c.Late, c.PID = b[16] == 1, uint32(readNumber(b[17:fixed]))
	r := reader{rest: b[fixed:], ok: b[16] <= 1}
	c.ID, c.Cwd = r.word(), r.word()
	c.Args, c.Vars = r.words(), r.words()
	c.Stdin = r.rest
	if !r.ok || len(c.Stdin) > MaxStdin || len(b)-len(c.Stdin) > maxAround {
		return Call{}, false
	}
	return c, true
}

// Kind is the kind of a reply.
type Kind byte

// The kinds of reply. The owner answers every call with any number of Wait and then one of the others.
const (
	// Answer carries the text to print, which may be empty. The events are durable.
	Answer Kind = 'A'
	// Alone makes the caller handle the call itself.
	Alone Kind = 'F'
	// Wait carries the time for which the caller must wait longer than usual, in milliseconds.
	Wait Kind = 'W'
)

// MaxAnswer is the longest answer, in bytes.
const MaxAnswer = 1 << 20

// ReplyHead is the length of the head of a reply, in bytes: its kind and a number.
const ReplyHead = 5

// AppendReply appends a reply. Only an Answer has a text.
func AppendReply(b []byte, k Kind, text []byte) []byte {
	return append(appendNumber(append(b, byte(k)), uint64(len(text)), 4), text...)
}

// AppendWait appends a Wait.
func AppendWait(b []byte, milliseconds uint32) []byte {
	return appendNumber(append(b, byte(Wait)), uint64(milliseconds), 4)
}

// Reply parses the head of a reply. n is the length of an Answer's text, which follows the head, or the milliseconds of a Wait. ok is
// false for other bytes.
func Reply(head []byte) (k Kind, n int, ok bool) {
	if len(head) != ReplyHead {
		return 0, 0, false
	}
	k, n = Kind(head[0]), int(readNumber(head[1:]))
	switch k {
	case Answer:
		ok = n <= MaxAnswer
	case Alone:
		ok = n == 0
	case Wait:
		ok = n <= maxWait
	}
	return k, n, ok
}

// maxWait is an hour, in milliseconds: tests wait long.
const maxWait = 3_600_000

// appendNumber appends a number in width bytes.
func appendNumber(b []byte, n uint64, width int) []byte {
	for i := width - 1; i >= 0; i-- {
		b = append(b, byte(n>>(8*i)))
	}
	return b
}

// appendWord appends the length of a word, and the word.
func appendWord(b []byte, s string) []byte { return append(appendNumber(b, uint64(len(s)), 4), s...) }

// readNumber returns the number that all of b encodes.
func readNumber(b []byte) (n uint64) {
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}

// reader reads the members of a frame. ok becomes false at the first member that is incomplete or too long, and stays false.
type reader struct {
	rest []byte
	ok   bool
}

// take returns the next n bytes, nil if there are fewer.
func (r *reader) take(n int) []byte {
	if !r.ok || n > len(r.rest) {
		r.ok = false
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// word reads what appendWord appended.
func (r *reader) word() string {
	n := readNumber(r.take(4))
	if n > maxAround {
		r.ok = false
	}
	return string(r.take(int(n)))
}

// words reads a number, and as many words.
func (r *reader) words() (all []string) {
	n := readNumber(r.take(2))
	if n > maxWords {
		r.ok = false
	}
	for range n {
		if !r.ok {
			return nil
		}
		all = append(all, r.word())
	}
	return all
}

// built is the result of Build in decimal. The linker sets it, because releases are built outside of the repository.
var built string

// Build returns the number of this build, by which builds are ordered: the time of the newest change of the source, in Unix seconds.
// It returns 0 if the linker did not set the number.
func Build() (n int64) {
	for i := range len(built) {
		digit := built[i] - '0'
		if digit > 9 || n > 1<<53 { // no digit, or no time: ten times this still fits into n
			return 0
		}
		n = n*10 + int64(digit)
	}
	return n
}
