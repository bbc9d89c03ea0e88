package main

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"journal/replay/knowledge"
)

// label is what a reader said of one item of one compaction. It has nothing of the
// item's text: a MAC finds the item again for whoever has the transcript.
type label struct {
	session string
	row     int // line of the transcript with the summary, from 1
	kind    knowledge.Kind
	kept    bool
	heldOut bool
	mac     string // of the item's text, in hex
}

// id names a label for a person. An item has a label for each compaction that knew it.
func (l label) id() string { return fmt.Sprintf("%s-%d", l.mac[:12], l.row) }

// named is what a second reader puts a verdict behind.
func (l label) named() string { return l.id() + " " + string(l.kind) }

// unsaid is the line of a new label, with a mark where its verdict goes.
func (l label) unsaid() string {
	part := parts[0]
	if l.heldOut {
		part = parts[1]
	}
	return fmt.Sprintf("%s %d %s ? %s %s", l.session, l.row, l.kind, part, l.mac)
}

// part is the set that a label counts in.
func (l label) part() string {
	if l.heldOut {
		return "held out"
	}
	return "tuned"
}

// compaction names what a label is of.
func (l label) compaction() string { return fmt.Sprintf("%s line %d", l.session, l.row) }

// The words of a file of labels.
var (
	verdicts = []string{"lost", "kept"}
	parts    = []string{"tuned", "heldout"}
)

// readLabels reads lines of session, row, kind, kept or lost, tuned or heldout, and
// MAC. Empty lines and those that begin with # are left out.
func readLabels(r io.Reader) (all []label, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		l, ok := parseLabel(strings.Fields(line))
		if !ok {
			return nil, fmt.Errorf("line %d is no label: %q", n, line)
		}
		all = append(all, l)
	}
	return all, lines.Err()
}

func parseLabel(f []string) (l label, ok bool) {
	if len(f) != 6 || !slices.Contains(verdicts, f[3]) || !slices.Contains(parts, f[4]) {
		return l, false
	}
	row, err := strconv.Atoi(f[1])
	mac, macErr := hex.DecodeString(f[5])
	l = label{session: f[0], row: row, kind: knowledge.Kind(f[2]), kept: f[3] == "kept", heldOut: f[4] == "heldout", mac: f[5]}
	return l, err == nil && row > 0 && macErr == nil && len(mac) == sha256.Size && slices.Contains(knowledge.Audited(), l.kind)
}

// key is what the MACs of a transcript's items are made with: only who has the
// transcript can tell which text a label is of.
type key []byte

func keyOf(transcript []byte) key {
	sum := sha256.Sum256(transcript)
	return sum[:]
}

func (k key) mac(text string) string {
	h := hmac.New(sha256.New, k)
	io.WriteString(h, text)
	return hex.EncodeToString(h.Sum(nil))
}
