package knowledge

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"journal/events/text"
	"journal/projections"
)

// Edit is an edit since the request. Text is the first line that tells what it added, behind the line in whose place it stands if only
// that was replaced. It is the first removed line if nothing was added, the error of a failed edit, and the path of a file that was written
// whole: State is removed, failed or whole then. Detail is the name of the file.
const Edit Kind = "edit"

// editUnits bounds the line of an edit in a text, in UTF-16 units.
const editUnits = 90

// definedUnits bounds the names of what the edit defines beside that line, in UTF-16 units.
const definedUnits = 100

// besideUnits bounds the line of an edit beside what the agent announced, in UTF-16 units.
const besideUnits = 50

var _ = declare(Def{
	Kind: Edit, Needs: []projections.Projection{projections.Edits, projections.Prompts}, Items: listEdits,
	Text: Text{Form: Code, Units: editUnits, Cap: editUnits, Most: 24, Tiers: Tiers{Best: Vital, First: 5, Second: 7}, Unasked: true},
})

// EarlierEdit is an edit from before the request, while the agent has edited nothing since. Its fields are those of an Edit, with whose
// items it comes. Only short texts list it.
const EarlierEdit Kind = "earlier-edit"

var _ = declare(Def{
	Kind: EarlierEdit, Text: Text{Form: Code, Units: editUnits, Cap: editUnits, Unasked: true},
})

// Bounds of the earlier edits: their number, and how many turns before the running one they may be from.
const (
	maxEarlierEdits = 10
	maxEarlierTurns = 2
)

// listEdits lists the edits since the request that stand, newest first, or if there are none those of the maxEarlierTurns turns before
// it, which only short texts list.
func listEdits(f *projections.Fold) []Item {
	request, _ := projections.Prompts.In(f).Request()
	if items := editsIn(f, Edit, request.Seq, math.MaxUint64); len(items) > 0 {
		return withoutPlainList(items)
	}
	turns, since := 0, request.Seq
	for p := range projections.Prompts.In(f).Backward() {
		if p.Seq < request.Seq && !p.DuringTurn && turns < maxEarlierTurns {
			turns, since = turns+1, p.Seq
		}
	}
	items := withoutPlainList(editsIn(f, EarlierEdit, since, request.Seq))
	for i := range items {
		items[i].Tier, items[i].OnlyShort = Spare, true
	}
	return items[:min(len(items), maxEarlierEdits)]
}

// withoutPlainList returns the edits, none if all of them wrote whole files: those are a list of their own.
func withoutPlainList(items []Item) []Item {
	if !slices.ContainsFunc(items, func(i Item) bool { return i.State != "whole" }) {
		return nil
	}
	return items
}

// editsIn lists the edits with sequences from since up to, but excluding, before, newest first. Equal ones in a row are one item with
// their number.
func editsIn(f *projections.Fold, kind Kind, since, before uint64) (items []Item) {
	part, at := 0, uint64(0)
	var paths []string
	for _, e := range projections.Edits.In(f) {
		paths = append(paths, projections.Slashed(e.Path))
	}
	nameOf := shortestEnds(paths)
	for _, e := range slices.Backward(projections.Edits.In(f)) {
		if e.Seq < since {
			break
		}
		if e.Seq >= before {
			continue
		}
		if e.Seq != at {
			part, at = 0, e.Seq
		}
		part++
		item := Item{Kind: kind, Seq: e.Seq, Part: part, Text: telling(e), Detail: nameOf(projections.Slashed(e.Path)), Undoes: e.Undoes, Said: announcement(e), Defines: text.CutUnits(strings.Join(e.Defines, ", "), definedUnits), Times: 1}
		replaced := "" // the line in whose place the text stands
		switch {
		case e.Error != "":
			item.Text, item.State = e.Error, "failed"
		case e.Whole:
			item.Text, item.State = projections.Slashed(e.Path), "whole"
		case item.Text == "":
			item.Text, item.State = e.Removed, "removed"
		case e.Count == 1 && e.RemovedCount == 1 && e.Removed != "" && text.Units(e.Removed+item.Text) < editUnits:
			replaced = e.Removed + " → "
		}
		if part > 1 || text.IsImport(replaced+item.Text) {
			item.Said = "" // it announced more than this: an edit often begins with an import
		}
		if item.Said != "" && text.Units(replaced+item.Text) > besideUnits {
			replaced, item.Text = "", text.CutLine(item.Text, besideUnits)
		}
		item.Text = replaced + item.Text
		last := len(items) - 1
		switch {
		case item.Text == "":
		case last >= 0 && items[last].repeats(item):
			items[last].Times++
		default:
			items = append(items, item)
		}
	}
	return items
}

