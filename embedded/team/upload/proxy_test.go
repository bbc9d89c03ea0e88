package upload_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"journal/cmd/testkit/testutil"
	"journal/embedded/team"
	"journal/embedded/team/peers"
)

// proxy is the network between a laptop and its hub.
type proxy struct {
	listener net.Listener
	to       string

	mu     sync.Mutex
	open   bool
	silent bool   // takes everything and passes nothing on, as a network that is gone
	last   string // it becomes silent behind what holds this, if it is not empty
	conns  map[net.Conn]bool
	passes func(b []byte) // is called first with what passes; nil for none
}

// overNetwork is newTeam with a hub of one node that alice reaches over a network of the test.
func overNetwork(t testing.TB) (alice *laptop, network *proxy, bob team.Member) {
	t.Helper()
	h := newHub(t, 1)
	in, bob := h.Member(t, "alice"), h.Member(t, "bob")
	h.Start(t)
	h.Announced(t)
	in, network = throughProxy(t, in)
	return newLaptop(t, in), network, bob
}

// throughProxy returns an invitation whose hub is reached over a network of the test.
func throughProxy(t testing.TB, in team.Member) (team.Member, *proxy) {
	t.Helper()
	u, err := url.Parse(in.Hub[0])
	must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &proxy{listener: l, to: u.Host, open: true, conns: map[net.Conn]bool{}}
	go p.accept()
	t.Cleanup(func() { l.Close(); p.set(false, false) })
	in.Hub = []string{"nats://" + l.Addr().String()}
	return in, p
}

func (p *proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		open := p.open && !p.silent
		p.mu.Unlock()
		var up net.Conn
		if open {
			up, err = net.Dial("tcp", p.to)
		}
		if !open || err != nil {
			c.Close()
			continue
		}
		p.mu.Lock()
		p.conns[c], p.conns[up] = true, true
		p.mu.Unlock()
		go p.carry(c, up)
		go p.carry(up, c)
	}
}

func (p *proxy) carry(to, from net.Conn) {
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		p.mu.Lock()
		silent, passes := p.silent, p.passes
		p.mu.Unlock()
		if n > 0 && !silent {
			if passes != nil {
				passes(b[:n])
			}
			_, err = to.Write(b[:n])
			if p.last != "" && bytes.Contains(b[:n], []byte(p.last)) {
				p.set(true, true)
			}
		}
		if err != nil && !(silent && err == io.EOF) {
			to.Close()
			from.Close()
			return
		}
		if err != nil {
			return
		}
	}
}

// set opens or closes the network, and ends what goes over it when it closes.
func (p *proxy) set(open, silent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open, p.silent = open, silent
	if !open {
		for c := range p.conns {
			c.Close()
		}
		clear(p.conns)
	}
}

// 20,000 events of a fetchBatch are at the hub within 5 s of the link, where the machine is not busy: the
// time is logged, and that they come at all is tested.
func TestFlight(t *testing.T) {
	t.Parallel()
	p, network, bob := overNetwork(t)
	p.log.add("web", 100)
	p.share(t, "web")
	p.on()
	arrived(t, p)
	for _, silent := range []bool{false, true} {
		network.set(silent, silent)
		began := time.Now()
		if silent {
			testutil.Eventually(t, "the silence is noticed", func() bool { return !p.status(t).Connected })
			t.Log("a silent network was noticed after", time.Since(began).Round(time.Millisecond))
		}
		p.log.add("web", 20_000)
		testutil.Eventually(t, "what is missing is counted", func() bool { return p.status(t).Behind >= 20_000 })
		network.set(true, false)
		began = time.Now()
		arrived(t, p)
		t.Log("20,000 events were at the hub after", time.Since(began).Round(time.Millisecond))
	}
	if got := copies(t, p); !slices.Equal(got, []int{1}) {
		t.Errorf("the hub has the copies %d", got)
	}
	same(t, reader(t, bob), p, "web")
}

// Copies are known before the hub has them: when no answer comes to the first chunk of one, what is forgotten then is
// pending.
func TestCopyIsKnownWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	p, network, bob := overNetwork(t)
	network.last = " " + team.Put
	p.log.add("web", 3)
	p.share(t, "web")
	p.on()
	hub := reader(t, bob)
	testutil.Eventually(t, "the hub has it", func() bool {
		all, err := hub.Copies(t.Context(), "alice")
		return err == nil && len(all) == 1
	})
	p.off()
	if c, err := team.LoadCopy(p.dir); err != nil || !slices.Equal(c.AtHub, []int{1}) {
		t.Errorf("the hub has copy 1, known are %d, error %v", c.AtHub, err)
	}
}

// A laptop that was killed or away goes on where the hub's copy ends, and so it does when the hub was.
func TestCopyGoesOn(t *testing.T) {
	t.Parallel()
	h, p, bob := newTeam(t, 3)
	p.share(t, "web")
	p.on()
	for n := range 6 {
		p.log.add("web", 1500)
		p.log.add("hidden", 70_000*(n%2)) // more numbers than a chunk is of
		switch n % 3 {
		case 0:
			p.off()
			p.on()
		case 1:
			h.Stop(fmt.Sprintf("node-%d", 1+n%len(h.Nodes)))
			p.log.add("web", 500)
			h.Start(t)
		case 2:
			h.StopAll()
			h.Start(t)
		}
	}
	arrived(t, p)
	testutil.Eventually(t, "every node answers", func() bool {
		hub, err := peers.Reach(t.Context(), bob)
		if err == nil {
			_, err = hub.Copies(t.Context(), "alice")
			hub.Close()
		}
		return err == nil
	})
	same(t, reader(t, bob), p, "web")
}
