package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	mrand "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"journal/cmd/journal/cli"
	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/owner"
	"journal/embedded/service"
	"journal/embedded/team"
	"journal/embedded/team/peers"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// teamBattery is what make e2e-team plays: three nats-server processes, TLS, and the owner of a
// laptop with a log of JOURNAL_EVENTS events, of which each is killed in mid catch-up.
type teamBattery struct {
	*testing.T
	root   string
	hub    string // directory of journal team init
	nodes  map[string]*exec.Cmd
	dir    string // journal directory of the laptop
	log    map[uint64]record.Record
	bob    team.Member
	server string                     // the program nats-server
	late   map[string][]time.Duration // by what was killed: how long it took until the hub had everything
	read   int                        // records that were compared
}

// TestTeamBattery kills laptop, node and whole hub while all events are on their way: the hub's
// copy is complete each time, from the first event on, and equal to the log (J.9).
func TestTeamBattery(t *testing.T) {
	kills, err := strconv.Atoi(os.Getenv("JOURNAL_KILLS"))
	if err != nil {
		t.Skip("make e2e-team asks for it")
	}
	size, err := strconv.Atoi(cmp.Or(os.Getenv("JOURNAL_EVENTS"), "60000"))
	if err != nil {
		t.Fatal(err)
	}
	server := filepath.Join(t.TempDir(), "nats-server")
	if out, err := exec.Command("go", "build", "-o", server, "github.com/nats-io/nats-server/v2").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b := &teamBattery{T: t, root: t.TempDir(), nodes: map[string]*exec.Cmd{}, server: server, late: map[string][]time.Duration{}}
	b.prepare()
	b.fill(size)
	b.must("team", "share", "--all", "--yes")
	b.Logf("%d events were at the hub after %v", len(b.log), b.complete("the first time"))
	for n := range kills {
		for _, kind := range []string{"laptop", "node", "hub"} {
			b.round(n, kind)
		}
	}
	for kind, all := range b.late {
		slices.Sort(all)
		b.Logf("%s killed %d times: complete %v later (median), %v at most", kind, len(all), all[len(all)/2], all[len(all)-1])
	}
	b.forget()
	b.Logf("%d records were compared: none missing, doubled, in another order or altered", b.read)
}

func (b *teamBattery) must(args ...string) string {
	b.Helper()
	var out, errOut bytes.Buffer
	c := exec.Command(program, args...)
	c.Env = append(os.Environ(), "JOURNAL_TEAM=", "JOURNAL_DIR="+b.dir, "HOME="+b.root, "JOURNAL_IDLE=10m", "JOURNAL_OWNER=")
	c.Stdout, c.Stderr, c.Dir = &out, &errOut, b.root
	if err := c.Run(); err != nil {
		b.Fatalf("journal %s: %v, %s", strings.Join(args, " "), err, &errOut)
	}
	return out.String()
}

func (b *teamBattery) prepare() {
	b.Helper()
	dir, err := os.MkdirTemp("", "jt") // short enough for a socket
	if err != nil {
		b.Fatal(err)
	}
	b.dir, b.hub = filepath.Join(dir, "j"), filepath.Join(b.root, "hub")
	b.Cleanup(func() {
		b.must("stop")
		for name := range b.nodes {
			b.killNode(name)
		}
		os.RemoveAll(dir)
	})
	ca := b.certificates()
	line := []string{"team", "init", b.hub, "--name", "acme", "--cert", filepath.Join(b.root, "hub.crt"), "--key", filepath.Join(b.root, "hub.key"), "--ca", ca}
	for range 3 {
		line = append(line, "--node", "127.0.0.1:"+hubtest.Ports(b))
	}
	b.must(line...)
	b.must("team", "invite", "alice", "--hub", b.hub)
	for n := range 3 {
		b.startNode("node-" + strconv.Itoa(n+1))
	}
	b.must("team", "invite", "bob", "--hub", b.hub)
	var said []byte
	if !testutil.Within(testutil.Patience, func() (ok bool) {
		said, err = exec.Command(program, "team", "reload", "--hub", b.hub).CombinedOutput()
		return err == nil
	}) {
		b.Fatalf("the hub does not answer: %s%s", said, b.nodeLogs())
	}
	if b.bob, err = team.ReadMember(filepath.Join(b.hub, "bob.invitation")); err != nil {
		b.Fatal(err)
	}
	b.must("team", "join", filepath.Join(b.hub, "alice.invitation"))
}

