package backfill_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/cmd/testkit/testutil"
	"journal/events"
	_ "journal/journal/agents/all"
	"journal/journal/agents/backfill"
	"journal/journal/agents/transcript"
	"journal/journal/forgotten"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

// memory is a log in memory.
type memory []events.Envelope

func (m *memory) Events(context.Context, events.Span, ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for _, e := range *m {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// append stores events under the next sequences.
func (m *memory) append(es ...events.Envelope) {
	for _, e := range es {
		e.Seq = uint64(len(*m) + 1)
		*m = append(*m, e)
	}
}

func (m *memory) send(_ context.Context, r wire.Request) (client.Receipt, error) {
	for _, raw := range r.Events {
		e, err := events.Decode(raw, 0)
		if err != nil {
			return client.Receipt{}, err
		}
		m.append(e)
	}
	return client.Receipt{}, nil
}

// add imports files into the log.
func (m *memory) add(t rapid.TB, send backfill.Send, paths ...string) *backfill.Summary {
	t.Helper()
	files, _, err := backfill.Transcripts(context.Background(), paths, transcript.Agents())
	if err != nil {
		t.Fatal(err)
	}
	inventory, err := backfill.ReadInventory(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := backfill.Import(context.Background(), files, inventory, backfill.Options{Send: send})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// facts lists the events of each session in a log, in order.
func (m *memory) facts(t rapid.TB) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, e := range *m {
		ev, err := events.Open(e)
		if err != nil {
			t.Fatal(err)
		}
		fact := ""
		switch ev := ev.(type) {
		case events.PromptSubmitted:
			fact = ev.Text
		case events.CommandRan:
			fact = "$ " + ev.Command
		case events.CompactionCompleted:
			fact = "compaction"
		case events.SessionGap, events.SessionLinked:
			fact = string(e.Type)
		default:
			continue
		}
		all[e.Session] = append(all[e.Session], fact)
	}
	return all
}

const session = "10cf952f-5ea0-426b-8bba-de006d0da81e"

// transcriptOf writes the transcript of a session whose prompts have that many commands each, with compactions after
// the named prompts.
func transcriptOf(t rapid.TB, dir string, commands []int, compacted func(prompt int) bool) string {
	t.Helper()
	return transcriptNamed(t, dir, session, "", commands, compacted)
}

// transcriptNamed writes that of another session, whose ids have another prefix.
func transcriptNamed(t rapid.TB, dir, session, ids string, commands []int, compacted func(prompt int) bool) string {
	t.Helper()
	file := testutil.Transcript{Session: session, IDs: ids}
	said := func(content any) map[string]any { return map[string]any{"content": content} }
	for i, tools := range commands {
		turn := fmt.Sprintf("%sturn-%d", ids, i)
		file.Row("user", map[string]any{"promptId": turn, "message": said(fmt.Sprint("prompt ", i))})
		for j := range tools {
			use := fmt.Sprintf("toolu_%s%d_%d", ids, i, j)
			file.Row("assistant", map[string]any{"message": said([]any{map[string]any{
				"type": "tool_use", "id": use, "name": "Bash", "input": map[string]any{"command": fmt.Sprintf("make %d.%d", i, j)},
			}})})
			file.Row("user", map[string]any{
				"promptId": turn, "toolUseResult": map[string]any{"stdout": "ok"},
				"message": said([]any{map[string]any{"type": "tool_result", "tool_use_id": use, "content": "ok"}}),
			})
		}
		if compacted(i) {
			file.Row("system", map[string]any{"subtype": "compact_boundary", "compactMetadata": map[string]any{"trigger": "auto"}})
			file.Row("user", map[string]any{"isCompactSummary": true, "message": said(fmt.Sprint("summary ", i))})
		}
	}
	path := filepath.Join(dir, session+".jsonl")
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// hooked turns what an import added into what hooks would have stored: the same events under ids of their own.
func hooked(es []events.Envelope) []events.Envelope {
	told := slices.Clone(es)
	for i := range told {
		told[i].ID, told[i].Cause = events.NewID(), ""
	}
	return told
}

// TestRestIsAddedOnce: whatever part of a session hooks reported, an import adds the rest, each event once, and a
// second import adds nothing (J.5).
func TestRestIsAddedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		commands := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 8).Draw(t, "commands of each prompt")
		every := rapid.IntRange(1, 4).Draw(t, "compacted every")
		path := transcriptOf(t, dir, commands, func(i int) bool { return i%every == every-1 })
		var whole memory
		whole.add(t, whole.send, path)
		all := whole.facts(t)[session]
		from := rapid.IntRange(0, len(whole)).Draw(t, "from")
		to := rapid.IntRange(from, len(whole)).Draw(t, "to")
		var log memory
		log.append(hooked(whole[from:to])...)
		dry := log.add(t, nil, path)
		before := len(log)
		if sum := log.add(t, log.send, path); sum.Events != len(log)-before || dry.Events != sum.Events || !dry.DryRun {
			t.Fatalf("it says %d events, a dry run %d, and adds %d", sum.Events, dry.Events, len(log)-before)
		}
		facts := log.facts(t)
		got := slices.Concat(facts[session+"~1"], facts[session])
		got = slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, "session.") })
		if diff := cmp.Diff(all, got); diff != "" {
			t.Fatalf("facts (-in the transcript +in the log):\n%s", diff)
		}
		if again := log.add(t, log.send, path); again.Events != 0 {
			t.Fatalf("a second import adds %v", again.Types)
		}
	})
}

