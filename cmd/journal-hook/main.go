//go:build linux || darwin

// At its start the Go runtime looks up the processor quota of a container and names its memory maps. That takes a tenth
// of the time of a program that runs for a millisecond, so it is switched off.
//
//go:debug containermaxprocs=0
//go:debug decoratemappings=0
//go:debug updatemaxprocs=0

// Command journal-hook is the program that an agent calls: `journal-hook AGENT [EVENT]` is
// `journal hook AGENT [EVENT]`, and `journal-hook statusline [-- COMMAND...]` is
// `journal statusline`.
//
// It does not parse the hook. It sends the call to the owner of the log, which does the same as those verbs, and prints the
// owner's answer (ADR-0102). It leaves the call to the program journal if there is no owner, no answer in time, a long stdin, or
// an owner of another build. The agent waits for this program at every tool call. So it links the package syscall and none of
// os, time, net and fmt, which take longer to start than the whole call.
package main

import (
	"slices"
	"syscall"
	_ "unsafe" // go:linkname

	"journal/journal/wire/frame"
)

const (
	ms = 1_000_000 // ns
	// stdinWait and answerWait bound in ns the wait for the end of stdin and for the owner's answer (ADR-0018).
	stdinWait  = 900 * ms
	answerWait = 250 * ms
	// maxWait bounds in ns how long a hook waits for its answer, even if the owner asks for more time.
	maxWait = 10_000 * ms
	// hungWait is the time in ns for which hooks do not call an owner that was marked as hung.
	hungWait = 2000 * ms
	// slowWait is the time in ns for which hooks do not call an owner that was marked as slow, while reports wait in the spool.
	slowWait = 10_000 * ms
)

// slowdown is the factor of every time budget, in decimal. The linker sets a larger one for tests, so that they pass on a busy
// machine.
var slowdown = "1"

// pace returns a time budget multiplied by slowdown.
func pace(budget int64) int64 {
	var factor int64
	for _, digit := range slowdown {
		factor = factor*10 + int64(digit-'0')
	}
	return budget * factor
}

// arguments is os.Args.
//
//go:linkname arguments os.runtime_args
func arguments() []string

// setTraceback is debug.SetTraceback.
//
//go:linkname setTraceback runtime/debug.SetTraceback
func setTraceback(level string)

// ignore is signal.Ignore of one signal.
//
//go:linkname ignore os/signal.signal_ignore
func ignore(signal uint32)

// call is one call by an agent.
type call struct {
	frame.Call
	arguments    []string // the command line without the program
	words        []string // arguments without --dir
	command      []string // the person's own statusline command, empty for none
	dir          string   // directory of the journal
	read         bool     // stdin was read: to its end, until its time was over, or to the limit of a frame
	tooLong      bool     // stdin is longer than the limit of a frame
	newestBefore string   // the newest sequence of the log before the owner got the call, in decimal
	maybeStored  bool     // the owner may have stored the call
	timedOut     bool     // the owner did not accept the connection in time, or did not answer in time
}

// statusline is the verb for an input of the statusline. If the first word of a command line is not this verb, it names an agent.
const statusline = "statusline"

func main() {
	// After a fault the Go runtime would exit with code 2, which blocks the agent. With this setting it ends by a signal instead
	// (ADR-0005). The limit prevents the core file that the signal would leave.
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	setTraceback("crash")
	c := call{arguments: arguments()[1:]}
	if c.parse() && c.ownerSeemsReady() {
		if len(c.command) == 0 { // the person's command would inherit that signals are ignored
			// A signal must not end this process before the hook is stored. The process ends by itself within seconds.
			ignore(uint32(syscall.SIGTERM))
			ignore(uint32(syscall.SIGINT))
			ignore(uint32(syscall.SIGPIPE))
		}
		c.readStdin()
		answer, ok := c.carry()
		switch {
		case ok && len(c.command) > 0:
			c.becomeCommand()
		case ok:
			write(1, answer)
			syscall.Exit(0)
		}
	}
	if !c.handOver() {
		c.recordLoss()
	}
	syscall.Exit(0)
}

// parse parses the command line. ok is false if it names neither an agent nor the statusline.
func (c *call) parse() (ok bool) {
	c.words = c.arguments
	c.dir = directory()
	for len(c.words) > 1 {
		if c.words[0] == "--dir" {
			c.dir, c.words = c.words[1], c.words[2:]
		} else if value, found := cutPrefix(c.words[0], "--dir="); found {
			c.dir, c.words = value, c.words[1:]
		} else {
			break
		}
	}
	if len(c.words) == 0 || c.words[0] == "" || c.words[0][0] == '-' {
		return false
	}
	c.Args = c.words
	if c.Args[0] == statusline {
		c.Args, c.command = c.words[:1], c.words[1:]
		if len(c.command) > 0 && c.command[0] == "--" {
			c.command = c.command[1:]
		}
	}
	return true
}

