package claude

// windows are the context windows of models by what their ids begin with, as
// statuslines of clients up to 2.1.329 tell them. Models whose window depends on the
// client or on an option are not here: nothing is said rather than something wrong
// (S1.3, S1.11).
var windows = map[string]int64{
	"claude-opus-5":   1_000_000,
	"claude-sonnet-5": 1_000_000,
	"claude-haiku-5":  1_000_000,
	"claude-opus-4":   200_000,
	"claude-haiku-4":  200_000,
}