// repeats reports whether an Edit tells the same as another one.
func (i Item) repeats(other Item) bool {
	return i.Text == other.Text && i.Detail == other.Detail && i.State == other.State && i.Said == other.Said && i.Defines == other.Defines && i.Undoes == 0 && other.Undoes == 0
}

// saidUnits bounds what the agent announced, in UTF-16 units.
const saidUnits = 70

// announcement returns the last sentence of the agent's words before an edit, "Now fix the counter", if it speaks of a change. It is empty
// if the words end with a list: its last item need not be the one with which the agent begins. In place of a sentence that names
// nothing, it returns the comment with which the added lines begin.
func announcement(e projections.EditState) string {
	words := strings.TrimRight(strings.TrimSpace(e.Said), ".:!?。： *")
	words = words[strings.LastIndexByte(words, '\n')+1:]
	if listLine().MatchString(words) {
		words = ""
	}
	words = strings.Trim(words[lastSentence(words):], " *_\"#-")
	if onlyLooks().MatchString(words) && !speaksOfChange().MatchString(words) {
		words = ""
	}
	if text.Units(words) < minAnnouncement && !naming().MatchString(words) {
		if purpose := purposeOf(e); purpose != "" {
			words = purpose
		}
	}
	return text.CutLine(words, saidUnits)
}

// minAnnouncement is the length below which an announcement that names nothing says little, in UTF-16 units: "Let me update the code".
const minAnnouncement = 40

// onlyLooks matches the beginning of a sentence that announces a look, and speaksOfChange a word for a change.
var (
	onlyLooks = text.Pattern(`(?i)^(?:(?:ok(?:ay)?|now|good|great|first|next|then|so|and|also|actually|right|but)\b[,!.]?\s+)*` +
		`(?:(?:let me|let's|let us|i'll|i will|i need to|i should|i want to)\s+)?(?:(?:also|now|first|just|quickly)\s+)*` +
		`(?:check|look|see|read|view|examine|inspect|verify|find|search|understand|review|confirm|investigate|explore|trace|run)\b|(?:확인|살펴)\S*$|(?:確認|見て)\S*$`)
	speaksOfChange = text.Pattern(`(?i)\b(?:add|fix|updat|chang|remov|replac|renam|implement|refactor|mov|creat|writ|delet|revert|simplif|extend|mak|set|drop|convert|handl)\w*|수정|변경|추가|修正|変更|追加`)
)

// purposeOf returns the comment with which the added lines of an edit begin, without its marks. It is empty for a document.
func purposeOf(e projections.EditState) string {
	if e.Count == 0 || len(e.Lines) == 0 || strings.HasSuffix(e.Path, ".md") || !text.IsComment(e.Lines[0]) {
		return ""
	}
	purpose := strings.TrimSpace(strings.Trim(e.Lines[0], "/*#-<!> "))
	if !strings.Contains(purpose, " ") {
		return ""
	}
	return purpose
}

// telling returns the first line that an edit added, and that is no comment if there is one. Lines of documents that begin like
// comments are headings and lists. It is empty if the edit only removed lines.
func telling(e projections.EditState) string {
	if e.Count == 0 || len(e.Lines) == 0 {
		return ""
	}
	lines := e.Lines[:min(len(e.Lines), e.Count)]
	if isDocument := strings.HasSuffix(e.Path, ".md"); isDocument {
		return lines[0]
	}
	if i := slices.IndexFunc(lines, func(l string) bool { return !text.IsComment(l) }); i > 0 {
		return lines[i]
	}
	return cmp.Or(e.Code, lines[0])
}
