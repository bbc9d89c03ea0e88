//go:build unix

package sock

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The directory below /tmp has one fixed name for each user, so its check is
// tested on directories elsewhere.
func TestSharedDirectoryMustBePrivate(t *testing.T) {
	t.Parallel()
	good := filepath.Join(t.TempDir(), "good")
	if err := os.Mkdir(good, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := checkShared(good); err != nil {
		t.Errorf("a private directory: %v", err)
	}
	for name, spoil := range map[string]func(path string) error{
		"others can read":  func(path string) error { return os.Chmod(path, 0o744) },
		"others can write": func(path string) error { return os.Chmod(path, 0o702) },
		"symlink":          func(path string) error { return errors.Join(os.Remove(path), os.Symlink(good, path)) },
		"file":             func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600)) },
		"another's": func(path string) error {
			if os.Geteuid() != 0 {
				return os.Chmod(path, 0o777)
			}
			return os.Chown(path, 12345, -1)
		},
	} {
		path := filepath.Join(t.TempDir(), "dir")
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		if err := checkShared(path); !errors.Is(err, ErrUntrusted) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
