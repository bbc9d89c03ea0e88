package main

import (
	"encoding/json"
	"io"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/journal/cli"
	"journal/embedded/service"
	"journal/journal"
	"journal/journal/wire/client"
	"journal/projections"
	"journal/replay"
)

// A live state that is not what the log says is found, and where.
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
	target := projections.Target{Project: client.ProjectKey("/"), Session: "s1"}
	a := &cli.App{Dir: w.dir, Terminal: cli.Terminal{Err: io.Discard}}
	k := service.LiveState{Seq: first.Seq, States: map[string]any{
		"prompts": json.RawMessage(`[{"text":"another","seq":1}]`), "todos": json.RawMessage("[]"),
	}}
	diff, err := compared(t.Context(), a, log, target, k)
	if err != nil {
		t.Fatal(err)
	}
	if len(diff) != 1 || len(diff["prompts"]) != 2 {
		t.Errorf("differences %v", diff)
	}
	said := projections.NewFold(target, projections.Config{}, projections.Prompts)
	if err := replay.Forward(t.Context(), log, said, first.Seq); err != nil {
		t.Fatal(err)
	}
	k.States["prompts"] = said.States()["prompts"]
	if diff, err = compared(t.Context(), a, log, target, k); err != nil || len(diff) != 0 {
		t.Errorf("the same differs: %v, error %v", diff, err)
	}
}
