package knowledge

import (
	"slices"
	"strings"

	"journal/projections"
)

// Todo is a task of the agent's list, word for word.
const Todo Kind = "todo"

var _ = declare(Def{
	Kind: Todo, Needs: []projections.Projection{projections.Todos, projections.Prompts, projections.Files, projections.SubagentFiles}, Items: todos,
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

// TodoDetail is the description of an open task, Text, with the task as Detail. Only short texts list it. Its items come with those of Todo.
const TodoDetail Kind = "todo-detail"

var _ = declare(Def{
	Kind: TodoDetail,
	Text: Text{Form: Title, Units: 250, Cap: 250, Detail: 60, DetailCap: 60, Unasked: true},
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
// the completed ones, of which texts show only DoneTodo, then the descriptions of the open ones. For a task in progress, Edited names
// the files that were written since it began.
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
		if t.Detail != "" && t.Status != "completed" && !strings.Contains(t.Text, t.Detail) {
			described = append(described, Item{Kind: TodoDetail, Seq: t.Seq, Part: t.Part, Text: t.Detail, Detail: t.Text, Tier: Spare, OnlyShort: true})
		}
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
			waiting = append(waiting, item)
		}
	}
	return slices.Concat(running, waiting, theirs, done, described)
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