// TestGap: what hooks missed in between becomes a session of its own, and the original session records the gap.
func TestGap(t *testing.T) {
	t.Parallel()
	path := transcriptOf(t, t.TempDir(), []int{1, 1, 1, 1, 1}, func(int) bool { return false })
	var whole, log memory
	whole.add(t, whole.send, path)
	told := slices.DeleteFunc(slices.Clone(whole), func(e events.Envelope) bool { return e.Turn == "turn-2" })
	log.append(hooked(told)...)
	sum := log.add(t, log.send, path)
	if f := sum.Files[0]; sum.Gaps != 1 || f.Missed == 0 || f.Before != 0 {
		t.Errorf("summary %+v", f)
	}
	want := []string{"prompt 2", "$ make 2.0"}
	facts := log.facts(t)
	if diff := cmp.Diff(want, facts[session+"~2"]); diff != "" {
		t.Errorf("the part (-want +got):\n%s", diff)
	}
	if !slices.Contains(facts[session], "session.gap") {
		t.Errorf("the session tells of no gap: %q", facts[session])
	}
}

// TestPaused: transcripts of a project that a person does not want recorded are left out.
func TestPaused(t *testing.T) {
	t.Parallel()
	path := transcriptOf(t, t.TempDir(), []int{1}, func(int) bool { return false })
	var log memory
	sum := log.add(t, func(context.Context, wire.Request) (client.Receipt, error) {
		return client.Receipt{}, fmt.Errorf("send: %w", client.ErrPaused)
	}, path)
	if f := sum.Files[0]; f.Skip != "recording is paused" || sum.Events != 0 || sum.Skipped != 1 {
		t.Errorf("summary %+v", sum)
	}
}

// TestUndelivered: a failure to make events durable ends the import with the reason.
func TestUndelivered(t *testing.T) {
	t.Parallel()
	path := transcriptOf(t, t.TempDir(), []int{1}, func(int) bool { return false })
	files, _, err := backfill.Transcripts(t.Context(), []string{path}, transcript.Agents())
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space")
	_, err = backfill.Import(t.Context(), files, backfill.NewInventory(), backfill.Options{
		Send: func(context.Context, wire.Request) (client.Receipt, error) { return client.Receipt{}, full },
	})
	if !errors.Is(err, full) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}

