//go:build linux || darwin

package main

import (
	"slices"
	"syscall"
)

// pollInterval is the interval in ns at which feed checks whether the program has ended, while there is no input.
const pollInterval = 50 * ms

// handOver hands the call to `journal hook` or `journal statusline`. If stdin was not read, or all of it fits into a pipe, that
// program replaces this process (exec), and handOver does not return. Otherwise the program runs as a child that gets stdin
// through the pipe. done is true when the child has ended, and false if no program could be started.
func (c *call) handOver() (done bool) {
	env := append(syscall.Environ(), c.tried())
	if getenv("GOMAXPROCS") == "" {
		env = append(env, "GOMAXPROCS=1") // threads take longer to start than they save
	}
	if getenv("GOTRACEBACK") == "" {
		env = append(env, "GOTRACEBACK=crash") // for a fault before the program sets it itself (ADR-0005)
	}
	if !c.read {
		become(c.programs(), env)
		return false
	}
	pipe, rest, ok := c.pipe()
	switch {
	case !ok:
		return false
	case len(rest) > 0 || c.tooLong:
		return c.feed(pipe, rest, env)
	}
	readFrom(pipe)
	become(c.programs(), env)
	return false
}

// pipe makes a pipe, and writes into it as much of c.Stdin as fits. rest is the part of c.Stdin that does not fit.
func (c *call) pipe() (pipe [2]int, rest []byte, ok bool) {
	if syscall.Pipe(pipe[:]) != nil {
		return pipe, nil, false
	}
	syscall.CloseOnExec(pipe[0])
	syscall.CloseOnExec(pipe[1])
	_ = syscall.SetNonblock(pipe[1], true)
	rest = c.Stdin
	for len(rest) > 0 {
		n, err := syscall.Write(pipe[1], rest)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			break // the pipe is full
		}
		rest = rest[n:]
	}
	return pipe, rest, true
}

// readFrom makes a pipe the stdin of this process.
func readFrom(pipe [2]int) {
	_ = dup(pipe[0], 0) // no error: the pipe is open
	_ = syscall.Close(pipe[1])
}

// becomeCommand replaces this process by the person's own statusline command, with the same stdin. It returns only if no pipe can
// hold stdin, or the command cannot be started.
func (c *call) becomeCommand() {
	pipe, rest, ok := c.pipe()
	if !ok {
		return
	}
	if len(rest) > 0 {
		_ = syscall.Close(pipe[0])
		_ = syscall.Close(pipe[1])
		return
	}
	readFrom(pipe)
	become(c.commands(), syscall.Environ())
}

// commands lists the command lines that the person's command can mean, in the order in which to try them. If its first word is a
// path, there is one. Otherwise there is one for each absolute directory of PATH, as in os/exec.
func (c *call) commands() (all [][]string) {
	name, args := c.command[0], c.command
	if lastSlash(name) >= 0 {
		return [][]string{args}
	}
	path := getenv("PATH")
	for start := 0; start <= len(path); {
		end := start
		for end < len(path) && path[end] != ':' {
			end++
		}
		if dir := path[start:end]; isAbsolute(dir) {
			all = append(all, append([]string{dir + "/" + name}, args[1:]...))
		}
		start = end + 1
	}
	return all
}

// feed runs journal as a child, copies rest and the unread part of stdin to it, and waits for its end. done is false if no
// program could be started.
func (c *call) feed(pipe [2]int, rest []byte, env []string) (done bool) {
	pid := 0
	for _, p := range c.programs() {
		var err error
		pid, err = syscall.ForkExec(p[0], p, &syscall.ProcAttr{Env: env, Files: []uintptr{uintptr(pipe[0]), 1, 2}})
		if err == nil {
			break
		}
	}
	_ = syscall.Close(pipe[0])
	if pid == 0 {
		return false
	}
	_ = syscall.SetNonblock(pipe[1], false)
	for ok := write(pipe[1], rest); ok && c.tooLong; {
		if !readable(0, pollInterval) {
			if ended, _ := syscall.Wait4(pid, nil, syscall.WNOHANG, nil); ended == pid {
				return true // the child does not wait for the end of stdin for longer than its budget
			}
			continue
		}
		n, err := syscall.Read(0, c.Stdin) // a buffer now: its content was written
		if err == syscall.EINTR {
			continue
		}
		ok = err == nil && n > 0 && write(pipe[1], c.Stdin[:n])
	}
	_ = syscall.Close(pipe[1])
	for {
		if _, err := syscall.Wait4(pid, nil, 0, nil); err != syscall.EINTR {
			return true
		}
	}
}

