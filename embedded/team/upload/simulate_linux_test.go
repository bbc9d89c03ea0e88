package upload_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/team"
)

// TestLaptops measures what so many laptops (JOURNAL_LAPTOPS) cost a hub of three nats-server
// processes: memory and processor while nothing happens, and how long they take to catch up after a
// night away. docs/PERFORMANCE.md has the numbers.
func TestLaptops(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("JOURNAL_LAPTOPS"))
	if err != nil {
		t.Skip("a measurement, not a test")
	}
	h, in, pids := ranHub(t, n)
	testutil.Eventually(t, "the nodes know who is in the team", func() bool { return h.Announce(t.Context()) == nil })
	var all []*laptop
	for _, m := range in {
		p := newLaptop(t, m)
		p.log.add("web", 20)
		p.share(t, "web")
		all = append(all, p)
	}
	began := time.Now()
	settle := func(events uint64) {
		for _, p := range all {
			for !testutil.Within(5*time.Minute, func() bool { s := p.status(t); return s.Hub == events && s.Connected }) {
				t.Fatalf("%+v", p.status(t))
			}
		}
	}
	for _, p := range all {
		p.on()
	}
	settle(20)
	t.Logf("%d laptops joined and made their copies in %v", n, time.Since(began).Round(time.Millisecond))
	at, before := time.Now(), cpuOf(t, pids)
	time.Sleep(30 * time.Second)
	for i, pid := range pids {
		used := cpuOf(t, pids)[i] - before[i]
		t.Logf("node %d: %s, %.1f %% of a core", i+1, rssOf(t, pid), 100*used.Seconds()/time.Since(at).Seconds())
	}
	for _, p := range all {
		p.off()
		p.log.add("web", 500)
	}
	began = time.Now()
	for _, p := range all {
		p.on()
	}
	settle(520)
	t.Logf("each brought 500 events of a night, all at once, in %v", time.Since(began).Round(time.Millisecond))
}

// ranHub starts a hub of three nats-server processes and makes so many members.
func ranHub(t *testing.T, members int) (h *hubtest.Hub, in []team.Member, pids []int) {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "nats-server")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "github.com/nats-io/nats-server/v2").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	h = newHub(t, 3)
	var names []string
	for i := range members {
		names = append(names, fmt.Sprintf("m%d", i))
	}
	in, err := h.Invite(names...)
	must(t, err)
	return h, in, nodesOf(t, bin, h)
}

// nodesOf starts the nodes as processes.
func nodesOf(t *testing.T, bin string, h *hubtest.Hub) (pids []int) {
	t.Helper()
	for _, node := range h.Nodes {
		c := exec.Command(bin, "-c", node.Name+".conf", "-l", filepath.Join(t.TempDir(), "log"))
		c.Dir, c.SysProcAttr = h.Dir, &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
		must(t, c.Start())
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		pids = append(pids, c.Process.Pid)
	}
	return pids
}

func rssOf(t *testing.T, pid int) string {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line)
}

// cpuOf returns the time that processes have used.
func cpuOf(t *testing.T, pids []int) (all []time.Duration) {
	t.Helper()
	const tick = 10 * time.Millisecond // USER_HZ is 100 everywhere
	for _, pid := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		must(t, err)
		f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		user, err := strconv.Atoi(f[11])
		must(t, err)
		system, err := strconv.Atoi(f[12])
		must(t, err)
		all = append(all, time.Duration(user+system)*tick)
	}
	return all
}
