package hub

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"embed"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	texts "text/template"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"journal/embedded"
	"journal/embedded/team"
	"journal/journal/disk"
)

// ErrOpenPort is returned for a node whose cluster port accepts anyone.
var ErrOpenPort = errors.New("its cluster port has no TLS: whoever reaches it reads and writes everything")

// writeNodes writes the files of each node. A client that a cluster port takes for a node reads and writes everything. So several nodes
// authenticate each other by a certificate that they alone trust and have, in NODE.route.pem, and by a secret, also where laptops connect
// without TLS.
func (h *Hub) writeNodes() error {
	var pair []byte
	if len(h.Nodes) > 1 {
		hosts := make([]string, len(h.Nodes)) // a node may be reached by an address that another advertises
		for i, n := range h.Nodes {
			hosts[i] = n.Host
		}
		cert, key, err := certificate(hosts)
		if err != nil {
			return err
		}
		pair, h.Secret = append(cert, key...), rand.Text()
	}
	for _, n := range h.Nodes {
		err := h.writeConf(n.Name+".conf", "node.conf.tmpl", struct {
			Node
			Hub *Hub
		}{n, h})
		if err == nil && pair != nil {
			err = disk.ReplaceShared(filepath.Join(h.dir, n.Name+".route.pem"), pair)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// CheckPorts asks every node whether its cluster port accepts anyone. The error names each such node (ErrOpenPort), and
// each that does not answer.
func (h *Hub) CheckPorts(ctx context.Context) error {
	return h.each(ctx, func(nc *nats.Conn) error {
		var reply struct {
			Data struct {
				Cluster server.ClusterOptsVarz `json:"cluster"`
			} `json:"data"`
		}
		err := ask(ctx, nc, "VARZ", &reply)
		if cluster := reply.Data.Cluster; err == nil && cluster.Port != 0 && !cluster.TLSRequired { // with TLS servers verify both sides
			err = ErrOpenPort
		}
		return err
	})
}

// listenAddress returns the address that a node of a host listens on: the host itself if it is an address of this machine,
// else all addresses, because something may translate between the host and the machine.
func listenAddress(host string) string {
	if host == "localhost" {
		return "127.0.0.1"
	}
	ip := net.ParseIP(host)
	addresses, _ := net.InterfaceAddrs() // an error means that none is known
	isOwn := func(a net.Addr) bool {
		own, ok := a.(*net.IPNet)
		return ok && own.IP.Equal(ip)
	}
	if ip.IsLoopback() || slices.ContainsFunc(addresses, isOwn) {
		return host
	}
	return AllAddresses
}

// AllAddresses has a node listen on all addresses of its machine.
const AllAddresses = "0.0.0.0"

const (
	certName = "hub.crt"
	keyName  = "hub.key"
	// certLife is the validity of certificates. Members of a served hub trust its certificate alone, so a new one needs new
	// invitations.
	certLife = 10 * 365 * 24 * time.Hour
)

// CreateServed makes a hub of one node that Run runs, with a certificate of its own. Invitations hold the certificate, and members trust no
// other.
func CreateServed(ctx context.Context, dir, team string, n Node) (*Hub, error) {
	cert, key, err := certificate([]string{n.Host})
	if err != nil {
		return nil, err
	}
	if err := disk.MakePrivate(dir); err != nil {
		return nil, err
	}
	err = errors.Join(disk.ReplaceShared(filepath.Join(dir, certName), cert), disk.ReplaceShared(filepath.Join(dir, keyName), key))
	if err != nil {
		return nil, err
	}
	return Create(ctx, dir, Hub{Team: team, Nodes: []Node{n}, TLS: TLS{Cert: certName, Key: keyName, CA: string(cert)}})
}

// Served reports whether CreateServed made the hub.
func (h *Hub) Served() bool { return h.TLS.Cert == certName && len(h.Nodes) == 1 && h.Cluster == nil }

// certificate makes a key and a self-signed certificate for hosts, in PEM.
func certificate(hosts []string) (cert, key []byte, err error) {
	public, private, _ := ed25519.GenerateKey(rand.Reader) // the random source of the system does not fail
	now := time.Now()
	c := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: hosts[0]},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(certLife), // an hour: clocks differ
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, // nodes are both
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			c.IPAddresses = append(c.IPAddresses, ip)
		} else {
			c.DNSNames = append(c.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, public, private)
	if err != nil {
		return nil, nil, err
	}
	pkcs8, _ := x509.MarshalPKCS8PrivateKey(private) // it has a form for such a key
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}), nil
}