// ownerSeemsReady reports whether the call can go to the owner, as far as that is known before stdin is read and the owner is
// called.
func (c *call) ownerSeemsReady() bool {
	if !isAbsolute(c.dir) || !isAbsolute(getenv("HOME")) { // only the program journal can find others
		return false
	}
	if owner := getenv("JOURNAL_OWNER"); owner != "" && owner != "auto" {
		return false
	}
	var in, socket syscall.Stat_t
	if syscall.Fstat(0, &in) != nil || in.Mode&syscall.S_IFMT == syscall.S_IFCHR { // stdin is a terminal or /dev/null
		return false
	}
	isSocket := syscall.Lstat(c.socket(), &socket) == nil && socket.Mode&syscall.S_IFMT == syscall.S_IFSOCK
	return isSocket && int(socket.Uid) == syscall.Geteuid() && !c.ownerHangs()
}

// ownerHangs reports whether hooks lately marked the owner as hung, or marked it as slow and reports still wait in the spool. The
// marks are files. A time shortly after the present one is recent, too, because the clock may have been set back.
func (c *call) ownerHangs() bool {
	recent := func(mark string, age int64) bool {
		var st syscall.Stat_t
		return syscall.Lstat(c.dir+mark, &st) == nil && max(now()-modTime(&st), modTime(&st)-now()) < age
	}
	return recent("/owner.hung", hungWait) || recent("/owner.slow", slowWait) && c.spooled()
}

// spooled reports whether reports wait in the spool. Of a long directory it reads only the first part.
func (c *call) spooled() bool {
	fd, err := syscall.Open(c.dir+"/spool", syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_DIRECTORY, 0)
	if err != nil {
		return false
	}
	b := make([]byte, 8<<10)
	n, _ := syscall.ReadDirent(fd, b)
	_ = syscall.Close(fd)
	_, _, names := syscall.ParseDirent(b[:max(n, 0)], -1, nil)
	for _, name := range names {
		if name[0] != '.' { // a file that is still being written has a dot there
			return true
		}
	}
	return false
}

// directory returns the journal directory that the environment names, empty if it names none. XDG_STATE_HOME and HOME must be
// absolute.
func directory() string {
	if dir := getenv("JOURNAL_DIR"); dir != "" {
		return dir
	}
	if dir := getenv("XDG_STATE_HOME"); isAbsolute(dir) {
		return dir + "/journal"
	}
	if home := getenv("HOME"); isAbsolute(home) {
		return home + "/.local/state/journal"
	}
	return ""
}

// socket returns the path of the owner's socket for hooks.
func (c *call) socket() string { return c.dir + "/hook.sock" }

// readStdin sets the time, the id and the working directory of the call. Then it reads stdin until it ends, stdinWait is over, or
// it is longer than the limit of a frame.
func (c *call) readStdin() {
	c.Began, c.PID, c.read = now(), uint32(syscall.Getpid()), true
	c.ID = newID(c.Began, c.PID, readFile("/dev/urandom", idBytes))
	c.Cwd, _ = syscall.Getwd()
	b := make([]byte, 0, 16<<10)
	for deadline := c.Began + pace(stdinWait); ; {
		if left := deadline - now(); left <= 0 || !readable(0, left) {
			c.Late = now() >= deadline
			if c.Late {
				break
			}
			continue // a signal interrupted the wait
		}
		if len(b) == cap(b) {
			b = slices.Grow(b, len(b))
		}
		n, err := syscall.Read(0, b[len(b):min(cap(b), frame.MaxStdin+1)])
		if err == syscall.EINTR || err == syscall.EAGAIN {
			continue
		}
		if err != nil || n <= 0 {
			break
		}
		if b = b[:len(b)+n]; len(b) > frame.MaxStdin {
			c.tooLong = true
			break
		}
	}
	c.Stdin = b
}

// carry sends the call to the owner and returns the answer to print. If ok is false, the program journal has to handle the call.
func (c *call) carry() (answer []byte, ok bool) {
	c.Build, c.newestBefore = frame.Build(), c.newestSequence()
	for _, v := range syscall.Environ() {
		if isForwarded(v) {
			c.Vars = append(c.Vars, v)
		}
	}
	b, ok := frame.Append(make([]byte, 0, len(c.Stdin)+4<<10), c.Call)
	if !ok {
		return nil, false
	}
	deadline, latest := now()+pace(answerWait), now()+pace(maxWait)
	conn, ok := c.connect()
	if !ok {
		return nil, false
	}
	c.maybeStored = true
	if !write(conn, b) {
		return nil, false
	}
	for {
		head := make([]byte, frame.ReplyHead)
		if !c.receive(conn, head, deadline) {
			return nil, false
		}
		switch kind, n, ok := frame.Reply(head); {
		case ok && kind == frame.Wait:
			deadline = min(now()+int64(n)*ms, latest)
		case ok && kind == frame.Answer:
			answer = make([]byte, n)
			return answer, c.receive(conn, answer, deadline)
		default:
			c.maybeStored = !ok || kind != frame.Alone // an owner that replies Alone stored nothing
			return nil, false
		}
	}
}

