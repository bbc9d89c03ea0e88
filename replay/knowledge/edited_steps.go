package knowledge

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"journal/events/text"
	"journal/projections"
)

// editedSteps returns which items of the last numbered list in the agent's words its later edits are about, as "2 (#420), 3 (#422)", each
// with the newest such edit. An edit is about an item if it has a name that no other item has, in its lines, its file, what the agent
// announced, or around the only change of its file; or if the agent announced it in most words of the item.
func editedSteps(f *projections.Fold, words string, calls int) string {
	steps := numberedSteps(words)
	if len(steps) < 2 {
		return ""
	}
	edits := editsAfter(f, calls)
	times := map[string]int{} // number of steps by name
	for _, s := range steps {
		for _, name := range s.names {
			times[name]++
		}
	}
	var edited []string
	for _, s := range steps {
		s.names = slices.DeleteFunc(s.names, func(name string) bool { return times[name] > 1 })
		if i := slices.IndexFunc(edits, func(e projections.EditState) bool { return s.isAbout(e, enclosing(f, e.Path)) }); i >= 0 {
			edited = append(edited, fmt.Sprintf("%s (#%d)", s.number, edits[i].Seq))
		}
	}
	return strings.Join(edited, ", ")
}

// editsAfter returns the edits since the request among the last calls, the newest first. It knows no calls that only read: for each of
// those it may return one edit too many.
func editsAfter(f *projections.Fold, calls int) (edits []projections.EditState) {
	request, _ := projections.Prompts.In(f).Request()
	var seqs []uint64 // of the known calls
	for c := range projections.Commands.In(f).Backward() {
		if c.Seq < request.Seq || len(seqs) == calls {
			break
		}
		seqs = append(seqs, c.Seq)
	}
	for _, e := range slices.Backward(projections.Edits.In(f)) {
		if e.Seq < request.Seq {
			break
		}
		if !slices.Contains(seqs, e.Seq) {
			seqs = append(seqs, e.Seq)
		}
		newer := slices.DeleteFunc(slices.Clone(seqs), func(seq uint64) bool { return seq <= e.Seq })
		if len(newer) >= calls {
			break
		}
		if e.Error == "" {
			edits = append(edits, e)
		}
	}
	return edits
}

// numberedStep is an item of a numbered list: its number, its words and the names in it.
type numberedStep struct {
	number       string
	words, names []string
}

// These match the number of an item, and what may be a name: an option of a command, a file, a symbol.
var (
	stepNumber = text.Pattern(`^\s*(\d+)[.)]\s+`)
	nameInStep = text.Pattern(`--\w[\w-]+|[\w./-]*\w\.\w+|\w+`)
)

// numberedSteps returns the items of the last numbered list in some words.
func numberedSteps(words string) (steps []numberedStep) {
	for line := range strings.Lines(words) {
		m := stepNumber().FindStringSubmatch(line)
		switch {
		case m == nil:
			continue
		case m[1] == "1":
			steps = nil
		}
		step := numberedStep{number: m[1], words: headingWords(line)}
		for _, name := range nameInStep().FindAllString(line[len(m[0]):], -1) {
			isName := strings.HasPrefix(name, "--") || strings.Contains(name, ".") || symbolName().MatchString(name)
			if isName && !slices.Contains(step.names, name) {
				step.names = append(step.names, name)
			}
		}
		steps = append(steps, step)
	}
	return steps
}

// enclosing returns the name that encloses the only change of a file, "" for several changes.
func enclosing(f *projections.Fold, file string) string {
	for _, p := range projections.Places.In(f).Files {
		if len(p.Changed) == 1 && strings.HasSuffix(projections.Slashed(file), "/"+p.Path) {
			return p.Changed[0].In
		}
	}
	return ""
}

// isAbout reports whether an edit is about the step. within is the name that encloses it, "" if that is unknown.
func (s numberedStep) isAbout(e projections.EditState, within string) bool {
	announced := announcement(e)
	lines := strings.Join(append(slices.Clone(e.Lines[:min(len(e.Lines), e.Count)]), e.Code, e.Removed, announced, within), "\n")
	return shareOf(s.words, headingWords(announced)) > 0 || slices.ContainsFunc(s.names, func(name string) bool {
		return text.HasWords(lines, name) || path.Base(name) == path.Base(projections.Slashed(e.Path))
	})
}