// Here returns the address of this machine in its network, else its name. It sends nothing: the system
// only selects the address that it would send from.
func Here() string {
	if c, err := net.Dial("udp", "192.0.2.1:9"); err == nil { // an address that nobody has (RFC 5737)
		defer c.Close()
		return c.LocalAddr().(*net.UDPAddr).IP.String()
	}
	name, _ := os.Hostname() // empty if the system knows none
	return cmp.Or(name, "localhost")
}

// readyWait bounds the start of the server.
const readyWait = 20 * time.Second

// ErrManyNodes is returned for a hub that Run cannot run.
var ErrManyNodes = errors.New("the hub has several nodes, each runs by nats-server on a machine of its own")

// Run starts the only node of a hub in this process, as nats-server would from the files in the hub's directory. It changes the working
// directory of the process to that one, because the configuration holds relative paths. The server's warnings go to the
// logger. stop ends the server, and returns when its files are closed. The error is ErrManyNodes for a hub of several nodes or of an
// existing cluster.
func (h *Hub) Run(log *slog.Logger) (stop func(), err error) {
	if len(h.Nodes) != 1 || h.Cluster != nil {
		return nil, ErrManyNodes
	}
	if err := os.Chdir(h.dir); err != nil {
		return nil, err
	}
	o, err := server.ProcessConfigFile(filepath.Join(h.dir, h.Nodes[0].Name+".conf"))
	if err != nil {
		return nil, fmt.Errorf("the hub's configuration: %w", err)
	}
	o.NoSigs, o.NoLog = true, true
	s, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("the hub's server: %w", err)
	}
	lines := &embedded.ServerLogger{Out: log}
	s.SetLoggerV2(lines, false, false, false)
	s.Start()
	stop = func() {
		s.Shutdown()
		s.WaitForShutdown()
	}
	if ready := s.ReadyForConnections(readyWait); lines.Failure() != "" || !ready {
		stop()
		return nil, fmt.Errorf("the hub does not start: %s", cmp.Or(lines.Failure(), "it is not ready after "+readyWait.String()))
	}
	return stop, nil
}

//go:embed node.conf.tmpl accounts.conf.tmpl
var templates embed.FS

// writeConf writes a file for the servers from its template.
func (h *Hub) writeConf(name, template string, data any) error {
	t, err := texts.ParseFS(templates, template)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return err
	}
	return disk.ReplaceShared(filepath.Join(h.dir, name), b.Bytes())
}

// service is a service of the account HUB that members' accounts import.
type service struct {
	subject string
	// position is that of the subject's token that has to be the name of the member's account. It is 0 if every member may use any such
	// subject.
	position uint
	local    string // subject in the member's account
	answers  jwt.ResponseType
}

var services = []service{
	{"E.*.*.*", 2, team.Put + "*.*", jwt.ResponseTypeSingleton},
	{"$JS.API.STREAM.MSG.DELETE.*", 6, team.Remove, jwt.ResponseTypeSingleton},
	{"$JS.API.STREAM.MSG.GET.*", 6, team.Newest, jwt.ResponseTypeSingleton},
	{"$JS.API.DIRECT.GET.*", 0, team.Get + "*", jwt.ResponseTypeStream},
	{"$JS.API.STREAM.INFO.*", 0, team.Info + "*", jwt.ResponseTypeSingleton},
}
