package hub_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/team/dial"
	"journal/embedded/team/hub"
)

// TestListensOnItsHost: a node binds its host's address where that is the machine's own, and all addresses only where
// something may translate.
func TestListensOnItsHost(t *testing.T) {
	t.Parallel()
	want := map[string]string{"localhost": "127.0.0.1", "127.0.0.1": "127.0.0.1", "hub.example": hub.AllAddresses, "192.0.2.1": hub.AllAddresses}
	addresses, err := net.InterfaceAddrs()
	must(t, err)
	for _, a := range addresses {
		if own := a.(*net.IPNet).IP; own.To4() != nil {
			want[own.String()] = own.String()
		}
	}
	for host, address := range want {
		n, err := hub.ParseNode(host, 1)
		must(t, err)
		if n.Listen != address {
			t.Errorf("a node of %s listens on %s, want %s", host, n.Listen, address)
		}
	}
}

// Nobody is taken for a node who has not both, a certificate of the nodes' authority and their secret. Who has them is: the
// table can fail.
func TestOnlyNodesReachClusterPorts(t *testing.T) {
	t.Parallel()
	h := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 3)
	h.Start(t)
	h.Announced(t)
	must(t, h.CheckPorts(t.Context()))
	file := filepath.Join(h.Dir, "node-1.route.pem")
	own, err := tls.LoadX509KeyPair(file, file)
	must(t, err)
	secret := fmt.Sprintf(`"user":"node","pass":%q,`, h.Secret)
	for _, a := range []struct {
		name   string
		tls    *tls.Config
		secret string
		taken  bool
	}{
		{"without TLS", nil, "", false},
		{"without TLS, with the secret", nil, secret, false},
		{"without a certificate", &tls.Config{}, secret, false},
		{"with a certificate of one's own", &tls.Config{Certificates: []tls.Certificate{selfSigned(t)}}, secret, false},
		{"without the secret", &tls.Config{Certificates: []tls.Certificate{own}}, "", false},
		{"with a wrong secret", &tls.Config{Certificates: []tls.Certificate{own}}, `"user":"node","pass":"x",`, false},
		{"as a node", &tls.Config{Certificates: []tls.Certificate{own}}, secret, true},
	} {
		for _, n := range h.Nodes {
			if taken := takesForNode(t, fmt.Sprintf("127.0.0.1:%d", n.Cluster), a.tls, a.secret); taken != a.taken {
				t.Errorf("%s, %s: taken for a node: %v", n.Name, a.name, taken)
			}
		}
	}
}

// takesForNode reports whether a cluster port tells what accounts listen to, as a node is told.
func takesForNode(t *testing.T, address string, c *tls.Config, secret string) bool {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	must(t, err)
	defer conn.Close()
	must(t, conn.SetDeadline(time.Now().Add(testutil.Patience)))
	if c != nil {
		c := c.Clone()
		c.InsecureSkipVerify = true // whoever attacks does not mind
		conn = tls.Client(conn, c)
	}
	_, err = fmt.Fprintf(conn, "CONNECT {%s\"verbose\":false,\"pedantic\":false,\"name\":\"rogue\",\"cluster\":\"acme\",\"headers\":true,\"tls_required\":%v}\r\n"+
		"INFO {\"server_id\":\"rogue\",\"server_name\":\"rogue\",\"proto\":1,\"headers\":true,\"max_payload\":1048576,\"cluster\":\"acme\",\"lnoc\":true,\"jetstream\":true}\r\nPING\r\n", secret, c != nil)
	if err != nil {
		return false
	}
	var told strings.Builder
	for b := make([]byte, 4096); !strings.Contains(told.String(), "PONG"); {
		n, err := conn.Read(b)
		told.Write(b[:n])
		if err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("nothing is answered behind %q", told.String())
			}
			return false
		}
	}
	return true
}

func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nodes of acme"}, NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, public, private)
	must(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}
}

// A node whose cluster block somebody changed to one without TLS is found open, and not when it has it again.
func TestOpenPortsAreFound(t *testing.T) {
	t.Parallel()
	h := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 3)
	good := map[string][]byte{}
	for _, n := range h.Nodes {
		path := filepath.Join(h.Dir, n.Name+".conf")
		b, err := os.ReadFile(path)
		must(t, err)
		good[path] = b
		before, rest, _ := strings.Cut(string(b), "  tls { cert_file: \""+n.Name+".route.pem")
		_, after, _ := strings.Cut(rest, "  routes:")
		open := before + "  # the switch is locked away\n  routes:" + strings.ReplaceAll(after, "node:"+h.Secret+"@", "")
		must(t, os.WriteFile(path, []byte(open), 0o600))
	}
	h.Start(t)
	if err := h.CheckPorts(t.Context()); !errors.Is(err, hub.ErrOpenPort) || strings.Count(err.Error(), "node-") != 3 {
		t.Errorf("open: %v", err)
	}
	h.StopAll()
	for path, b := range good {
		must(t, os.WriteFile(path, b, 0o600))
	}
	h.Start(t)
	h.Announced(t)
	must(t, h.CheckPorts(t.Context()))
}

// No address is dialled that somebody names who has not shown the hub's certificate.
func TestUnknownServersNameNoAddress(t *testing.T) {
	t.Parallel()
	elsewhere, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer elsewhere.Close()
	impostor, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer impostor.Close()
	own := selfSigned(t)
	go func() {
		for {
			conn, err := impostor.Accept()
			if err != nil {
				return
			}
			fmt.Fprintf(conn, "INFO {\"server_id\":\"x\",\"version\":\"2.14.0\",\"tls_required\":true,\"headers\":true,\"proto\":1,\"nonce\":\"abc\",\"connect_urls\":[%q]}\r\n", elsewhere.Addr())
			server := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{own}})
			_, _ = io.Copy(io.Discard, server)
			server.Close()
		}
	}()
	dir := filepath.Join(t.TempDir(), "hub")
	node, err := hub.ParseNode("127.0.0.1:"+hubtest.Ports(t), 1)
	must(t, err)
	h, err := hub.CreateServed(t.Context(), dir, "acme", node)
	must(t, err)
	in, err := h.Invite("bob")
	must(t, err)
	in[0].Hub = []string{"tls://" + impostor.Addr().String()}
	if nc, err := dial.Connect(t.Context(), in[0], in[0].Hub, in[0].Key); err == nil || errors.Is(err, nats.ErrNoServers) && nc != nil {
		t.Errorf("an impostor is believed: %v", err)
	}
	must(t, elsewhere.(*net.TCPListener).SetDeadline(time.Now().Add(50*time.Millisecond)))
	if conn, err := elsewhere.Accept(); err == nil {
		t.Errorf("%s was dialled", conn.LocalAddr())
	}
}
