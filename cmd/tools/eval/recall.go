package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"journal/events"
	"journal/replay"
	"journal/replay/search"
)

// talk is a conversation; it is a session of the log that is searched.
type talk struct {
	id    string
	turns []turn
}

// turn is a message of a talk.
type turn struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// asking is a question with the talks that are searched.
type asking struct {
	name, text string
	among      []talk   // in the order of their times
	answers    []string // ids of the talks with the answer
}

// ranker returns the ids of talks, the best first.
type ranker func(ctx context.Context, question string, among []talk) ([]string, error)

// recall prints how often a question finds a talk with its answer, by journal's search and by a plain BM25.
func recall(ctx context.Context, w io.Writer, o options) error {
	sets := []struct {
		name, dir string
		read      func(dir string) ([]asking, error)
	}{
		{"sde-bench", o.sdeBench, sdeBench}, {"LoCoMo", o.locomo, locomo}, {"Japanese notes", o.fixtures, japanese},
	}
	fmt.Fprintln(w, "questions                       n   search: first  of five   BM25: first  of five")
	for _, set := range sets {
		if set.dir == "" {
			continue
		}
		all, err := set.read(set.dir)
		if err != nil {
			return fmt.Errorf("%s: %w", set.name, err)
		}
		parts := map[string][]asking{"": all}
		for i, one := range all {
			half := [2]string{", even half", ", odd half"}[i%2]
			parts[half] = append(parts[half], one)
			if strings.HasSuffix(one.name, "-amended") {
				parts[", amended"] = append(parts[", amended"], one)
			}
		}
		for _, part := range slices.Sorted(maps.Keys(parts)) {
			var counts []any
			for _, rank := range []ranker{searched, plain} {
				first, five, err := found(ctx, w, rank, parts[part], o.disagreements && part == "")
				if err != nil {
					return err
				}
				counts = append(counts, first, five)
			}
			fmt.Fprintf(w, "%-28s %4d %15d %8d %13d %8d\n", append([]any{set.name + part, len(parts[part])}, counts...)...)
		}
	}
	return nil
}

// found counts the questions for which a talk with the answer comes first, or among the first five. If print is set, it prints
// the others.
func found(ctx context.Context, w io.Writer, rank ranker, all []asking, print bool) (first, five int, err error) {
	for _, one := range all {
		ids, err := rank(ctx, one.text, one.among)
		if err != nil {
			return 0, 0, err
		}
		at := slices.IndexFunc(ids, func(id string) bool { return slices.Contains(one.answers, id) })
		if at == 0 {
			first++
		} else if print {
			fmt.Fprintf(w, "%s at %d: %s\n", one.name, at, one.text)
		}
		if at >= 0 && at < 5 {
			five++
		}
	}
	return first, five, nil
}

// searched ranks as journal search does.
func searched(ctx context.Context, question string, among []talk) (ids []string, err error) {
	log, err := logOf(among)
	if err != nil {
		return nil, err
	}
	ranked, err := search.Options{Question: search.Ask(question), Limit: 20}.Rank(ctx, log, 0)
	for _, s := range ranked.Sessions {
		ids = append(ids, s.Session)
	}
	return ids, err
}

// logOf returns a log of talks, with one talk a day.
func logOf(talks []talk) (log replay.Slice, err error) {
	began := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	for day, t := range talks {
		for i, one := range t.turns {
			var ev events.Event = events.PromptSubmitted{Text: one.Text}
			if one.Role == "assistant" {
				ev = events.TurnEnded{Text: one.Text}
			}
			e, err := events.Wrap(ev, events.Meta{Project: "talks", Session: t.id, At: began.AddDate(0, 0, day).Add(time.Duration(i) * time.Minute).UnixNano()})
			if err != nil {
				return nil, err
			}
			e.Seq = uint64(len(log) + 1)
			log = append(log, e)
		}
	}
	return log, nil
}

// plain ranks whole talks by BM25 over words in lower case, with k1 = 1.2 and b = 0.75.
func plain(_ context.Context, question string, among []talk) (ids []string, err error) {
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	counts, lengths, with, mean := map[string]map[string]float64{}, map[string]float64{}, map[string]float64{}, 0.0
	for _, t := range among {
		counts[t.id] = map[string]float64{}
		for _, one := range t.turns {
			for _, w := range words(one.Text) {
				counts[t.id][w]++
				lengths[t.id]++
			}
		}
		for w := range counts[t.id] {
			with[w]++
		}
		mean += lengths[t.id] / float64(len(among))
	}
	scores := map[string]float64{}
	for _, w := range words(question) {
		for id, has := range counts {
			n := has[w]
			scores[id] += math.Log(1+(float64(len(among))-with[w]+.5)/(with[w]+.5)) * n * 2.2 / (n + 1.2*(.25+.75*lengths[id]/mean))
		}
	}
	ids = slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(scores[b], scores[a]) })
	return ids, nil
}

