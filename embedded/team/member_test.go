package team

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// An invitation in one line is the same invitation, and a line that lost its end is none.
func TestLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(1, 400, 2000)
		m := Member{
			Version: Version, Team: "acme", Name: "bob", Hub: []string{"tls://127.0.0.1:7422"}, Account: "A", Issuer: "U",
			CA: text.Draw(t, "ca"), Key: Key{JWT: "eyJ", Seed: text.Draw(t, "seed")},
		}
		line := m.Line()
		got, err := ParseMember(" " + line + "\n")
		if err != nil || got.CA != m.CA || got.Key != m.Key || got.Hub[0] != m.Hub[0] {
			t.Fatalf("%+v became %+v: %v", m, got, err)
		}
		short := line[:rapid.IntRange(len(linePrefix), len(line)-2).Draw(t, "length")]
		if _, err := ParseMember(short); !errors.Is(err, ErrInvitation) {
			t.Fatalf("%q is read: %v", short, err)
		}
	})
}

// A device keeps its name while the file of the name cannot be read.
func TestUnreadableDevice(t *testing.T) {
	t.Parallel()
	journal := t.TempDir()
	m := Member{Version: Version, Team: "acme", Name: "bob", Hub: []string{"h"}, Account: "A", Issuer: "U", Key: Key{JWT: "j", Seed: "s"}}
	joined, err := Join(journal, m)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(Dir(journal), deviceName)
	hidden := path + ".hidden"
	loop := errors.Join(os.Rename(path, hidden), os.Symlink(deviceName, path)) // a link to itself
	if loop != nil {
		t.Fatal(loop)
	}
	if now, err := Load(journal); err == nil {
		t.Errorf("device %s became %s", joined.Device, now.Device)
	}
	if err := os.Rename(hidden, path); err != nil {
		t.Fatal(err)
	}
	if now, err := Load(journal); err != nil || now.Device != joined.Device {
		t.Errorf("device %s became %s, error %v", joined.Device, now.Device, err)
	}
	if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	if now, err := Load(journal); err != nil || !name().MatchString(now.Device) {
		t.Errorf("a file without a name: device %q, error %v", now.Device, err)
	}
}
