package knowledge

import (
	"path"
	"slices"
	"strings"

	"journal/events/text"
	"journal/projections"
)

// Edit is an edit since the request. Text is the first line that tells what it added, or the first that it removed, or the error of a
// failed one: State is removed or failed then. Detail is the name of the file.
const Edit Kind = "edit"

// editUnits bounds the line of an edit in a text, in UTF-16 units.
const editUnits = 90

// besideUnits bounds it beside what the agent announced.
const besideUnits = 50

var _ = declare(Def{
	Kind: Edit, Needs: []projections.Projection{projections.Edits, projections.Prompts}, Items: editsSince,
	Text: Text{Form: Code, Units: editUnits, Cap: editUnits, Most: 24, Tiers: Tiers{Best: Vital, First: 5, Second: 7}, Unasked: true},
})

// editsSince lists the edits since the request that stand, newest first. Equal ones in a row are one item with their number.
func editsSince(f *projections.Fold) (items []Item) {
	request, _ := projections.Prompts.In(f).Request()
	part, at := 0, uint64(0)
	for _, e := range slices.Backward(projections.Edits.In(f)) {
		if e.Seq < request.Seq {
			break
		}
		if e.Seq != at {
			part, at = 0, e.Seq
		}
		part++
		item := Item{Kind: Edit, Seq: e.Seq, Part: part, Text: telling(e), Detail: path.Base(projections.Slashed(e.Path)), Undoes: e.Undoes, Said: announcement(e.Said), Times: 1}
		switch {
		case e.Error != "":
			item.Text, item.State = e.Error, "failed"
		case item.Text == "":
			item.Text, item.State = e.Removed, "removed"
		}
		if part > 1 || text.IsImport(item.Text) {
			item.Said = "" // it announced more than this: an edit often begins with an import
		}
		if item.Said != "" {
			item.Text = text.CutLine(item.Text, besideUnits)
		}
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
	return i.Text == other.Text && i.Detail == other.Detail && i.State == other.State && i.Said == other.Said && i.Undoes+other.Undoes == 0
}

// saidUnits bounds what the agent announced, in UTF-16 units.
const saidUnits = 70

// announcement returns the last sentence of words before an edit: "Now fix the counter". It is empty if the words end with a list: its
// last item need not be the one with which the agent begins.
func announcement(words string) string {
	words = strings.TrimRight(strings.TrimSpace(words), ".:!?。： *")
	words = words[strings.LastIndexByte(words, '\n')+1:]
	if listLine().MatchString(words) {
		return ""
	}
	return text.CutLine(strings.Trim(words[lastSentence(words):], " *_\"#-"), saidUnits)
}

// comment matches a line of source code that is only a comment.
var comment = text.Pattern(`^(?://|/\*|\*|#(?: |$)|--|<!--)`)

// telling returns the first recorded line that an edit added, and that is no comment if there is one. Lines of documents that begin
// like comments are headings and lists. It is empty if the edit only removed lines.
func telling(e projections.EditState) string {
	if e.Count == 0 || len(e.Lines) == 0 {
		return ""
	}
	lines := e.Lines[:min(len(e.Lines), e.Count)]
	isDocument := strings.HasSuffix(e.Path, ".md")
	if i := slices.IndexFunc(lines, func(l string) bool { return isDocument || !comment().MatchString(l) }); i > 0 {
		return lines[i]
	}
	return lines[0]
}
