package events

// CompileEnded says that the person has ended a run, whatever is open in it:
// nothing of it is given back any more.
type CompileEnded struct{}

func (CompileEnded) event() {}

var _ = declare("compile.ended", "the person has ended a compile run", appendable[CompileEnded]())
