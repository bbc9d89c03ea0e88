// Package frame is what a hook's program and the owner of the log say to each other: the
// call of an agent as it was made, and what is to be printed. It imports nothing, because
// an agent waits for the start of the program that links it.
//
// A frame is eight bytes of magic and version, the length of what follows in four, and the
// members of Call, each number and length in big endian. docs/FORMAT.md describes it.
package frame

// Call is one call of the program by an agent.
type Call struct {
	Build int64 // of the caller's program; 0: unknown
	Began int64 // ns since 1970 UTC
	// Late says that stdin had not ended in time: Stdin is what had come.
	Late bool
	PID  uint32 // of the caller's process, as it knows itself
	ID   string // of the first event that it may make
	Cwd  string // absolute
	Args []string
	Vars []string // NAME=value
	// Stdin is what was read.
	Stdin []byte
}

const (
	magic = "journalH"
	// Version of frames and replies. Another one is no frame to who knows only this.
	Version = 1
	// MaxStdin is the longest stdin that is carried, in bytes.
	MaxStdin = 256 << 10
	// maxAround bounds everything beside stdin, in bytes.
	maxAround = 64 << 10
	// maxWords bounds the arguments, and the variables.
	maxWords = 256
	// headLength is what Length needs.
	headLength = len(magic) + 1 + 4
	fixed      = 8 + 8 + 1 + 4
)

// Head is how many bytes Length reads.
const Head = headLength

// Append appends the frame of a call; ok is false for a call that no frame carries.
func Append(b []byte, c Call) (_ []byte, ok bool) {
	size := fixed + len(c.ID) + len(c.Cwd) + 8 + 4 + 4*len(c.Args) + 4*len(c.Vars)
	for _, words := range [][]string{c.Args, c.Vars} {
		for _, w := range words {
			size += len(w)
		}
	}
	if size > maxAround || len(c.Stdin) > MaxStdin || len(c.Args) > maxWords || len(c.Vars) > maxWords {
		return b, false
	}
	b = append(append(b, magic...), Version)
	b = number(b, uint64(size+len(c.Stdin)), 4)
	b = number(number(b, uint64(c.Build), 8), uint64(c.Began), 8)
	late := byte(0)
	if c.Late {
		late = 1
	}
	b = number(append(b, late), uint64(c.PID), 4)
	b = word(word(b, c.ID), c.Cwd)
	for _, words := range [][]string{c.Args, c.Vars} {
		b = number(b, uint64(len(words)), 2)
		for _, w := range words {
			b = word(b, w)
		}
	}
	return append(b, c.Stdin...), true
}

// Length reads the head of a frame: how many bytes follow it. ok is false for what is
// not the head of a frame of this version.
func Length(head []byte) (n int, ok bool) {
	if len(head) != headLength || string(head[:len(magic)]) != magic || head[len(magic)] != Version {
		return 0, false
	}
	n = int(read(head[len(magic)+1:]))
	return n, n >= fixed && n <= maxAround+MaxStdin
}

// Parse reads what follows the head of a frame. The call's stdin is part of b. ok is false
// for bytes that Append did not make.
func Parse(b []byte) (c Call, ok bool) {
	if len(b) < fixed || len(b) > maxAround+MaxStdin {
		return Call{}, false
	}
	c.Build, c.Began = int64(read(b[:8])), int64(read(b[8:16]))
	c.Late, c.PID = b[16] == 1, uint32(read(b[17:fixed]))
	late := b[16]
	r := reader{rest: b[fixed:], ok: late <= 1}
	c.ID, c.Cwd = r.word(), r.word()
	c.Args, c.Vars = r.words(), r.words()
	c.Stdin = r.rest
	if !r.ok || len(c.Stdin) > MaxStdin || len(b)-len(c.Stdin) > maxAround {
		return Call{}, false
	}
	return c, true
}

// Kind says what a reply is.
type Kind byte

// The kinds of reply. Every call is answered by any number of Wait and then one other.
const (
	// Answer is what is to be printed, which may be nothing; what was said is durable.
	Answer Kind = 'A'
	// Alone says that the caller has to do itself what it was called for.
	Alone Kind = 'F'
	// Wait says how many milliseconds more the answer may take, beyond what callers wait anyway.
	Wait Kind = 'W'
)

// MaxAnswer is the longest answer, in bytes.
const MaxAnswer = 1 << 20

// ReplyHead is the length of the beginning of a reply, in bytes.
const ReplyHead = 5

// AppendReply appends a reply; text is that of an Answer.
func AppendReply(b []byte, k Kind, text []byte) []byte {
	return append(number(append(b, byte(k)), uint64(len(text)), 4), text...)
}

// AppendWait appends a reply that asks for patience.
func AppendWait(b []byte, milliseconds uint32) []byte {
	return number(append(b, byte(Wait)), uint64(milliseconds), 4)
}

// Reply reads the beginning of a reply: n is how many bytes of an Answer follow it, or the
// milliseconds of a Wait. ok is false for what is none.
func Reply(head []byte) (k Kind, n int, ok bool) {
	if len(head) != ReplyHead {
		return 0, 0, false
	}
	k, n = Kind(head[0]), int(read(head[1:]))
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

func number(b []byte, n uint64, bytes int) []byte {
	for i := bytes - 1; i >= 0; i-- {
		b = append(b, byte(n>>(8*i)))
	}
	return b
}

func word(b []byte, s string) []byte { return append(number(b, uint64(len(s)), 4), s...) }

func read(b []byte) (n uint64) {
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}

// reader reads members one after the other; ok stays false after the first that is not there.
type reader struct {
	rest []byte
	ok   bool
}

func (r *reader) take(n int) []byte {
	if !r.ok || n > len(r.rest) {
		r.ok = false
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) word() string {
	n := read(r.take(4))
	if n > maxAround {
		r.ok = false
	}
	return string(r.take(int(n)))
}

func (r *reader) words() (all []string) {
	n := read(r.take(2))
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

// built is Build in decimal, when the linker was told it: releases are built without
// their repository.
var built string

// Build orders the builds of the programs, by what the linker was told: the time of the
// newest change in their source, in Unix seconds; 0 when it was told nothing.
func Build() (at int64) {
	for i := range len(built) {
		digit := built[i] - '0'
		if digit > 9 || at > 1<<53 {
			return 0
		}
		at = at*10 + int64(digit)
	}
	return at
}
