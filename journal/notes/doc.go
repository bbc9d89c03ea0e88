// Package notes observes the files in which people and skills keep working
// notes, learnings and workflow state.
//
// A hook, which calls it, has neither a log nor a state, so the package returns
// observations and never differences (ADR-0007 rule 1). To be cheap it caches the
// size, time and identity of each file in one small file of hints. Losing the
// hints only costs another observation, because the owner of the log stores
// nothing twice.
//
// Whatever is wrong with a file, only the content of that file is lost (S1.11). The package redacts texts, and
// the owner of the log parses them (package sections).
//
// Markers are files of older tools: small JSON files in a project's .claude/context with the times at which its sessions were last
// compacted and compounded, and with the pressure on the context. The package writes them from the log, and reads them for the time
// before the log (S1.6, S1.15).
package notes
