package upload_test

import (
	"strings"
	"testing"

	"journal/cmd/testkit/testutil"
	"journal/embedded/team"
	"journal/embedded/team/peers"
)

// Whoever is revoked is disconnected and cannot come back; the others go on. A new member counts once the hub has read who there is.
func TestMembersComeAndGo(t *testing.T) {
	t.Parallel()
	h := newHub(t, 1)
	alice := h.Member(t, "alice")
	h.Start(t)
	h.Announced(t)
	a := newLaptop(t, alice)
	a.log.add("web", 100)
	a.share(t, "web")
	a.on()
	arrived(t, a)

	bob := h.Member(t, "bob")
	h.Announced(t)
	b := newLaptop(t, bob)
	b.log.add("api", 30)
	b.share(t, "api")
	b.on()
	arrived(t, b)
	same(t, reader(t, bob), a, "web")
	same(t, reader(t, alice), b, "api")

	must(t, h.Revoke("alice"))
	h.Announced(t)
	testutil.Eventually(t, "alice is disconnected, and told why", func() bool {
		s := a.status(t)
		return !s.Connected && s.Refused && strings.Contains(strings.ToLower(s.Problem), "auth")
	})
	_, err := peers.Reach(t.Context(), alice)
	testutil.WantError(t, err, team.ErrRefused)
	a.log.add("web", 10)
	b.log.add("api", 10)
	arrived(t, b)
	if s := a.status(t); s.Hub > 100 {
		t.Errorf("who is revoked still uploads: %+v", s)
	}
	if _, err := h.Invite("alice"); err == nil {
		t.Error("the name of who was revoked is given to another")
	}

	again, err := h.Renew("alice")
	must(t, err)
	h.Announced(t)
	_, err = peers.Reach(t.Context(), alice)
	testutil.WantError(t, err, team.ErrRefused)
	a.off()
	a.member, err = team.Join(a.dir, again[0])
	must(t, err)
	a.on()
	arrived(t, a)
	same(t, reader(t, bob), a, "web")
}
