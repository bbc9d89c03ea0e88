package ownership

import (
	"slices"
	"testing"
)

// An owner outlives the session that started it, and gets neither its credentials nor its id.
func TestEnviron(t *testing.T) {
	t.Parallel()
	got := environ([]string{
		"HOME=/h", "JOURNAL_DIR=/j", "JOURNAL_SESSION=s", "ANTHROPIC_API_KEY=k", "LC_ALL=ko_KR.UTF-8", "HOMEBREW=x", "CLAUDE_CODE_SESSION_ID=s",
	})
	if want := []string{"HOME=/h", "JOURNAL_DIR=/j", "LC_ALL=ko_KR.UTF-8"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
