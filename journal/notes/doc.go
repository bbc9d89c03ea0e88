// Package notes observes the files in which people and skills keep working
// notes, learnings and workflow state.
//
// It is called by hooks, which have neither a log nor a state, so it returns
// observations and never differences (ADR-0007 rule 1). To be cheap it caches the
// size, time and identity of each file in one small file of hints per project. Losing the
// hints only costs another observation, because the owner of the log stores
// no observation that adds nothing.
//
// Whatever is wrong with a file, only the content of that file is lost (S1.11). The package redacts texts, and
// the owner of the log parses them (package sections).
//
// Markers are files of older tools: small JSON files in a project's .claude/context with the times at which its sessions were last
// compacted and compounded, and with the pressure on the context. The package writes markers from the log, and reads those that older
// tools wrote before the log began (S1.6, S1.15).
package notes
