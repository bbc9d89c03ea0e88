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

// Guard is the second process of a run: it reads from the first which process groups begin and end,
// as lines "+PID" and "-PID". At the end of the input the first process is dead or done, and every
// group that is left is asked to end and, Grace later, killed.
func Guard(r io.Reader) {
	left := map[int]bool{}
	for lines := bufio.NewScanner(r); lines.Scan(); {
		line := lines.Text()
		if len(line) < 2 {
			continue
		}
		if pid, err := strconv.Atoi(line[1:]); err == nil && pid > 1 {
			left[pid] = line[0] == '+'
		}
	}
	maps.DeleteFunc(left, func(_ int, running bool) bool { return !running })
	EndGroups(slices.Collect(maps.Keys(left)))
}

// EndGroups asks process groups to end, and kills them Grace later.
func EndGroups(groups []int) {
	for _, pid := range groups {
		signalGroup(pid, false)
	}
	const look = 20 * time.Millisecond
	for waited := time.Duration(0); waited < Grace; waited += look {
		if !slices.ContainsFunc(groups, groupLives) {
			return
		}
		time.Sleep(look)
	}
	for _, pid := range groups {
		signalGroup(pid, true)
	}
}

// guard is the first process's end of the pipe to the second. If the second process dies, it starts
// another one.
type guard struct {
	self string

	mu     sync.Mutex
	pipe   *os.File
	cmd    *exec.Cmd
	groups map[int]bool
	closed bool
	gone   chan struct{}
}

func startGuard(self string) (*guard, error) {
	g := &guard{self: self, groups: map[int]bool{}}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g, g.start()
}

// start starts a second process and sends it all groups. The caller holds mu.
func (g *guard) start() error {
	out, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(g.self, "work", "guard")
	cmd.Stdin = out
	ownSession(cmd)
	if err := cmd.Start(); err != nil {
		in.Close()
		return fmt.Errorf("start a guardian: %w", err)
	}
	g.pipe, g.cmd, g.gone = in, cmd, make(chan struct{})
	for pid := range g.groups {
		g.send('+', pid)
	}
	go g.await(cmd, g.gone)
	return nil
}

// await starts another second process if the present one dies early.
func (g *guard) await(cmd *exec.Cmd, gone chan<- struct{}) {
	_ = cmd.Wait() // how it ended does not matter
	close(gone)
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed && g.cmd == cmd {
		g.pipe.Close()
		_ = g.start() // on an error workers outlive this process until the run is resumed
	}
}

func (g *guard) watch(pid int) { g.note('+', pid) }

func (g *guard) forget(pid int) { g.note('-', pid) }

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

// send writes to the second process. If that is dead, start sends everything to the next one.
func (g *guard) send(sign byte, pid int) {
	_, _ = fmt.Fprintf(g.pipe, "%c%d\n", sign, pid)
}

// close ends the second process; no group is left for it to watch.
func (g *guard) close() {
	g.mu.Lock()
	g.closed = true
	g.pipe.Close()
	exited := g.gone
	g.mu.Unlock()
	<-exited
}
