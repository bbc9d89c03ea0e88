package upload_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/testutil"
	"journal/embedded/team"
	"journal/embedded/team/hub"
)

// authority signs certificates.
type authority struct {
	t    testing.TB
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	PEM  string
}

func newAuthority(t testing.TB) *authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	must(t, err)
	return &authority{t, t.TempDir(), c, key, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))}
}

// certificate writes one for an address until some time, over the one that was there.
func (a *authority) certificate(ip net.IP, until time.Time) hub.TLS {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(a.t, err)
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "hub"}, NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: until,
		IPAddresses: []net.IP{ip}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, a.cert, key.Public(), a.key)
	must(a.t, err)
	private, err := x509.MarshalECPrivateKey(key)
	must(a.t, err)
	files := hub.TLS{Cert: filepath.Join(a.dir, "hub.crt"), Key: filepath.Join(a.dir, "hub.key"), CA: a.PEM}
	must(a.t, os.WriteFile(files.Cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must(a.t, os.WriteFile(files.Key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}), 0o600))
	return files
}

// Why a laptop does not reach its hub is told, and whether the hub or only the network is to blame, and how
// much it lacks.
func TestTroubleIsTold(t *testing.T) {
	t.Parallel()
	loopback, soon := net.IPv4(127, 0, 0, 1), time.Now().Add(time.Hour)
	secure := func(to net.IP, until time.Time) func(testing.TB) hub.TLS {
		return func(t testing.TB) hub.TLS { return newAuthority(t).certificate(to, until) }
	}
	good := secure(loopback, soon)
	plain := func(testing.TB) hub.TLS { return hub.TLS{} }
	for name, c := range map[string]struct {
		tls     func(testing.TB) hub.TLS
		wrong   func(*team.Member)
		told    string
		refused bool
	}{
		"certificate expired":           {secure(loopback, time.Now().Add(-time.Hour)), nil, "certificate has expired", true},
		"certificate of another":        {secure(net.IPv4(10, 0, 0, 1), soon), nil, "certificate is valid for 10.0.0.1", true},
		"certificate of nobody we know": {good, func(m *team.Member) { m.CA = newAuthority(t).PEM }, "unknown authority", true},
		"TLS where there is none":       {plain, func(m *team.Member) { m.Hub[0] = "tls" + m.Hub[0][len("nats"):] }, "secure connection not available", false},
		"no TLS where a CA is named":    {plain, func(m *team.Member) { m.CA = newAuthority(t).PEM }, "secure connection not available", false},
		"key of somebody else":          {good, func(m *team.Member) { m.Key = newHub(t, 1).Member(t, "alice").Key }, "Authorization Violation", true},
		"key that is none":              {good, func(m *team.Member) { m.Key.Seed = "SUXXX" }, "invalid encoded key", false},
		"name that nobody has":          {good, func(m *team.Member) { m.Hub[0] = "tls://hub.invalid:4222" }, "hub.invalid", false},
		"nobody listens":                {good, func(m *team.Member) { m.Hub[0] = "tls://127.0.0.1:1" }, "no servers available", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHubOf(t, hub.Hub{TLS: c.tls(t)}, 1)
			alice := h.Member(t, "alice")
			if c.wrong != nil {
				c.wrong(&alice)
			}
			h.Start(t)
			p := newLaptop(t, alice)
			p.log.add("web", 10)
			p.share(t, "web")
			p.on()
			testutil.Eventually(t, "it is told", func() bool {
				s := p.status(t)
				return strings.Contains(s.Problem, c.told) && s.Refused == c.refused && !s.Connected
			})
			p.log.add("web", 10)
			testutil.Eventually(t, "what it lacks is counted", func() bool { return p.status(t).Behind == 20 })
		})
	}
}

// A hub whose certificate was renewed is reached again by itself.
func TestCertificateRenewed(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	h := newHubOf(t, hub.Hub{TLS: a.certificate(net.IPv4(127, 0, 0, 1), time.Now().Add(time.Hour))}, 1)
	alice := h.Member(t, "alice")
	h.Start(t)
	h.Announced(t)
	a.certificate(net.IPv4(127, 0, 0, 1), time.Now().Add(-time.Hour))
	h.Reread(t)
	p := newLaptop(t, alice)
	p.log.add("web", 10)
	p.share(t, "web")
	p.on()
	testutil.Eventually(t, "it is told", func() bool { return p.status(t).Refused })
	a.certificate(net.IPv4(127, 0, 0, 1), time.Now().Add(time.Hour))
	h.Reread(t)
	if s := arrived(t, p); s.Refused || s.Problem != "" {
		t.Errorf("all is well, and it says %+v", s)
	}
}

// A hub that takes nothing more, because the member's room there is used up, is told of; with more room it
// goes on by itself.
func TestRoomIsUsedUp(t *testing.T) {
	t.Parallel()
	h := newHubOf(t, hub.Hub{Limits: hub.Limits{Bytes: 10 << 10}}, 1)
	alice := h.Member(t, "alice")
	h.Start(t)
	h.Announced(t)
	p := newLaptop(t, alice)
	p.log.add("web", 3000)
	p.share(t, "web")
	p.on()
	testutil.Eventually(t, "it is told", func() bool {
		s := p.status(t)
		return s.Refused && strings.Contains(s.Problem, "maximum bytes exceeded") && s.Hub > 0 && s.Behind > 0
	})
	alter(t, h, func(h *hub.Hub) { h.Limits.Bytes = 1 << 30 })
	h.Member(t, "bob") // which writes the configuration
	h.Announced(t)
	if s := arrived(t, p); s.Refused || s.Problem != "" {
		t.Errorf("all is well, and it says %+v", s)
	}
}
