package hub

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"journal/journal/disk"
)

const (
	certName = "hub.crt"
	keyName  = "hub.key"
	// certLife is the validity of the certificate of a served hub: a member trusts this one alone,
	// so a new one needs new invitations.
	certLife = 10 * 365 * 24 * time.Hour
)

// CreateServed makes a hub of one node that journal runs itself: with a key of its own, whose
// certificate stands in every invitation. A member trusts that certificate and no other. The names of
// files in its configuration begin in the hub's directory.
func CreateServed(ctx context.Context, dir, team string, n Node, now time.Time) (*Hub, error) {
	cert, key, err := certificate([]string{n.Host}, now, nil)
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

// Served reports whether journal team serve runs this hub, out of this directory.
func (h *Hub) Served() bool { return h.TLS.Cert == certName && len(h.Nodes) == 1 && h.Cluster == nil }

// certificate makes a key and a certificate for hosts, signed by another, or by itself without one.
func certificate(hosts []string, now time.Time, by *tls.Certificate) (cert, key []byte, err error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, err
	}
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
	parent, signer := c, any(private)
	if by != nil {
		parent, signer, c.IsCA, c.KeyUsage = by.Leaf, by.PrivateKey, false, x509.KeyUsageDigitalSignature
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, public, signer)
	if err != nil {
		return nil, nil, err
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}), nil
}

// Here returns the address of this machine in the network that it is in, else its name. Nothing is
// sent for that: the system only selects the address that it would send from.
func Here() string {
	if c, err := net.Dial("udp", "192.0.2.1:9"); err == nil { // an address that nobody has (RFC 5737)
		defer c.Close()
		if host, _, err := net.SplitHostPort(c.LocalAddr().String()); err == nil {
			return host
		}
	}
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}
