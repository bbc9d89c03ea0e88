package knowledge

// sectionOrder lists every kind in the order of its section in a text.
var sectionOrder = [...]Kind{
	Phase, RunningPort, // of the frame, above all sections
	Step, // in no text
	Task, WithCompact, LastRefusal, Approved, Prompt, Since, Standing, Said, Thought, Call, Result, Planned, Edit, EarlierEdit, Finding, Search, Report, External,
	Todo, TodoDetail, DoneTodo, PortItem, Compile, OtherPort,
	Checkpoint, Plan, LastAnswer, EarlierFinding, SkillFile, DonePhase, Note,
	Answer, Decision, TeamDecision, Refusal, Refused,
	Git, Place, Reread, File, Committed, SubagentFile,
	Worker, Failure, CI, Edited, Settled, Background, Command,
	First, Earlier, Brief, Read,
}

// fillOrder lists the kinds in the order in which a text is filled with the items of one tier.
var fillOrder = []Kind{
	Phase, RunningPort,
	Task, SkillFile, WithCompact, LastRefusal, First, Prompt, Earlier, Brief, Call, Since, Standing, Approved,
	Edit, EarlierEdit, Finding, EarlierFinding, Search, Planned, Report, External, Todo, TodoDetail, DoneTodo, Compile, PortItem, Checkpoint, LastAnswer, Plan, Note,
	Answer, Refusal, Decision, Git, Place, Reread, TeamDecision,
	File, SubagentFile, Committed, Background, Worker, Failure, CI, Said, Thought, Result, Edited, OtherPort, Command,
	DonePhase, Read, Refused, Settled,
}

// growthOrder lists the kinds in the order in which free room lengthens their cut items. Kinds on one line are equal.
var growthOrder = [][]Kind{
	{Approved, Compile, OtherPort, SkillFile, Refused},
	{Task, WithCompact, LastRefusal, Prompt},
	{Since, Standing},
	{Said, Thought, Checkpoint, DonePhase, Answer, Decision, Refusal, Report},
	{Failure, Edited, CI, Result},
	{LastAnswer},
	{Git, DoneTodo},
	{Finding, Planned},
	{EarlierFinding},
	{TeamDecision, Earlier},
	{First},
	{Plan},
	{Todo, PortItem, Note, File, SubagentFile, Worker, Background, Read},
	{Call, Edit, EarlierEdit, Search, TodoDetail, Place, Reread, Committed, External, Settled, Command, Brief},
}

// reportOrder lists the kinds that an audit's report counts, in its order.
var reportOrder = []Kind{Decision, Refusal, Note, Plan, Todo, PortItem, Compile, Prompt, File, DonePhase}
