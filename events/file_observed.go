package events

// FileObserved says what a file of working notes, lasting knowledge or workflow
// state held at that moment (S1, S3.1). It is an observation, never a
// difference: what is new, edited or dropped is for folds to say (ADR-0007 rule 1).
// Its markdown was parsed when it was observed, so that a later parser
// does not change a replay.
type FileObserved struct {
	Path   string `json:"path"` // below the project's root with slashes, else absolute
	Kind   string `json:"kind"` // FlowFile or another of the constants below
	Digest string `json:"digest,omitempty"`
	Size   int64  `json:"size,omitempty"` // bytes on disk
	Gone   bool   `json:"gone,omitempty"` // it was there and is no more
	// Gap says why content is missing here; empty when nothing is. Beside
	// entries it means that there were more of them.
	Gap string `json:"gap,omitempty"`
	// Written says that the tool call of the same report had just written it:
	// the content is this session's work, not somebody's from before.
	Written bool `json:"written,omitempty"`
	// Changed is when the file was changed last by its own time, ns since 1970 UTC, 0
	// unknown: what was written before the journal was installed is as old as that.
	Changed int64   `json:"changed,omitempty"`
	Open    int     `json:"open,omitempty"`   // boxes to tick, wherever in the file
	Labels  []Label `json:"labels,omitempty"` // before the first entry; the members of a JSON object
	Entries []Entry `json:"entries,omitempty"`
	// Text is the whole file, for kinds that are given back as they are: those that
	// GivenWhole names. Empty in events of a version before, and where the file is
	// longer than 256 KiB.
	Text string `json:"text,omitempty"`
}

// GivenWhole says whether the files of a kind come back to an agent as they are (S3.2).
func GivenWhole(kind string) bool { return kind == SkillFile }

// The kinds of observed file (docs/FILES.md §S1, §S3).
const (
	FlowFile     = "flow"     // working notes
	PlanFile     = "plan"     // a task plan
	StockFile    = "stock"    // lasting knowledge
	SkillFile    = "skill"    // where a skill's workflow stands
	CompileFile  = "compile"  // what came of compiling one directory
	OtherFile    = "other"    // knowledge that is named and not counted (S1.14)
	CompoundFile = "compound" // when notes were last promoted, by another tool
)

// Entry is one section under a heading of the second level.
type Entry struct {
	Heading string  `json:"heading"`
	Text    string  `json:"text,omitempty"` // everything under it as written, trailing white space apart
	Labels  []Label `json:"labels,omitempty"`
	// Heads are its sections of the third level, for kinds whose folds read
	// them: their text stands in Text as well.
	Heads []Head `json:"heads,omitempty"`
}

// Head is one section under a heading of the third level.
type Head struct {
	Heading string  `json:"heading"`
	Text    string  `json:"text,omitempty"`
	Labels  []Label `json:"labels,omitempty"`
}

// Label is a line such as "**Phase**: review".
type Label struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (FileObserved) event() {}

// Label gives the value of the file's first label with one of the names, empty
// when there is none.
func (f FileObserved) Label(names ...string) string { return LabelIn(f.Labels, names...) }

// LabelIn gives the value of the first label with one of the names, empty when
// there is none.
func LabelIn(labels []Label, names ...string) string {
	for _, l := range labels {
		for _, name := range names {
			if l.Name == name {
				return l.Value
			}
		}
	}
	return ""
}

var _ = declare[FileObserved]("file.observed", "what a file of notes, knowledge or workflow state held", lasting)
