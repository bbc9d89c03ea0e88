package cli

import (
	"fmt"
	"io/fs"
	"testing"

	"github.com/spf13/cobra"

	"journal/journal/agents/install"
)

// Settings that cannot be written have a hint of their own: --dir does not move them.
func TestHintOfSettings(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("write: %w", &install.Error{Err: fs.ErrPermission, Try: "make it writable"})
	if _, try := explain(&App{}, &cobra.Command{}, err); try != "make it writable" {
		t.Errorf("try: %s", try)
	}
}
