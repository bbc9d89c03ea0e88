package upload

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/team/hub"
)

// TestAnotherWasFaster: a hub refuses a chunk with either of two codes if its newest chunk is not the expected one. Three nodes use the
// second one while the chunk before is on its way to them.
func TestAnotherWasFaster(t *testing.T) {
	t.Parallel()
	h := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
	alice := h.Member(t, "alice")
	h.Start(t)
	h.Announced(t)
	v := &session{nc: hubtest.As(t, alice)}
	for code, want := range map[int]error{10071: errRestartSession, 10164: errRestartSession, 10077: errRefused} {
		subject := fmt.Sprint("refused.", code)
		_, err := v.nc.Subscribe(subject, func(m *nats.Msg) {
			_ = m.Respond(fmt.Appendf(nil, `{"error":{"code":400,"err_code":%d,"description":"wrong last sequence"}}`, code))
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = v.request(t.Context(), nats.NewMsg(subject))
		testutil.WantError(t, err, want)
	}
}
