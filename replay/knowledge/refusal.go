package knowledge

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"journal/events"
	"journal/events/shell"
	"journal/events/text"
	"journal/projections"
)

// Refusal is a tool call that the person refused, with their words about it. State is the event in which the same was
// done later, as "#12", or notDone, and Edited is the event in which the call's file was written; both are empty for none.
const Refusal Kind = "refusal"

var _ = declare(Def{
	Kind: Refusal, Needs: []projections.Projection{
		projections.Refusals, projections.Prompts, projections.LastCall, projections.Commands, projections.Files, projections.Plan, projections.Git,
	},
	Items: refusals,
	Text:  Text{Form: Reply, Units: 300, Tiers: Tiers{Best: Likely, First: 30}},
	Audit: refusalAudit,
})

// notDone is the State of a commit or push that was put off, and that nobody had made at the last look at git.
const notDone = "open"

var refusalAudit = Audit{Match: ByTask, Rate: rateRefusal, Title: "Refused tool calls"}

// LastRefusal is a Refusal whose words are the person's newest ones. Once the agent went on, they are listed as Since.
const LastRefusal Kind = "last-refusal"

var _ = declare(Def{
	Kind: LastRefusal, CountedAs: Refusal, ID: string(Refusal),
	Text:  Text{Form: Reply, Units: 600, Top: true, Tiers: Tiers{Best: Vital, First: 1}},
	Audit: refusalAudit,
})

var refusedWith = worthKeeping(65, "what the person said when refusing a tool call, if it is no question")

// Words by which the person wants the call later: putOff at the beginning, laterOn anywhere.
var (
	putOff  = strings.Fields("wait hang hold 잠깐 잠시 待って ちょっと")
	laterOn = []string{" first ", " later ", " not yet ", "먼저", "나중에", "先に", "後で"}
)

// reasoning lists words before a reason, or before an action in place of the call.
var reasoning = []string{
	" but ", " however ", " because ", " since ", " should ", " must ", " too ", " wrong ", " not ", " no ", " use ", " prefer ", " already ", " have to ", " need ",
	"그런데", "하지만", "때문", "써", "사용", "이미", "필요", "でも", "しかし", "から", "ので", "使", "既に", "必要",
}

// putsOff reports whether words at a refusal ask something, or want the call later.
func putsOff(words string) bool {
	return isQuestion(words) || instructs(words, laterOn) || slices.ContainsFunc(putOff, func(w string) bool { return strings.HasPrefix(strings.ToLower(words), w) })
}

// rateRefusal rates the words of refusals. Words that only ask for something else are a request, which is settled when the
// person goes on.
func rateRefusal(f *projections.Fold) func(Item) Worth {
	request := newestRequest(f)
	return func(i Item) Worth {
		p := promptsRead.get(i.Text)
		reasons := p.forbids || p.limits || p.standing || p.objects || instructs(i.Text, reasoning)
		if p.reply || putsOff(i.Text) || i.Summarized && !p.forbids || request > i.Seq && !reasons {
			return other
		}
		return refusedWith
	}
}

// Refused is a tool call that the person refused without comment. Its items come with those of Refusal.
const Refused Kind = "refused"

var _ = declare(Def{
	Kind: Refused,
	Text: Text{Form: Code, Units: maxCall, Cap: maxCall, Most: 10, Tiers: Tiers{Best: Useful, First: 3, Second: 7}, Unasked: true},
})

// refusals lists refused calls, newest first. It lists a call that was refused without words once, and not if it was made later.
func refusals(f *projections.Fold) []Item {
	var items []Item
	listed, spoken := map[string]bool{}, false // calls without words; whether a newer refusal has words
	prompt, _ := projections.Prompts.In(f).Last()
	request := newestRequest(f)
	last, carried := projections.LastCall.In(f), carriedOut{f: f, prompt: prompt.Seq}
	for r := range projections.Refusals.In(f).Backward() {
		call := strings.TrimSpace(r.Tool + " " + r.Target)
		change := changeOf(r)
		done, wrote := carried.doneIn(r)
		switch {
		case r.Words != "":
			it := Item{Kind: Refusal, Seq: r.Seq, Text: r.Words, Detail: text.CutLine(call, maxCall) + change}
			switch {
			case wrote:
				it.Edited = fmt.Sprint("#", done)
			case done > 0:
				it.State = fmt.Sprint("#", done)
			case putsOff(r.Words) && carried.isUndone(r):
				it.State = notDone
			}
			answered := it.State == "" && request > r.Seq && isQuestion(r.Words)
			switch newestWords := !spoken && r.Seq > prompt.Seq; {
			case prompt.Seq > r.Seq && (done > 0 || answered):
				it.Tier = Spare
			case newestWords && done == 0 && last.Seq < r.Seq+wentOn:
				it.Kind = LastRefusal
			case newestWords:
				items = append(items, Item{Kind: Since, Seq: r.Seq, Text: r.Words, Detail: it.Detail, Holds: []string{it.ID()}})
				it.Tier = Unlisted
			}
			items, spoken = append(items, it), true
		case !listed[call] && done == 0:
			items = append(items, Item{Kind: Refused, Seq: r.Seq, Text: call})
			listed[call] = true
		}
	}
	return items
}