// isForwarded reports whether the owner gets an environment variable, given as NAME=VALUE. Other variables stay in this process,
// because they may hold credentials.
func isForwarded(v string) bool {
	for _, prefix := range [...]string{"HOME=", "XDG_STATE_HOME=", "JOURNAL_", "LANG=", "LC_ALL=", "LC_MESSAGES="} {
		if _, ok := cutPrefix(v, prefix); ok {
			return true
		}
	}
	for _, name := range frame.Variables {
		if rest, ok := cutPrefix(v, name); ok && rest != "" && rest[0] == '=' {
			return true
		}
	}
	return false
}

// newestSequence returns the newest sequence of the log in decimal. The owner writes it into a file; without a number in that file
// the result is "0". If the owner stores this call but its answer is lost, the call's events are found after this sequence.
func (c *call) newestSequence() string {
	const maxDigits = 19 // every number of so many digits fits into 64 bits
	b := readFile(c.dir+"/head", 32)
	digits := 0
	for digits < min(len(b), maxDigits) && b[digits] >= '0' && b[digits] <= '9' {
		digits++
	}
	if digits == 0 {
		return "0"
	}
	return string(b[:digits])
}

// readFile returns the beginning of a file, at most n bytes; nil if it cannot be read. It neither waits for a pipe nor follows a link.
func readFile(path string, n int) []byte {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil
	}
	b := make([]byte, n)
	n, _ = syscall.Read(fd, b)
	_ = syscall.Close(fd)
	return b[:max(n, 0)]
}

// connect connects to the owner. ok is false if no process of this user accepts the connection in time.
func (c *call) connect() (conn int, ok bool) {
	conn, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return 0, false
	}
	syscall.CloseOnExec(conn)
	wait := syscall.NsecToTimeval(pace(answerWait))
	_ = syscall.SetsockoptTimeval(conn, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &wait)
	err = syscall.EINTR
	for err == syscall.EINTR {
		err = syscall.Connect(conn, &syscall.SockaddrUnix{Name: c.socket()})
	}
	c.timedOut = err == syscall.EAGAIN // the owner accepted no connection in the time of SO_SNDTIMEO
	return conn, err == nil && isOurs(conn)
}

// receive fills b from a connection, and reports whether it could. At the deadline it sets c.timedOut and returns false.
func (c *call) receive(conn int, b []byte, deadline int64) bool {
	for len(b) > 0 {
		left := max(deadline-now(), 1000) // a timeout of 0 would be none; the system counts in microseconds
		wait := syscall.NsecToTimeval(left)
		_ = syscall.SetsockoptTimeval(conn, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &wait)
		n, err := syscall.Read(conn, b)
		switch {
		case err == syscall.EINTR && now() < deadline:
		case err == syscall.EAGAIN || err == syscall.EINTR:
			c.timedOut = true
			return false
		case err != nil || n <= 0:
			return false
		default:
			b = b[n:]
		}
	}
	return true
}

// write writes all of b, and reports whether that succeeded.
func write(fd int, b []byte) bool {
	for len(b) > 0 {
		n, err := syscall.Write(fd, b)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return false
		}
		b = b[n:]
	}
	return true
}

// idBytes is the size of a UUID.
const idBytes = 16

// newID returns a UUID of version 7 (RFC 9562) for a time in ns since 1970 UTC, with random bits. If these are missing, as in a sandbox
// without devices, it has the id of the process and the rest of the time, because the log drops an event with a known id.
func newID(at int64, pid uint32, random []byte) string {
	var b [idBytes]byte
	if copy(b[:], random) < len(b) {
		unique := uint64(pid)<<20 | uint64(at%ms)
		for i := range 7 {
			b[len(b)-1-i] = byte(unique >> (8 * i))
		}
	}
	for i := range 6 {
		b[i] = byte(at / ms >> (40 - 8*i))
	}
	b[6], b[8] = b[6]&0x0f|0x70, b[8]&0x3f|0x80
	id := make([]byte, 0, 36)
	for i, c := range b {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			id = append(id, '-')
		}
		id = append(id, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
	}
	return string(id)
}

// now returns the time in ns since 1970 UTC, to the microsecond.
func now() int64 {
	var t syscall.Timeval
	_ = syscall.Gettimeofday(&t) // it does not fail for a valid address
	return t.Nano()
}

// getenv is os.Getenv.
func getenv(name string) string {
	value, _ := syscall.Getenv(name)
	return value
}

// isAbsolute is filepath.IsAbs.
func isAbsolute(path string) bool { return path != "" && path[0] == '/' }

// cutPrefix is strings.CutPrefix.
func cutPrefix(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || s[:len(prefix)] != prefix {
		return s, false
	}
	return s[len(prefix):], true
}