// TestTranscripts: folders give their transcripts, in the order in which the sessions began; a named file that is no
// transcript is reported.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, at string) string {
		path := filepath.Join(dir, name)
		row := fmt.Sprintf(`{"type":"user","uuid":%q,"sessionId":%q,"cwd":"/p","timestamp":%q,"message":{"content":"x"}}`+"\n", name, name, at)
		if at == "" {
			row = "no transcript\n"
		}
		if err := os.WriteFile(path, []byte(row), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("later.jsonl", "2026-03-02T10:00:00Z")
	write("first.jsonl", "2026-03-01T10:00:00Z")
	write("notes.txt", "2026-03-01T10:00:00Z")
	none := write("none.jsonl", "")
	var log memory
	sum := log.add(t, nil, dir, none, filepath.Join(dir, "first.jsonl"))
	var got []string
	for _, f := range sum.Files {
		got = append(got, strings.TrimSpace(filepath.Base(f.Path)+" "+f.Skip))
	}
	want := []string{"none.jsonl no transcript: no row names a session and its time", "first.jsonl", "later.jsonl"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if _, _, err := backfill.Transcripts(t.Context(), []string{filepath.Join(dir, "absent")}, transcript.Agents()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a path that is not there: %v", err)
	}
}

// TestTranscriptGrows: what is written to a transcript while it is read belongs to the next import: a fast writer would
// otherwise keep this one busy for ever.
func TestTranscriptGrows(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "grows.jsonl")
	row := `{"type":"user","uuid":"u","sessionId":"s","cwd":"/p","timestamp":"2026-03-01T10:00:00Z","message":{"content":"x"}}` + "\n"
	if err := os.WriteFile(path, []byte(row), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files, size, err := backfill.Transcripts(t.Context(), []string{path}, transcript.Agents())
	if err != nil {
		t.Fatal(err)
	}
	sum, err := backfill.Import(t.Context(), files, backfill.NewInventory(), backfill.Options{
		Progress: func(done int64) {
			if done < 100*size {
				if _, err := f.WriteString(row); err != nil {
					t.Error(err)
				}
			}
		},
	})
	if err != nil || sum.Bytes != size || len(sum.Files) != 1 || sum.Files[0].Rows != 1 {
		t.Errorf("read are %d bytes of %d: %+v, %v", sum.Bytes, size, sum.Files, err)
	}
}

// TestForgottenBeforeRewind: a rewind takes back the same prompts if an earlier command was forgotten.
func TestForgottenBeforeRewind(t *testing.T) {
	t.Parallel()
	said := func(id, parent, role, text string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":"2026-11-29T08:00:00Z","message":{"role":%q,"content":%q,"stopReason":"stop"}}`+"\n", id, parent, role, text)
	}
	path := filepath.Join(t.TempDir(), "2026-11-29T08-00-00-000Z_s.jsonl")
	rows := `{"type":"session","version":3,"id":"s","timestamp":"2026-11-29T08:00:00Z","cwd":"/w"}` + "\n" +
		said("a", "", "user", "one") +
		`{"type":"message","id":"u","parentId":"a","timestamp":"2026-11-29T08:00:00Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"bash","arguments":{"command":"echo one"}}],"stopReason":"toolUse"}}` + "\n" +
		`{"type":"message","id":"v","parentId":"u","timestamp":"2026-11-29T08:00:00Z","message":{"role":"toolResult","toolCallId":"1","toolName":"bash","content":"one"}}` + "\n" +
		said("b", "v", "assistant", "One done.") +
		said("c", "b", "user", "two") + said("d", "c", "assistant", "Two done.") +
		said("e", "d", "user", "three") + said("f", "e", "assistant", "Three done.") +
		said("g", "d", "user", "three, other")
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	var whole memory
	whole.add(t, whole.send, path)
	set, err := forgotten.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	id := ""
	for _, e := range whole {
		if _, ok := events.As[events.CommandRan](e); ok {
			set.AddEvent(e)
		}
		if p, _ := events.As[events.PromptSubmitted](e); p.Text == "three" {
			id = e.ID
		}
	}
	files, _, err := backfill.Transcripts(t.Context(), []string{path}, transcript.Agents())
	if err != nil {
		t.Fatal(err)
	}
	var rest memory
	sum, err := backfill.Import(t.Context(), files, backfill.NewInventory(), backfill.Options{Send: rest.send, Forgotten: set})
	if err != nil || sum.Files[0].Forgotten != 1 {
		t.Fatalf("%+v, %v", sum, err)
	}
	for _, log := range []memory{whole, rest} {
		var from []string
		for _, e := range log {
			if back, ok := events.As[events.ConversationRewound](e); ok {
				from = append(from, back.From)
			}
		}
		if !slices.Equal(from, []string{id}) {
			t.Errorf("rewinds from %q, want %q", from, id)
		}
	}
}
