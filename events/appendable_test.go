package events_test

import (
	"errors"
	"strings"
	"testing"

	"journal/events"
)

// TestAppendable: what a person or a program appends must make sense by itself: each line is valid, or invalid after a
// !.
func TestAppendable(t *testing.T) {
	t.Parallel()
	const compiled = `"target":"src/a"`
	for line := range strings.Lines(`
checkpoint.recorded {"summary":"x"}
!checkpoint.recorded {"summary":""}
compile.answered {` + compiled + `,"language":"Go"}
compile.answered {` + compiled + `,"answer":"fix_spec"}
compile.answered {` + compiled + `,"answer":"fix_code","issue":"k"}
compile.answered {` + compiled + `,"answer":"ignore"}
!compile.answered {` + compiled + `}
!compile.answered {` + compiled + `,"answer":"ignore","language":"Go"}
!compile.answered {` + compiled + `,"answer":"perhaps"}
!compile.answered {"answer":"ignore"}
compile.compared {` + compiled + `,"changes":[{"change":"added"},{"change":"removed"},{"change":"changed"}],"affected":["b","."]}
!compile.compared {` + compiled + `,"changes":[{"change":"added"},{"change":"moved"}]}
!compile.compared {` + compiled + `,"affected":["b",""]}
!compile.compared {"changes":[]}
compile.finished {` + compiled + `,"status":"partial"}
!compile.finished {` + compiled + `}
!compile.finished {"status":"success"}
compile.planned {"conflict":"skip","targets":[{"path":"a","mode":"create","reasons":[]},{"path":".","mode":"update","reasons":[]}]}
compile.planned {"conflict":"overwrite","targets":[]}
!compile.planned {"conflict":"ask","targets":[]}
!compile.planned {"conflict":"skip","targets":[{"path":"a","mode":"create","reasons":[]},{"path":"b","mode":"x","reasons":[]}]}
!compile.planned {"conflict":"skip","targets":[{"path":"","mode":"create","reasons":[]}]}
compile.started {` + compiled + `}
compile.started {` + compiled + `,"phase":"green","try":3}
!compile.started {` + compiled + `,"phase":"green","try":4}
!compile.started {` + compiled + `,"phase":"green","try":-1}
!compile.started {` + compiled + `,"phase":"blue"}
!compile.started {"phase":"green"}
compile.started {"target":"..a"}
!compile.started {"target":".."}
!compile.started {"target":"../a"}
!compile.started {"target":"/a"}
!compile.started {"target":"a/"}
!compile.started {"target":"a//b"}
compile.validated {` + compiled + `,"verdict":"good"}
compile.validated {` + compiled + `,"verdict":"improve","issues":[{"kind":"missing_export","symbol":"A"},{"kind":"uncovered_file","file":"f"}]}
compile.validated {` + compiled + `,"verdict":"must_improve","issues":[{"kind":"mismatch_signature","symbol":"A"}]}
!compile.validated {` + compiled + `,"verdict":"good","issues":[{"kind":"missing_export","symbol":"A"}]}
!compile.validated {` + compiled + `,"verdict":"bad"}
!compile.validated {` + compiled + `,"verdict":"improve","issues":[{"kind":"missing_export","symbol":"A"},{"kind":"x","symbol":"A"}]}
!compile.validated {` + compiled + `,"verdict":"improve","issues":[{"kind":"missing_export"}]}
!compile.validated {"verdict":"good"}
decision.recorded {"text":"x"}
!decision.recorded {"text":"\t"}
decision.retracted {"decision":1}
!decision.retracted {"reason":"x"}
note.recorded {"text":"x"}
!note.recorded {"heading":"x"}
phase.completed {"phase":"1"}
!phase.completed {"name":"x"}
phase.entered {"skill":"s","phase":"1"}
!phase.entered {"skill":"s"}
!phase.entered {"phase":"1"}
port.changed {"port":"p","status":"running"}
port.changed {"port":"p","status":"blocked"}
port.changed {"port":"p","status":"complete"}
!port.changed {"port":"p"}
!port.changed {"status":"running"}
port.defined {"port":"p"}
!port.defined {"title":"p"}
port.ticked {"port":"p","item":"i"}
!port.ticked {"port":"p"}
!port.ticked {"item":"i"}
restore.requested {"text":"x"}
!restore.requested {"items":["a-1"]}
skill.continued {"from":"s","skill":"k"}
!skill.continued {"from":"s"}
!skill.continued {"skill":"k"}
skill.ended {"status":"finished"}
skill.ended {"status":"discarded"}
!skill.ended {}
work.attempted {"task":"t"}
work.attempted {"task":"t","phase":2}
!work.attempted {"phase":1}
!work.attempted {"task":"t","phase":3}
!work.attempted {"task":"t","phase":-1}
work.ended {"task":"t","phase":2}
!work.ended {"task":"t","phase":3}
work.finished {"task":"t"}
!work.finished {}
work.planned {"run":"r"}
!work.planned {}
work.started {"task":"t"}
!work.started {}
work.imported {"task":"t","phases":[{},{}]}
!work.imported {"task":"t","phases":[{},{},{}]}
!work.imported {}
`) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		said, bad := strings.CutPrefix(line, "!")
		name, data, _ := strings.Cut(said, " ")
		_, err := events.FromJSON(events.Type(name), []byte(data))
		if bad != errors.Is(err, events.ErrMalformed) || !bad && err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestWhoMayWrite: who may write a type, and whether it outlives its session, is declared with it; an undeclared type
// is unknown, so it is accepted from others and kept.
func TestWhoMayWrite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of                                              events.Type
		reserved, lasting, appendable, anybodys, agents bool
	}{
		{events.TypeOf[events.DecisionRecorded](), false, true, true, true, true},
		{events.TypeOf[events.CommandRan](), false, false, false, false, true},
		{events.TypeOf[events.FileObserved](), false, true, false, false, true},
		{events.TypeOf[events.LogGap](), true, true, false, false, false},
		{"moon.seen", false, true, false, true, true},
	} {
		got := [...]bool{events.Reserved(c.of), events.Lasting(c.of), events.Appendable(c.of), events.AcceptedFrom("", c.of), events.AcceptedFrom("claude", c.of)}
		if want := [...]bool{c.reserved, c.lasting, c.appendable, c.anybodys, c.agents}; got != want {
			t.Errorf("%s: %v, want %v", c.of, got, want)
		}
	}
}