// sdeBench reads a checkout of github.com/vectorize-io/sde-bench. The answer is the talk in which a policy was settled, among
// decoys, half of which are older. If there are two such talks, the newer one amends the other and is the answer.
func sdeBench(dir string) (all []asking, err error) {
	var decoys []struct{ Turns []turn }
	if err := readJSON(filepath.Join(dir, "gen", "decoy_conversations.json"), &decoys); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "tasks", "main", "task.json"))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		var task struct {
			ID            string `json:"codebase"`
			Report        string `json:"bug_report"`
			Conversations json.RawMessage
		}
		if err := readJSON(f, &task); err != nil {
			return nil, err
		}
		var several [][]turn
		var single []turn
		if json.Unmarshal(task.Conversations, &single) == nil && len(single) > 0 {
			several = [][]turn{single}
		} else if json.Unmarshal(task.Conversations, &several) != nil || len(several) == 0 {
			continue // it has no talk
		}
		one := asking{name: task.ID, text: task.Report}
		for i, d := range decoys {
			if i == len(decoys)/2 {
				for k, turns := range several {
					one.answers = []string{fmt.Sprintf("%s-%d", task.ID, k)}
					one.among = append(one.among, talk{one.answers[0], turns})
				}
			}
			one.among = append(one.among, talk{fmt.Sprintf("decoy-%d", i), d.Turns})
		}
		all = append(all, one)
	}
	return all, nil
}

// locomo reads the directory data/locomo/locomo10 of github.com/vectorize-io/agent-memory-benchmark.
func locomo(dir string) (all []asking, err error) {
	var documents []struct{ ID, Content string }
	var queries []struct {
		ID, Query string
		Gold      []string `json:"gold_ids"`
		User      string   `json:"user_id"`
	}
	if err := readJSON(filepath.Join(dir, "documents.json.gz"), &documents); err != nil {
		return nil, err
	}
	if err := readJSON(filepath.Join(dir, "queries.json.gz"), &queries); err != nil {
		return nil, err
	}
	talks := map[string][]talk{}
	for _, d := range documents {
		var lines []struct {
			Speaker, Text string
			Caption       string `json:"blip_caption"`
		}
		if err := json.Unmarshal([]byte(d.Content), &lines); err != nil {
			return nil, err
		}
		t := talk{id: d.ID}
		for i, l := range lines {
			t.turns = append(t.turns, turn{[2]string{"user", "assistant"}[i%2], l.Speaker + ": " + l.Text + " " + l.Caption})
		}
		user, _, _ := strings.Cut(d.ID, "_session")
		talks[user] = append(talks[user], t)
	}
	for _, q := range queries {
		if len(q.Gold) > 0 {
			all = append(all, asking{q.ID, q.Query, talks[q.User], q.Gold})
		}
	}
	return all, nil
}

//go:embed testdata/ja.txt
var japaneseQuestions string

// japanese reads the Japanese notes of the fixtures; each section is a talk. A question names its section by a digest of the
// heading.
func japanese(fixtures string) (all []asking, err error) {
	files, err := filepath.Glob(filepath.Join(fixtures, "third-party", "praxis-context-history", "*", "*.md"))
	if err != nil {
		return nil, err
	}
	sections := map[string]string{} // the newest text of each
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		for _, s := range strings.Split("\n"+string(b), "\n## ")[1:] {
			heading, _, _ := strings.Cut(s, "\n")
			sum := sha256.Sum256([]byte(strings.TrimSpace(heading)))
			sections[hex.EncodeToString(sum[:4])] = s
		}
	}
	var talks []talk
	for _, id := range slices.Sorted(maps.Keys(sections)) {
		talks = append(talks, talk{id, []turn{{"user", sections[id]}}})
	}
	for in := bufio.NewScanner(strings.NewReader(japaneseQuestions)); in.Scan(); {
		id, question, _ := strings.Cut(in.Text(), " ")
		all = append(all, asking{id, question, talks, []string{id}})
	}
	return all, nil
}

// readJSON reads a JSON file, which is compressed if its name ends with .gz.
func readJSON(path string, into any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return err
		}
		if b, err = io.ReadAll(z); err != nil {
			return err
		}
	}
	return json.Unmarshal(b, into)
}