// certificates makes an authority and a certificate of it for loopback.
func (b *teamBattery) certificates() (ca string) {
	b.Helper()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(b.root, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			b.Fatal(err)
		}
		return path
	}
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	signer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	der, err := x509.CreateCertificate(rand.Reader, authority, authority, signer.Public(), signer)
	must(err)
	ca = write("ca.pem", "CERTIFICATE", der)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "hub"}, NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err = x509.CreateCertificate(rand.Reader, leaf, authority, key.Public(), signer)
	must(err)
	write("hub.crt", "CERTIFICATE", der)
	der, err = x509.MarshalECPrivateKey(key)
	must(err)
	write("hub.key", "EC PRIVATE KEY", der)
	return ca
}

func (b *teamBattery) startNode(name string) {
	b.Helper()
	c := exec.Command(b.server, "-c", name+".conf", "-l", filepath.Join(b.root, name+".log"))
	c.Dir = b.hub
	c.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	b.nodes[name] = c
}

// nodeLogs gives the end of what each node said.
func (b *teamBattery) nodeLogs() (all string) {
	for n := range 3 {
		name := "node-" + strconv.Itoa(n+1) + ".log"
		text, _ := os.ReadFile(filepath.Join(b.root, name))
		all += fmt.Sprintf("%s:\n%s\n", name, text[max(0, len(text)-2000):])
	}
	return all
}

func (b *teamBattery) killNode(name string) {
	if c := b.nodes[name]; c != nil {
		_ = c.Process.Kill()
		_ = c.Wait()
		delete(b.nodes, name)
	}
}

// fill puts events into the laptop's log.
func (b *teamBattery) fill(n int) {
	b.Helper()
	b.own(func(o *owner.Owner) error {
		var all []record.Record
		for i := range n {
			said := testutil.Words(uint64(i), 60)
			if i == n/2 {
				said = marker
			}
			e, err := events.Wrap(events.PromptSubmitted{Text: fmt.Sprintf("%d: %s", i, said)}, events.Meta{
				ID: events.NewID(), At: time.Now().UnixNano(), Agent: "claude", Project: "web-" + strconv.Itoa(i%3), Session: "s" + strconv.Itoa(i/500),
			})
			if err != nil {
				return err
			}
			r, err := journal.NewRecord(e)
			if err != nil {
				return err
			}
			if all = append(all, r); len(all) == journal.MaxBatch || i == n-1 {
				if _, err := o.Log().StoreBatch(b.Context(), all); err != nil {
					return err
				}
				all = all[:0]
			}
		}
		return nil
	})
}

