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

// label is a reader's verdict about an item of a compaction. It does not have the item's text: only who has the transcript can
// find the item, by a MAC of the text.
type label struct {
	session string
	row     int // line of the transcript with the summary, from 1
	kind    knowledge.Kind
	kept    bool
	heldOut bool
	mac     string // of the item's text, in hex
}

// id returns a short id of a label. An item has a label for each compaction before which it was known.
func (l label) id() string { return fmt.Sprintf("%s-%d", l.mac[:12], l.row) }

// named returns the beginning of a line on which a second reader writes a verdict.
func (l label) named() string { return l.id() + " " + string(l.kind) }

// newLine returns the line of a new label, with a question mark in place of the verdict.
func (l label) newLine() string {
	part := parts[0]
	if l.heldOut {
		part = parts[1]
	}
	return fmt.Sprintf("%s %d %s ? %s %s", l.session, l.row, l.kind, part, l.mac)
}

// part returns the name of the part of the labels that a label belongs to.
func (l label) part() string {
	if l.heldOut {
		return "held out"
	}
	return "tuned"
}

// compaction names the compaction of a label.
func (l label) compaction() string { return fmt.Sprintf("%s line %d", l.session, l.row) }

// The words of a file of labels.
var (
	verdicts = []string{"lost", "kept"}
	parts    = []string{"tuned", "heldout"}
)

// readLabels reads labels: lines of session, row, kind, kept or lost, tuned or heldout, and MAC. Empty lines and those that begin
// with # are skipped.
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

// parseLabel parses the fields of a line.
func parseLabel(f []string) (l label, ok bool) {
	if len(f) != 6 || !slices.Contains(verdicts, f[3]) || !slices.Contains(parts, f[4]) {
		return l, false
	}
	row, err := strconv.Atoi(f[1])
	mac, macErr := hex.DecodeString(f[5])
	l = label{session: f[0], row: row, kind: knowledge.Kind(f[2]), kept: f[3] == "kept", heldOut: f[4] == "heldout", mac: f[5]}
	return l, err == nil && row > 0 && macErr == nil && len(mac) == sha256.Size && slices.Contains(knowledge.Audited(), l.kind)
}

// key is the key of the MACs of a transcript's items.
type key []byte

// keyOf returns the key of a transcript: a digest of it.
func keyOf(transcript []byte) key {
	sum := sha256.Sum256(transcript)
	return sum[:]
}

// mac returns the MAC of a text in hex.
func (k key) mac(text string) string {
	h := hmac.New(sha256.New, k)
	io.WriteString(h, text)
	return hex.EncodeToString(h.Sum(nil))
}