// maxChange bounds each of the two lines of a refused change, in UTF-16 units.
const maxChange = 80

// changeOf describes the first change of a refused edit by a line that it would have removed and one that it would have added, empty if
// they are unknown.
func changeOf(r projections.RefusalState) string {
	for _, p := range r.Passages {
		added := telling(projections.EditState{Path: r.Target, Passage: p})
		if added+p.Removed != "" {
			return ": " + text.CutLine(p.Removed, maxChange) + " → " + text.CutLine(added, maxChange)
		}
	}
	return ""
}

// carriedOut finds refused calls that were made later after all. read fills its maps.
type carriedOut struct {
	f       *projections.Fold
	prompt  uint64            // the newest prompt
	written map[string]uint64 // file, by projections.Slashed → its newest write; nil before read
	ran     map[string]uint64 // command, or one of actionsOf it → its newest run that worked
}

// reference matches the number of a comment in a link. Shorter numbers are also ports and limits, and names with a number
// (PROJ-12) have the form of UTF-8.
var reference = text.Pattern(`\d{8,}`)

// maxReferences bounds the numbers of the words at one refusal: a person may paste a log.
const maxReferences = 8

// doneIn returns the event in which the purpose of a refused call was achieved later, 0 for none. In that event the command ran, one
// with the same action of git or gh, or one with a reference of the person's words, or a plan was approved after the person spoke. If
// wrote is set, something was written to the call's file, which need not be the refused edit. doneIn also returns 0 if the
// person's words are an instruction that holds on.
func (c *carriedOut) doneIn(r projections.RefusalState) (seq uint64, wrote bool) {
	plan, last := projections.Plan.In(c.f), projections.LastCall.In(c.f)
	switch {
	case promptsRead.get(r.Words).holds:
		return 0, false
	case plan.Seq > r.Seq && c.prompt > r.Seq && strings.Contains(strings.ToLower(r.Tool), "plan"):
		return plan.Seq, false
	}
	c.read()
	if seq = c.written[projections.Slashed(r.Target)]; seq > r.Seq {
		return seq, true
	}
	seq = c.ran[r.Target]
	for _, action := range actionsOf(r.Target) {
		seq = max(seq, c.ran[action])
	}
	for _, number := range reference().FindAllString(r.Words, maxReferences) {
		for command, ran := range c.ran {
			if ran > seq && text.HasWords(command, number) && len(tasks(command)) > 0 {
				seq = ran
			}
		}
	}
	if last.Outcome == projections.CallWorked && last.Tool == r.Tool && last.Target == r.Target {
		seq = max(seq, last.Seq)
	}
	if seq < r.Seq {
		return 0, false
	}
	return seq, false
}

// isUndone reports whether git shows that a refused commit or push was not made later, by the agent or the person: a file that the call
// names has uncommitted changes from before the refusal, or the branch is ahead of its upstream branch.
func (c *carriedOut) isUndone(r projections.RefusalState) bool {
	git, actions := projections.Git.In(c.f), actionsOf(r.Target)
	if git.Seq < r.Seq || promptsRead.get(r.Words).holds { // doneIn finds nothing if the words hold
		return false
	}
	if slices.Contains(actions, "git push") {
		return git.Upstream != "" && git.Ahead > 0
	}
	c.read()
	return slices.Contains(actions, "git commit") && slices.ContainsFunc(git.Changes, func(change events.GitChange) bool {
		return text.HasWords(r.Target, change.Path) && c.written[path.Join(projections.Slashed(git.Top), change.Path)] < r.Seq
	})
}

// read indexes the files and commands, once.
func (c *carriedOut) read() {
	if c.written != nil {
		return
	}
	c.written, c.ran = map[string]uint64{}, map[string]uint64{}
	for file := range projections.Files.In(c.f).All() {
		c.written[projections.Slashed(file.Path)] = file.WrittenSeq
	}
	for command := range projections.Commands.In(c.f).All() {
		if !command.OK {
			continue
		}
		c.ran[command.Command] = command.Seq
		for _, action := range actionsOf(command.Command) {
			c.ran[action] = command.Seq
		}
	}
}

// actionWords has the number of words by which a command of a program names its action: "git push", "gh pr comment".
var actionWords = map[string]int{"git": 2, "gh": 3}

// actionsOf returns the actions of git and gh in a shell command, without those that only look: another look is not the
// refused one.
func actionsOf(command string) []string {
	if !strings.Contains(command, "git ") && !strings.Contains(command, "gh ") {
		return nil // parsing a command takes longer than all else
	}
	return actionsRead.get(command)
}

// actionsRead caches actionsOf.
var actionsRead = cache[[]string]{compute: func(command string) (all []string) {
	for _, words := range shell.Commands(command) {
		if n := actionWords[words[0]]; n > 0 && n <= len(words) && !onlyReads(words) && !isQuery(words) {
			all = append(all, strings.Join(words[:n], " "))
		}
	}
	return all
}}

// wentOn is the number of events after a refusal from which a call of the agent shows that it went on.
const wentOn = 20

// maxCall bounds a refused call in a text, in UTF-16 units.
const maxCall = 120
