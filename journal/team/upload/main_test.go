package upload_test

import (
	"path/filepath"
	"testing"
	"time"

	"journal/journal/team/dial"
	"journal/journal/team/hub"
	"journal/journal/team/hubtest"
)

func TestX(t *testing.T) {
	h := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
	al := h.Member(t, "alice")
	h.Start(t)
	if err := h.Announce(t.Context()); err != nil {
		t.Fatal(err)
	}
	in := h.Member(t, "dave")
	if err := h.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.Announce(t.Context()); err != nil {
		t.Fatal(err)
	}
	nc, err := dial.Connect(t.Context(), in, in.Hub, in.Key)
	if err != nil {
		t.Fatal(err)
	}
	na, err := dial.Connect(t.Context(), al, al.Hub, al.Key)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		m, err := na.Request("get.ROSTER", []byte(`{"last_by_subj":"roster"}`), time.Second)
		t.Log("alice", i, m, err)
		m, err = na.Request("put.0f0f0f0f.1", []byte("x"), time.Second)
		t.Log("alice", i, m, err)
		m, err = nc.Request("put.0f0f0f0f.1", []byte("x"), time.Second)
		t.Log(i, m, err)
		m, err = nc.Request("get.ROSTER", []byte(`{"last_by_subj":"roster"}`), time.Second)
		t.Log(i, m, err)
	}
}
