package team

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"
)

// TLS says which hub is the hub; nil for one without TLS.
func (m Member) TLS() (*tls.Config, error) {
	secure := false
	for _, u := range m.Hub {
		secure = secure || strings.HasPrefix(u, "tls://") || strings.HasPrefix(u, "wss://")
	}
	if !secure {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if m.CA == "" {
		return c, nil
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM([]byte(m.CA)) {
		return nil, errors.New("the team's invitation holds no certificate that can be read")
	}
	return c, nil
}
