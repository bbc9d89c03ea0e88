package knowledge

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"journal/events"
	"journal/events/text"
	"journal/projections"
)

// Todo is a task of the agent's list, word for word.
const Todo Kind = "todo"

var _ = declare(Def{
	Kind: Todo, Needs: []projections.Projection{projections.Todos, projections.Prompts, projections.Files, projections.SubagentFiles, projections.Places}, Items: todos,
	Text:  Text{Form: Box, Units: 300, Tiers: Tiers{Best: Vital, First: 5, Second: 60}},
	Audit: Audit{Match: ByTask, Rate: func(*projections.Fold) func(Item) Worth { return rateTodo }, Title: "Todo items"},
})

// DoneTodo is a task that was completed since the request and whose description is no longer the planned one: it may describe
// the result. Its items come with those of Todo.
const DoneTodo Kind = "done-todo"

var _ = declare(Def{
	Kind: DoneTodo, CountedAs: Todo, ID: string(Todo),
	Text:  Text{Form: Title, Units: 120, Cap: 120, Detail: 300, Most: 8, Tiers: Tiers{Best: Likely, First: 8}, Unasked: true},
	Audit: Audit{Match: ByTask, Rate: func(*projections.Fold) func(Item) Worth { return rateTodo }, Title: "Todo items"},
})

// TodoDetail is the description of an open task, Text, with the task as Detail. Only short texts list those of tasks that are neither in
// progress nor the next one. Its items come with those of Todo.
const TodoDetail Kind = "todo-detail"

var _ = declare(Def{
	Kind: TodoDetail,
	Text: Text{Form: Title, Units: 250, Cap: 250, Ample: 600, Detail: 60, DetailCap: 60, Tiers: Tiers{Best: Likely, First: 2}, Unasked: true},
})

var openTodos = worthKeeping(10, "todo items that are open and more than checks")

// rateTodo rates a todo item. A task that is known only by its number has no words to find.
func rateTodo(i Item) Worth {
	named := strings.Trim(i.Text, "#0123456789") != ""
	if i.State == "completed" || !named || onlyChecks(i.Text) {
		return other
	}
	return openTodos
}

// todos lists the tasks in progress, then the waiting ones, then those of other agents of a team, with their names, then
// the completed ones, of which texts show only DoneTodo, then the descriptions of the open ones. For a task in progress,
// Edited names the files that were written since it began, and for a waiting one the symbol in its text that an edit defined since.
func todos(f *projections.Fold) []Item {
	all := projections.Todos.In(f)
	if len(all) == 0 {
		return nil
	}
	var running, waiting, theirs, done, described []Item
	old, written := longAgo(f), editsOf(f)
	request, _ := projections.Prompts.In(f).Request()
	for i, t := range all {
		item := Item{Kind: Todo, Seq: t.Seq, Part: t.Part, Text: t.Text, State: t.Status, Old: t.Seq < old, place: i}
		switch {
		case t.Status == "completed":
			item.Tier = Unlisted
			if request.Seq > 0 && t.Seq > request.Seq && t.Detail != "" && t.Detail != t.Planned {
				item.Kind, item.Tier, item.Detail = DoneTodo, 0, t.Detail
			}
			done = append(done, item)
		case t.Owner != "" && !t.Taken:
			item.Detail, item.Foreign = t.Owner, true
			theirs = append(theirs, item)
		case t.Status == "in_progress":
			item.Detail = t.Status
			if !onlyChecks(t.Text) {
				item.Edited = written.since(t.Seq)
			}
			running = append(running, item)
		default:
			item.Edited = definedSince(f, written, t)
			waiting = append(waiting, item)
		}
	}
	open := slices.Concat(running, waiting, theirs)
	for i, item := range open {
		t := all[item.place]
		if t.Detail == "" || strings.Contains(t.Text, t.Detail) {
			continue
		}
		item = Item{Kind: TodoDetail, Seq: t.Seq, Part: t.Part, Text: t.Detail, Detail: t.Text}
		if begun := i < len(running); !begun && (i > len(running) || open[i].Old || open[i].Foreign) {
			item.Tier, item.OnlyShort = Spare, true
		}
		described = append(described, item)
	}
	return slices.Concat(open, done, described)
}

// oldAfter is the number of requests after which a todo is old.
const oldAfter = 5

// longAgo returns the sequence of the fifth newest prompt, 0 if there are fewer.
func longAgo(f *projections.Fold) uint64 {
	all := projections.Prompts.In(f)
	if all.Len() < oldAfter {
		return 0
	}
	return all.Get(all.Len() - oldAfter).Seq
}

// symbolName matches a name that is no word of a language: it has a capital letter or an underscore within.
var symbolName = text.Pattern(`[\p{Ll}\d_]\p{Lu}|\w_\w`)

// definedSince returns the first symbol in the text of a task that an edit of a file defined, with the file and its line. The file was
// written after the task was listed. It is empty if there is none.
func definedSince(f *projections.Fold, written edits, t projections.TodoState) string {
	since := written.after(t.Seq)
	for _, p := range projections.Places.In(f).Files {
		if !slices.ContainsFunc(since, func(w projections.FileState) bool { return strings.HasSuffix(w.Path, "/"+p.Path) }) {
			continue
		}
		for _, n := range p.Names {
			changed := slices.ContainsFunc(p.Changed, func(r events.Range) bool { return r.From <= n.Line && n.Line <= r.To })
			if changed && symbolName().MatchString(n.Name) && text.HasWords(t.Text, n.Name) {
				return path.Base(p.Path) + ": " + n.Name + " " + strconv.Itoa(n.Line)
			}
		}
	}
	return ""
}
