// Package agents has what is common to the hooks of all coding agents: the report
// that a dialect makes of a payload, the register of dialects, and the tools that
// dialects are made of.
//
// A dialect translates the JSON of one agent's hooks into neutral hooks, and answers
// into what the agent takes from stdout. It stands in the agent's package, beside its
// transcripts and its installation, and declares itself there. Reading never fails: what can
// be read of a broken payload is kept, with the reason beside it.
package agents
