package look

import (
	"encoding/json"
	"testing"

	"journal/cmd/testkit/ownertest"
	"journal/embedded/service"
	"journal/events"
	"journal/journal/wire/client"
	"journal/projections"
	"journal/replay"
)

// A live state that is not what the log says is found, and where.
func TestCheckFindsADifference(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	o, _ := ownertest.Serve(t, dir)
	log := o.Log()
	about := client.About{Agent: "go", Session: "s1", Root: "/"}
	first, err := client.Open(dir, client.Options{}).Append(t.Context(), about, events.PromptSubmitted{Text: "0"})
	if err != nil {
		t.Fatal(err)
	}
	target := projections.Target{Project: client.ProjectKey("/"), Session: "s1"}
	k := service.LiveState{Seq: first.Seqs[0], States: map[string]any{
		"prompts": json.RawMessage(`[{"text":"another","seq":1}]`), "todos": json.RawMessage("[]"),
	}}
	diff, err := replayDiff(t.Context(), log, target, k)
	if err != nil {
		t.Fatal(err)
	}
	if len(diff) != 1 || len(diff["prompts"]) != 2 {
		t.Errorf("differences %v", diff)
	}
	said := projections.NewFold(target, projections.Config{}, projections.Prompts)
	if err := replay.Forward(t.Context(), log, said, first.Seqs[0]); err != nil {
		t.Fatal(err)
	}
	k.States["prompts"] = said.States()["prompts"]
	if diff, err = replayDiff(t.Context(), log, target, k); err != nil || len(diff) != 0 {
		t.Errorf("the same differs: %v, error %v", diff, err)
	}
}