// TestSelector: a selector selects by each of its fields, and by no empty one.
func TestSelector(t *testing.T) {
	t.Parallel()
	of := events.Meta{Project: "p", Session: "s", Type: "t"}
	for s, want := range map[events.Selector]bool{
		{}: true, {Project: "p"}: true, {Session: "s"}: true, {Type: "t"}: true, {Project: "p", Session: "s", Type: "t"}: true,
		{Project: "q"}: false, {Session: "q"}: false, {Type: "q"}: false,
		{Project: "q", Session: "s", Type: "t"}: false, {Project: "p", Session: "q", Type: "t"}: false, {Project: "p", Session: "s", Type: "q"}: false,
	} {
		if s.Match(of) != want {
			t.Errorf("%+v matches: %v, want %v", s, !want, want)
		}
	}
}

// TestDerived: a derived id is recognised, a new one is not.
func TestDerived(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		events.DerivedID("a"): true, events.ForkID("p", "s"): true, events.NewID(): false,
		"": false, "5": false, events.DerivedID("a")[:35]: false, events.DerivedID("a") + "0": false,
	} {
		if events.Derived(id) != want {
			t.Errorf("%q is derived: %v, want %v", id, !want, want)
		}
	}
}

// TestLabels: a label is found by any of its names, the first one in the file.
func TestLabels(t *testing.T) {
	t.Parallel()
	f := events.FileObserved{Labels: []events.Label{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}, {Name: "a", Value: "3"}}}
	for names, want := range map[string]string{"a": "1", "b": "2", "b a": "1", "c b": "2", "c": "", "": ""} {
		if got := f.Label(strings.Fields(names)...); got != want {
			t.Errorf("%q: %q, want %q", names, got, want)
		}
	}
}