// become replaces this process by the first of some programs that can be started (exec). It returns only if none can.
func become(programs [][]string, env []string) {
	for _, p := range programs {
		_ = syscall.Exec(p[0], p, env)
	}
}

// recordLoss notes that no program handled a hook: it appends the time to the file of lost hooks (losses.Unhandled), if it can.
func (c *call) recordLoss() {
	if !isAbsolute(c.dir) || len(c.Args) == 0 || c.Args[0] == statusline {
		return
	}
	for i := range c.dir {
		if i > 0 && c.dir[i] == '/' {
			_ = syscall.Mkdir(c.dir[:i], 0o700) // after an error the file cannot be opened
		}
	}
	_ = syscall.Mkdir(c.dir, 0o700)
	// With these flags Open neither waits for a pipe nor follows a link.
	const flags = syscall.O_WRONLY | syscall.O_APPEND | syscall.O_CREAT | syscall.O_CLOEXEC | syscall.O_NONBLOCK | syscall.O_NOFOLLOW
	fd, err := syscall.Open(c.dir+"/owner.unhandled", flags, 0o600)
	if err != nil {
		return
	}
	write(fd, []byte(decimal(now())+"\n"))
	_ = syscall.Close(fd)
}

// tried returns the environment variable by which journal learns of the attempt of this program (hookrun.TakeTried). The flags are
// c for an incomplete stdin, a if the owner may have stored the call or was too slow, and l if it was too slow.
func (c *call) tried() string {
	if !c.read {
		return "JOURNAL_HOOK_TRIED="
	}
	flags := "-"
	if c.Late {
		flags += "c"
	}
	if c.maybeStored || c.timedOut {
		flags += "a"
	}
	if c.timedOut {
		flags += "l"
	}
	return "JOURNAL_HOOK_TRIED=" + c.ID + " " + decimal(c.Began) + " " + c.newestBefore + " " + flags
}

// programs lists the command lines that can handle the call: first with the journal beside this program, then with the journal in
// the directory of the program that ran `journal install`. PATH is not searched, because a project may have added a directory of
// its own to it.
func (c *call) programs() (all [][]string) {
	options, verb := c.arguments[:len(c.arguments)-len(c.words)], []string{"hook"}
	if len(c.words) > 0 && c.words[0] == statusline {
		verb = nil // the words begin with the verb
	}
	for _, path := range [...]string{executable(), c.installed()} {
		if isAbsolute(path) {
			program := path[:lastSlash(path)+1] + "journal"
			all = append(all, slices.Concat([]string{program}, options, verb, c.words))
		}
	}
	return all
}

// invokedPath returns the path by which this program was called. It is absolute, except for a bare name. It is empty if the working
// directory is not known.
func invokedPath() string {
	path := arguments()[0]
	if lastSlash(path) < 0 || isAbsolute(path) {
		return path
	}
	cwd, err := syscall.Getwd()
	if err != nil {
		return ""
	}
	return cwd + "/" + path
}

// installed returns the path of the program that ran `journal install`, which recorded it (hookrun.RecordProgram). It is empty if
// there is no record.
func (c *call) installed() string {
	b := readFile(c.dir+"/program", 4<<10)
	return string(b[:max(slices.Index(b, '\n'), 0)])
}

// lastSlash returns the index of the last slash of a path, -1 without one.
func lastSlash(path string) int {
	at := len(path) - 1
	for at >= 0 && path[at] != '/' {
		at--
	}
	return at
}

// decimal returns a number that is not negative as text.
func decimal(n int64) string {
	if n < 10 {
		return string([]byte{'0' + byte(max(n, 0))})
	}
	return decimal(n/10) + decimal(n%10)
}
