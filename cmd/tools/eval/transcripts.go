package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"journal/events"
	"journal/journal/agents/backfill"
	"journal/journal/agents/transcript"
	"journal/journal/wire"
	"journal/journal/wire/client"
	"journal/replay"

	_ "journal/journal/agents/all"
)

// transcripts finds the transcripts of sessions below a directory, and returns their paths by session. Those in archives are
// unpacked into the directory scratch.
func transcripts(ctx context.Context, dir, scratch string, sessions map[string]bool) (map[string]string, error) {
	found := map[string]string{}
	var archives []string
	look := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		session, isTranscript := strings.CutSuffix(d.Name(), ".jsonl")
		switch {
		case isTranscript && sessions[session] && found[session] == "":
			found[session] = path
		case strings.HasSuffix(path, ".tar.xz"):
			archives = append(archives, path)
		}
		return nil
	}
	if err := filepath.WalkDir(dir, look); err != nil {
		return nil, err
	}
	for _, a := range archives {
		if len(found) == len(sessions) {
			break
		}
		if out, err := exec.CommandContext(ctx, "tar", "-xf", a, "-C", scratch).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("tar cannot unpack %s (%w: %s): unpack it by hand and name its directory", a, err, bytes.TrimSpace(out))
		}
	}
	return found, filepath.WalkDir(scratch, look)
}

// imported reads transcripts into a log in memory, as `journal import` does.
func imported(ctx context.Context, paths []string) (replay.Slice, error) {
	var log replay.Slice
	take := func(_ context.Context, r wire.Request) (client.Receipt, error) {
		for _, raw := range r.Events {
			e, err := events.Decode(raw, uint64(len(log)+1))
			if err != nil {
				return client.Receipt{}, err
			}
			log = append(log, e)
		}
		return client.Receipt{}, nil
	}
	files, _, err := backfill.Transcripts(ctx, paths, transcript.Agents())
	if err != nil {
		return nil, err
	}
	_, err = backfill.Import(ctx, files, backfill.NewInventory(), backfill.Options{Send: take})
	return log, err
}

// summaryRows returns the numbers of the lines of a transcript that have a summary, from 1, and the key of the transcript.
func summaryRows(path string) (rows []int, k key, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	n := 0
	for line := range bytes.Lines(b) {
		n++
		var row struct {
			IsCompactSummary bool `json:"isCompactSummary"`
		}
		if bytes.Contains(line, []byte("isCompactSummary")) && json.Unmarshal(line, &row) == nil && row.IsCompactSummary {
			rows = append(rows, n)
		}
	}
	return rows, keyOf(b), nil
}
