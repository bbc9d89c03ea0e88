package runner

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Guard is the program of a run's second process. It reads lines from the first process: "+PID" when a
// process group begins, "-PID" when the group has ended. The end of the input means that the first process
// has ended. Guard then ends every group that is left.
func Guard(r io.Reader) {
	groups := map[int]bool{} // those that have begun and not ended
	for lines := bufio.NewScanner(r); lines.Scan(); {
		line := lines.Text()
		if len(line) < 2 {
			continue
		}
		pid, err := strconv.Atoi(line[1:])
		switch {
		case err != nil || pid <= 1:
		case line[0] == '+':
			groups[pid] = true
		default:
			delete(groups, pid)
		}
	}
	EndGroups(slices.Collect(maps.Keys(groups)))
}

// EndGroups asks process groups to end, and kills those that still live after Grace.
func EndGroups(groups []int) {
	for _, pid := range groups {
		signalGroup(pid, false)
	}
	const poll = 20 * time.Millisecond
	for waited := time.Duration(0); waited < Grace; waited += poll {
		if !slices.ContainsFunc(groups, groupLives) {
			return
		}
		time.Sleep(poll)
	}
	for _, pid := range groups {
		signalGroup(pid, true)
	}
}

// guard is the first process's connection to the second one. If the second process dies, guard starts
// another.
type guard struct {
	self string // the program

	mu     sync.Mutex    // guards the fields below
	pipe   *os.File      // to the second process
	groups map[int]bool  // that a second process has to end if this process dies
	closed bool          // no other second process is started
	exited chan struct{} // closed when the second process has ended
}

// startGuard starts the second process, and returns the connection to it.
func startGuard(self string) (*guard, error) {
	g := &guard{self: self, groups: map[int]bool{}}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g, g.start()
}

// start starts a second process and sends it all groups. The caller holds mu.
func (g *guard) start() error {
	reader, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	defer reader.Close()
	cmd := exec.Command(g.self, "work", "guard")
	cmd.Stdin = reader
	ownSession(cmd)
	if err := cmd.Start(); err != nil {
		writer.Close()
		return fmt.Errorf("start the guard of a run: %w", err)
	}
	g.pipe, g.exited = writer, make(chan struct{})
	for pid := range g.groups {
		g.send('+', pid)
	}
	go g.await(cmd, g.exited)
	return nil
}

// await waits for the end of a second process, and starts another one unless g is closed.
func (g *guard) await(cmd *exec.Cmd, exited chan<- struct{}) {
	_ = cmd.Wait() // its exit does not matter
	close(exited)
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.pipe.Close()
		_ = g.start() // after an error, workers may outlive this process until the run is resumed
	}
}

// watch makes the second process end a process group if this process dies.
func (g *guard) watch(pid int) { g.note('+', pid) }

// forget undoes watch.
func (g *guard) forget(pid int) { g.note('-', pid) }

// note adds a process group, or removes it if sign is '-'.
func (g *guard) note(sign byte, pid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if sign == '+' {
		g.groups[pid] = true
	} else {
		delete(g.groups, pid)
	}
	g.send(sign, pid)
}

// send writes a line to the second process. The caller holds mu. It ignores errors: if that process is dead, start sends all
// groups to the next one.
func (g *guard) send(sign byte, pid int) {
	_, _ = fmt.Fprintf(g.pipe, "%c%d\n", sign, pid)
}

// close ends the second process and waits until it has ended. Groups that were not forgotten end with it.
func (g *guard) close() {
	g.mu.Lock()
	g.closed = true
	g.pipe.Close()
	exited := g.exited
	g.mu.Unlock()
	<-exited
}