// own does something as the owner of the laptop's log, and remembers what that holds then.
func (b *teamBattery) own(do func(*owner.Owner) error) {
	b.Helper()
	a := cli.NewApp()
	a.Dir, a.Getenv = b.dir, func(string) string { return "" }
	err := service.With(b.Context(), b.dir, time.Minute, a.OwnerConfig(), func(o *owner.Owner) error {
		if err := do(o); err != nil {
			return err
		}
		b.log = map[uint64]record.Record{}
		for r, err := range o.Log().Stored(b.Context(), events.Span{}) {
			if err != nil {
				return err
			}
			b.log[r.Seq] = r
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

func (b *teamBattery) status() (d team.Status) {
	b.Helper()
	if err := json.Unmarshal([]byte(b.must("team", "status", "--json")), &d); err != nil {
		b.Fatal(err)
	}
	return d
}

// round has the copy made anew, kills something in the middle, and compares what came of it.
func (b *teamBattery) round(n int, kind string) {
	b.Helper()
	what := fmt.Sprintf("round %d, %s", n, kind)
	before, err := team.LoadCopy(b.dir)
	if err != nil {
		b.Fatal(err)
	}
	c := before
	c.Number++ // beside the one before, which goes when this is complete
	if err := c.Save(b.dir); err != nil {
		b.Fatal(err)
	}
	b.killOwner()
	b.must("sessions") // another owner starts
	wait := time.Duration(mrand.IntN(3000+len(b.log)/20)) * time.Millisecond
	time.Sleep(wait) // anywhere in the derivation, the upload, or after it
	switch kind {
	case "laptop":
		b.killOwner()
		b.must("sessions")
	case "node":
		name := "node-" + strconv.Itoa(1+mrand.IntN(3))
		b.killNode(name)
		time.Sleep(time.Duration(mrand.IntN(1500)) * time.Millisecond)
		b.startNode(name)
	case "hub":
		for name := range b.nodes {
			_ = b.nodes[name].Process.Kill()
		}
		for n := range 3 {
			name := "node-" + strconv.Itoa(n+1)
			b.killNode(name)
			b.startNode(name)
		}
	}
	took := b.complete(what)
	b.late[kind] = append(b.late[kind], took)
	b.Logf("%s: killed after %v, complete %v later", what, wait.Round(time.Millisecond), took)
}

// marker is in one event, which is forgotten in the end.
const marker = "the-marker-that-has-to-go-4711"

// forget forgets an event while the hub is away: when that is back no file of any node holds it.
func (b *teamBattery) forget() {
	b.Helper()
	for n := range 3 {
		if dir := filepath.Join(b.hub, "jetstream-node-"+strconv.Itoa(n+1)); len(holding(b, dir, marker)) == 0 {
			b.Fatalf("%s never held the marker", dir)
		}
	}
	for name := range b.nodes {
		b.killNode(name)
	}
	b.must("forget", "--match", marker, "--yes")
	if found := holding(b, b.dir, marker); len(found) != 0 {
		b.Fatalf("the marker is here in %s", found)
	}
	testutil.Eventually(b, "it is pending", func() bool { return b.status().Pending > 0 })
	for n := range 3 {
		b.startNode("node-" + strconv.Itoa(n+1))
	}
	began := time.Now()
	for late := time.Now().Add(forgetting); b.status().Pending > 0; time.Sleep(time.Second) {
		if time.Now().After(late) {
			b.Fatalf("it is pending for %v: %+v", forgetting, b.status())
		}
	}
	if found := holding(b, b.hub, marker); len(found) != 0 {
		b.Fatalf("nothing is pending, and the marker is in %s", found)
	}
	b.Logf("what was forgotten while the hub was away was in no file of the three nodes %v after they started", time.Since(began).Round(time.Millisecond))
	b.must("stop")
	b.own(func(*owner.Owner) error { return nil })
	b.must("sessions") // another owner starts
	b.complete("after forgetting")
}

// forgetting bounds how long it is said that nodes may keep in what they tell each other what has to be gone.
const forgetting = 6 * time.Minute

func (b *teamBattery) killOwner() {
	b.Helper()
	if o := service.ReadStatus(b.Context(), b.dir).Owner; o != nil {
		_ = unix.Kill(o.PID, unix.SIGKILL)
		testutil.Eventually(b, "the owner is dead", func() bool { return unix.Kill(o.PID, 0) != nil })
	}
}

// catchUp bounds how long nothing comes to the hub before it has everything, on a machine with other work.
const catchUp = 90 * time.Second

// complete waits until the hub has everything, and compares each record of it with the log. It gives
// how long it waited.
func (b *teamBattery) complete(what string) (took time.Duration) {
	b.Helper()
	var d team.Status
	began, was := time.Now(), ""
	for late := time.Now().Add(catchUp); ; time.Sleep(100 * time.Millisecond) {
		c, err := team.LoadCopy(b.dir)
		if err != nil {
			b.Fatal(err)
		}
		d = b.status()
		if is := fmt.Sprint(d.Hub, d.Copy, c.AtHub); is != was {
			late, was = time.Now().Add(catchUp), is
		}
		if d.Connected && d.Copy == c.Number && d.Behind == 0 && d.Hub == uint64(len(b.log)) && len(c.AtHub) == 1 {
			took = time.Since(began).Round(time.Millisecond)
			break
		}
		if time.Now().After(late) {
			b.Fatalf("%s: not complete within %v: %+v, %+v", what, catchUp, d, c)
		}
	}
	for late := time.Now().Add(reading); ; {
		err := b.compare()
		if err == nil {
			return took
		}
		if time.Now().After(late) {
			b.Fatalf("%s: the copy cannot be read within %v: %v", what, reading, err)
		}
	}
}

// reading bounds what it takes until the hub's copy can be read, while a node that was killed catches up.
const reading = 3 * time.Minute

func (b *teamBattery) compare() error {
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	hub, err := peers.Reach(ctx, b.bob)
	if err != nil {
		return err
	}
	defer hub.Close()
	// A node that has just begun may never answer what it was asked before it was ready.
	asking, stop := context.WithTimeout(ctx, 15*time.Second)
	defer stop()
	all, err := hub.Copies(asking, "alice")
	if err != nil {
		return err
	}
	if len(all) != 1 {
		return fmt.Errorf("%d copies", len(all))
	}
	log, err := all[0].Log(ctx)
	if err != nil {
		return err
	}
	st, err := log.Stats(ctx)
	if err != nil {
		return err
	}
	if n := uint64(len(b.log)); st.First != 1 || st.Last != n || st.Events != n || st.Deleted != 0 {
		b.Fatalf("the copy has %+v, the log %d", st, n)
	}
	n := 0
	for r, err := range log.Stored(ctx, events.Span{}) {
		if err != nil {
			return err
		}
		if want := b.log[r.Seq]; r.Subject != want.Subject || r.ID != want.ID || !bytes.Equal(r.Data, want.Data) {
			b.Fatalf("#%d differs: %q %q %q, want %q %q %q", r.Seq, r.Subject, r.ID, r.Data, want.Subject, want.ID, want.Data)
		}
		n++
	}
	if n != len(b.log) {
		return fmt.Errorf("%d of %d could be read", n, len(b.log))
	}
	b.read += n
	return nil
}
