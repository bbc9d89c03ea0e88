package dial

import (
	"bufio"
	"context"
	"net"
	"strings"
	"testing"

	"github.com/nats-io/nkeys"

	"journal/embedded/team"
)

// A connection that comes about after its context has ended is closed.
func TestConnectTooLate(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		conn.Write([]byte(`INFO {"headers":true,"max_payload":1048576,"nonce":"n","auth_required":true}` + "\r\n"))
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "PING") {
				conn.Write([]byte("PONG\r\n"))
			}
		}
	}()
	user, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if nc, err := Connect(ctx, team.Member{Team: "acme"}, []string{"nats://" + l.Addr().String()}, team.Key{JWT: "jwt", Seed: string(seed)}); nc != nil || err == nil {
		t.Fatalf("connection %v, error %v", nc, err)
	}
	<-closed
}
