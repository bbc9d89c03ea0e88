package events

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Moves that a reader can be sure of are told, in the directory that the command
// changed to; everything else is not.
func TestMoves(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"git mv a.go b.go":                         "/w/a.go /w/b.go",
		"mv a.go pkg/ && go build ./...":           "/w/a.go /w/pkg/a.go",
		"mv a.go pkg":                              "/w/a.go /w/pkg/a.go",
		"mv -f a.go b.go c.go lib":                 "/w/a.go /w/lib/a.go, /w/b.go /w/lib/b.go, /w/c.go /w/lib/c.go",
		"cd sub; git mv -k 'a file.go' ../b.go":    "/w/sub/a file.go /w/b.go",
		"cd /x\nmv old new":                        "/x/old /x/new",
		`mv "설정.go" 구성.go`:                         "/w/설정.go /w/구성.go",
		`mv a\ b.txt c.txt`:                        "/w/a b.txt /w/c.txt",
		"mv a.go":                                  "",
		"mv Dockerfile.dev Dockerfile":             "/w/Dockerfile.dev /w/Dockerfile",
		"mv a.go \\\n  b.go":                       "",
		"mv a.go b.go # tidy":                      "",
		"mv ~/a.txt b.txt":                         "",
		"cd - && mv a.go b.go":                     "",
		"mv [ab].go lib/":                          "",
		"mv -t lib a.go b.go":                      "",
		"false && mv a.go b.go; echo x":            "",
		"cd sub && mv a.go b.go\n":                 "/w/sub/a.go /w/sub/b.go",
		"mv *.go lib/":                             "",
		"mv $A b.go":                               "",
		"cat x | xargs mv y":                       "",
		"for f in a b; do mv $f c; done":           "",
		"echo mv a.go b.go":                        "",
		"rm -f b.go":                               "",
		"test -f a.go || (mv a.go b.go; exit 1; )": "",
	} {
		var got []string
		for _, m := range moves(command, "/w", "") {
			got = append(got, fmt.Sprintf("%s %s", m.From, m.To))
		}
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", command, diff)
		}
	}
}
