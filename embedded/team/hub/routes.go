package hub

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"journal/journal/disk"
)

// Anybody who reaches a cluster port and passes for a node reads and writes everything. So nodes know each other by
// certificates of an authority that signs nothing else and whose key nobody keeps, and by a secret, also where laptops
// come without TLS.

const (
	// routeSuffix ends the name of the file with a node's certificate, that of the authority, and the node's key.
	routeSuffix = ".route.pem"
	// routeUser is the user name of nodes.
	routeUser = "node"
)

// ErrOpenPort is returned for a node whose cluster port takes anyone.
var ErrOpenPort = errors.New("its cluster port has no TLS: whoever reaches it reads and writes everything")

// hasClusterPorts reports whether the nodes of this hub have cluster ports.
func (h *Hub) hasClusterPorts() bool { return len(h.Nodes) > 1 && h.Cluster == nil }

// makeSecret makes the secret and the files of certificates by which several nodes know each other.
func (h *Hub) makeSecret() error {
	if !h.hasClusterPorts() {
		return nil
	}
	now := time.Now()
	ca, caKey, err := certificate([]string{"nodes of " + h.Team}, now, nil)
	if err != nil {
		return err
	}
	authority, err := tls.X509KeyPair(ca, caKey)
	if err != nil {
		return err
	}
	hosts := make([]string, len(h.Nodes)) // a node may be reached by an address that another advertises
	for i, n := range h.Nodes {
		hosts[i] = n.Host
	}
	for _, n := range h.Nodes {
		cert, key, err := certificate(hosts, now, &authority)
		if err != nil {
			return err
		}
		all := append(append(cert, ca...), key...)
		if err := disk.ReplaceShared(filepath.Join(h.dir, n.Name+routeSuffix), all); err != nil {
			return err
		}
	}
	h.Secret = rand.Text()
	return nil
}

// guard returns the lines of a node's configuration that keep strangers from its cluster port.
func (h *Hub) guard(n Node) string {
	file := strconv.Quote(n.Name + routeSuffix)
	return fmt.Sprintf("  tls { cert_file: %[1]s, key_file: %[1]s, ca_file: %[1]s, timeout: 5 }\n  authorization { user: %[2]s, password: %[3]q, timeout: 5 }\n",
		file, routeUser, h.Secret)
}

// route returns the URL by which another node reaches n.
func (h *Hub) route(n Node) string {
	return fmt.Sprintf("nats://%s:%s@%s:%d", routeUser, h.Secret, n.Host, n.Cluster)
}

// CheckPorts asks every node whether its cluster port takes anyone. The error names each such node (ErrOpenPort), and
// those that do not answer.
func (h *Hub) CheckPorts(ctx context.Context) error {
	return h.each(ctx, func(nc *nats.Conn) error {
		var reply struct {
			Data struct {
				Cluster struct {
					Port int  `json:"cluster_port"`
					TLS  bool `json:"tls_required"` // servers verify both sides then
				} `json:"cluster"`
			} `json:"data"`
		}
		err := ask(ctx, nc, "VARZ", &reply)
		if err == nil && reply.Data.Cluster.Port != 0 && !reply.Data.Cluster.TLS {
			err = ErrOpenPort
		}
		return err
	})
}

// listenAddress returns the one address that a node of a host listens on: the host, when it is an address of this machine.
// Other hosts are names, or are reached through something in between: their nodes listen on all addresses.
func listenAddress(host string) string {
	if host == "localhost" {
		return "127.0.0.1"
	}
	ip := net.ParseIP(host)
	addresses, _ := net.InterfaceAddrs() // none are known with an error
	isOwn := func(a net.Addr) bool {
		own, ok := a.(*net.IPNet)
		return ok && own.IP.Equal(ip)
	}
	if ip.IsLoopback() || slices.ContainsFunc(addresses, isOwn) {
		return host
	}
	return AllAddresses
}

// AllAddresses is the address of a node that listens on all that its machine has.
const AllAddresses = "0.0.0.0"

// ClosingPorts explains how to close the cluster port of a node to strangers.
const ClosingPorts = "copy node-N.conf and node-N.route.pem of the hub's directory to node N, and start it again; a cluster block that you changed needs tls and authorization"
