package main

import (
	"encoding/json"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"journal/events"
	"journal/journal"
	"journal/journal/wire"
	"journal/projections"
)

// A kept state that is not what the log says is found, and where.
func TestCheckFindsADifference(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hook(prompt("s1", "0"))
	w.owner()
	first := w.events("--type", "prompt.submitted")[0]
	nc, err := journal.Connect(t.Context(), w.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	log, err := journal.OpenLog(t.Context(), js)
	if err != nil {
		t.Fatal(err)
	}
	target := projections.Target{Project: journal.ProjectKey("/"), Session: "s1"}
	kept := wire.StateReply{Seq: first.Seq, Config: []byte("{}"), States: map[string][]byte{
		"prompts": []byte(`[{"text":"another","seq":1}]`), "todos": []byte("[]"),
	}}
	diff, err := compared(t.Context(), log, target, kept)
	if err != nil {
		t.Fatal(err)
	}
	if len(diff) != 1 || len(diff["prompts"]) != 2 {
		t.Errorf("differences %v", diff)
	}
	said := projections.NewFold(target, projections.Config{}, projections.Prompts)
	for e, err := range log.Events(t.Context(), events.Span{Until: first.Seq}) {
		if err != nil {
			t.Fatal(err)
		}
		if err := said.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	if kept.States["prompts"], err = json.Marshal(said.States()["prompts"]); err != nil {
		t.Fatal(err)
	}
	if diff, err = compared(t.Context(), log, target, kept); err != nil || len(diff) != 0 {
		t.Errorf("the same differs: %v, error %v", diff, err)
	}
}
