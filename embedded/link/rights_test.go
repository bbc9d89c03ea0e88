package link_test

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded/link"
	"journal/journal/team"
	"journal/journal/team/dial"
	"journal/journal/team/hub"
	"journal/journal/testutil"
)

// What a member's keys are answered at the hub, over the whole API of the server: looking at what is
// shared with the one, keeping copies of their own with the other, and nothing of anybody else's.
func TestRightsOfMembers(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(apiName)
	must(t, err)
	api := strings.Fields(string(b))
	for name, h := range map[string]hub.Hub{"nkeys": {}, "operator": {Operator: &hub.Operator{}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHubOf(t, h, 1)
			alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
			h.Start(t)
			must(t, h.Announce(t.Context()))
			p := newLaptop(t, bob)
			p.log.add("web", 50)
			p.share(t, "web")
			p.on()
			arrived(t, p)
			stream := link.HubStream(p.member.Device, 1)

			asks := map[string][]string{}
			for _, prefix := range []string{"$JS.API.", "$JS.hub.API.", "M.bob.API.", "$JS.lap-" + p.member.Device + ".API."} {
				for _, s := range api {
					part := strings.Replace(strings.TrimPrefix(s, "$JS.API."), "*", stream, 1)
					part = strings.ReplaceAll(strings.ReplaceAll(part, "*", "team"), ">", "team")
					asks[prefix] = append(asks[prefix], prefix+strings.TrimSuffix(part, "."))
				}
			}
			reading := answeredTo(t, alice, alice.Reader, asks)
			want := []string{
				"M.bob.API.DIRECT.GET." + stream, "M.bob.API.DIRECT.GET." + stream + ".team",
				"M.bob.API.STREAM.INFO." + stream, "M.bob.API.STREAM.NAMES",
			}
			if !slices.Equal(reading, want) {
				t.Errorf("the key for reading is answered %s, want %s", reading, want)
			}
			uploading := answeredTo(t, alice, alice.Upload, asks)
			// A client says $JS.API where a laptop's link says $JS.hub.API, which is what is permitted.
			if len(uploading) != 0 {
				t.Errorf("the key of the link is answered %s as a client", uploading)
			}
			p.log.add("web", 10)
			arrived(t, p)
			same(t, reader(t, alice, "bob"), p, "web")
		})
	}
}

// answeredTo asks everything as somebody, and gives what is answered.
func answeredTo(t *testing.T, in team.Member, k team.Key, asks map[string][]string) (answered []string) {
	t.Helper()
	nc, err := dial.Connect(t.Context(), in, in.Clients, k, nats.CustomInboxPrefix("_INBOX_"+in.Name))
	must(t, err)
	defer nc.Close()
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, subjects := range asks {
		for _, s := range subjects {
			all.Go(func() {
				body := ""
				if strings.Contains(s, "DIRECT.GET") && !strings.HasSuffix(s, ".team") {
					body = `{"seq":1}`
				}
				if m, err := nc.Request(s, []byte(body), time.Second); err == nil && m.Header.Get("Status") != "503" {
					mu.Lock()
					defer mu.Unlock()
					answered = append(answered, s)
				}
			})
		}
	}
	all.Wait()
	slices.Sort(answered)
	return slices.Compact(answered)
}

// Each thing that the link's key is permitted is needed: without it a copy does not come, go on, or go.
func TestEachPermissionIsNeeded(t *testing.T) {
	t.Parallel()
	if testing.Short() || os.Getenv("JOURNAL_TORTURE") == "" {
		t.Skip("ten hubs, each for ten seconds")
	}
	for _, without := range []string{
		"", `"dlv.>", `, `"$JSC.R.>", `, `"$JS.hub.API.STREAM.NAMES", `, `"$JS.hub.API.STREAM.INFO.*", `, `"$JS.hub.API.STREAM.CREATE.*", `,
		`"$JS.hub.API.STREAM.DELETE.*", `, `, "$JS.hub.API.DIRECT.GET.*"`, `"$JS.*.API.CONSUMER.>", `, `, "_INBOX_alice.>"`,
	} {
		t.Run(without, func(t *testing.T) {
			h := newHub(t, 1)
			alice := h.Member(t, "alice")
			path := h.Dir + "/accounts.conf"
			b, err := os.ReadFile(path)
			must(t, err)
			link, rest, _ := strings.Cut(string(b), "exports:")
			if !strings.Contains(link, without) {
				t.Fatalf("%s is not permitted in:\n%s", without, link)
			}
			must(t, os.WriteFile(path, []byte(strings.Replace(link, without, "", 1)+"exports:"+rest), 0o600))
			h.Start(t)
			p := newLaptop(t, alice)
			p.log.add("web", 100)
			p.share(t, "web")
			p.on()
			whole := func() bool {
				done := func(n uint64) bool {
					return testutil.Within(10*time.Second, func() bool { s := p.status(t); return s.Connected && s.Hub == n && s.Problem == "" })
				}
				if !done(100) {
					return false
				}
				p.off()
				p.log.add("web", 10)
				p.on()
				if !done(110) {
					return false
				}
				p.share(t)
				return testutil.Within(10*time.Second, func() bool {
					c, err := team.LoadCopy(p.dir)
					return err == nil && c.Share.None() && len(c.AtHub) == 0
				})
			}()
			if whole != (without == "") {
				t.Errorf("without %s a copy comes, goes on and goes: %v", without, whole)
			}
		})
	}
}
