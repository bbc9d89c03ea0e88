package cli

import "testing"

// A version that the go command made up of a commit says less than the commit.
func TestIsRelease(t *testing.T) {
	t.Parallel()
	for v, want := range map[string]bool{
		"v1.2.3": true, "v1.2.3-rc.1": true, "v1.2.3+dirty": true, "": false, "(devel)": false,
		"v0.0.0-20260102030405-0123456789ab": false, "v1.2.4-0.20260102030405-0123456789ab": false,
		"v1.2.4-rc.1.0.20260102030405-0123456789ab+dirty": false,
	} {
		if got := isRelease(v); got != want {
			t.Errorf("%q: %v, want %v", v, got, want)
		}
	}
}
