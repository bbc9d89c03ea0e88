package embedded_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded"
)

func TestListenRefusesTheNetwork(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	l := ownertest.Lock(t, dir)
	for _, listen := range []string{
		"0.0.0.0:0", "[::]:0", "192.168.1.1:4222", ":4222", "localhost:4222", "127.0.0.1", "127.0.0.1:x", "[fe80::1%lo]:0",
	} {
		s, err := embedded.Own(context.Background(), l, embedded.Options{Listen: listen})
		if err == nil {
			s.Close()
			t.Errorf("%s: accepted", listen)
			continue
		}
		testutil.WantError(t, err, embedded.ErrNotLoopback)
	}
}

func TestListenOnLoopback(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"127.0.0.1", "::1"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			at := net.JoinHostPort(host, "0")
			probe, err := net.Listen("tcp", at)
			if err != nil {
				t.Skip(err)
			}
			probe.Close()
			s := owner(t, ownertest.Dir(t), embedded.Options{Listen: at})
			if !strings.HasPrefix(s.ClientURL(), "nats://"+strings.TrimSuffix(at, "0")) {
				t.Errorf("listens at %s", s.ClientURL())
			}
			nc, err := nats.Connect(s.ClientURL(), nats.UserInfo(s.Credentials()))
			if err != nil {
				t.Fatal(err)
			}
			nc.Close()
		})
	}
}

func TestNoListenerUnlessAsked(t *testing.T) {
	t.Parallel()
	s := owner(t, ownertest.Dir(t), embedded.Options{})
	user, password := s.Credentials()
	if s.ClientURL() != "" || user != "" || password != "" {
		t.Errorf("%q, %q, %q", s.ClientURL(), user, password)
	}
	if _, err := s.WriteContext(t.TempDir()); err == nil {
		t.Error("wrote a context that leads nowhere")
	}
}

func TestContextFile(t *testing.T) {
	t.Parallel()
	s := owner(t, ownertest.Dir(t), embedded.Options{Listen: "127.0.0.1:0"})
	path, err := s.WriteContext(filepath.Join(t.TempDir(), "nats", "context"))
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(path) != "journal.json" {
		t.Errorf("written to %s", path)
	}
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", fi.Mode())
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var c struct{ Description, URL, User, Password string }
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(c.URL, nats.UserInfo(c.User, c.Password))
	if err != nil {
		t.Fatalf("with what the file says: %v", err)
	}
	nc.Close()
	if c.Description == "" {
		t.Error("no description")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file outlived the owner")
	}
}

func TestContextFileOfAnotherOwnerStays(t *testing.T) {
	t.Parallel()
	contexts := t.TempDir()
	first := owner(t, ownertest.Dir(t), embedded.Options{Listen: "127.0.0.1:0"})
	second := owner(t, ownertest.Dir(t), embedded.Options{Listen: "127.0.0.1:0"})
	for _, s := range []*embedded.Server{first, second} {
		if _, err := s.WriteContext(contexts); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(contexts, "journal.json"))
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, string(b), second.ClientURL())
}

func TestContextDir(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for config, want := range map[string]string{
		filepath.Join(home, "cfg"): filepath.Join(home, "cfg", "nats", "context"),
		"":                         filepath.Join(home, ".config", "nats", "context"),
		"relative":                 filepath.Join(home, ".config", "nats", "context"),
	} {
		t.Setenv("XDG_CONFIG_HOME", config)
		if got, err := embedded.ContextDir(); err != nil || got != want {
			t.Errorf("XDG_CONFIG_HOME=%q: %s, %v", config, got, err)
		}
	}
}
