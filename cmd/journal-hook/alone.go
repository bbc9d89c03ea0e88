//go:build linux || darwin

package main

import "syscall"

// alone has another program see to the call: this process becomes it where stdin can be had
// again, else it runs beside and is fed. It returns when that was done, or cannot be.
func (c *call) alone() {
	env := syscall.Environ()
	if !c.read {
		c.become(env)
		return
	}
	env = append(env, c.tried())
	var pipe [2]int
	if syscall.Pipe(pipe[:]) != nil {
		return
	}
	syscall.CloseOnExec(pipe[0])
	syscall.CloseOnExec(pipe[1])
	_ = syscall.SetNonblock(pipe[1], true)
	rest := c.Stdin
	for len(rest) > 0 {
		n, err := syscall.Write(pipe[1], rest)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			break // it is full
		}
		rest = rest[n:]
	}
	if len(rest) == 0 && !c.more {
		if replace(pipe[0], 0) == nil {
			_ = syscall.Close(pipe[1])
			c.become(env)
		}
		return
	}
	c.feed(pipe, rest, env)
}

// feed runs the program beside this process, and hands it the rest of stdin.
func (c *call) feed(pipe [2]int, rest []byte, env []string) {
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
		return
	}
	_ = syscall.SetNonblock(pipe[1], false)
	for ok := write(pipe[1], rest); ok && c.more; {
		n, err := syscall.Read(0, c.Stdin)
		if err == syscall.EINTR {
			continue
		}
		ok = err == nil && n > 0 && write(pipe[1], c.Stdin[:n])
	}
	_ = syscall.Close(pipe[1])
	for {
		if _, err := syscall.Wait4(pid, nil, 0, nil); err != syscall.EINTR {
			return
		}
	}
}

// become makes this process another program. It returns when there is none.
func (c *call) become(env []string) {
	for _, p := range c.programs() {
		_ = syscall.Exec(p[0], p, env)
	}
}

// tried tells the other program what was done (hookrun.ParseTried).
func (c *call) tried() string {
	so := "-"
	if c.Late {
		so += "c"
	}
	if c.asked || c.late {
		so += "a"
	}
	if c.late {
		so += "l"
	}
	if c.floor == "" {
		c.floor = "0"
	}
	return "JOURNAL_HOOK_TRIED=" + c.ID + " " + decimal(c.Began) + " " + c.floor + " " + so
}

// programs lists the command lines that do what this one was called for, the best first: the
// small program, then the large one; beside this program, then where `journal install` was run
// from. Nothing is looked up by PATH, in which a project may have put a directory of its own.
func (c *call) programs() (all [][]string) {
	var places []string
	for _, path := range [...]string{self(), c.installed()} {
		if at := lastSlash(path); isAbsolute(path) {
			places = append(places, path[:at+1])
		}
	}
	for _, place := range places {
		path := place + "journal-hook-alone"
		all = append(all, append([]string{path}, c.line...))
	}
	for _, place := range places {
		line := append([]string{place + "journal"}, c.line[:len(c.line)-len(c.Args)]...)
		if len(c.Args) == 0 || c.Args[0] != "statusline" {
			line = append(line, "hook")
		}
		all = append(all, append(line, c.Args...))
	}
	return all
}

// called is the path of this program as it was called.
func called() string {
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

// installed is the path of the large program that `journal install` left (hookrun.Program).
func (c *call) installed() string {
	fd, err := syscall.Open(c.dir+"/program", syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	b := make([]byte, 4<<10)
	n, _ := syscall.Read(fd, b)
	_ = syscall.Close(fd)
	for i := range max(n, 0) {
		if b[i] == '\n' {
			return string(b[:i])
		}
	}
	return ""
}

func lastSlash(path string) int {
	at := len(path) - 1
	for at >= 0 && path[at] != '/' {
		at--
	}
	return at
}

func decimal(n int64) string {
	if n < 10 {
		return string([]byte{'0' + byte(max(n, 0))})
	}
	return decimal(n/10) + decimal(n%10)
}
