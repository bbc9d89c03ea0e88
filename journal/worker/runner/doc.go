// Package runner runs tasks in workers, several at once, and retries a task whose worker reached the limit
// of its context (S4.7). A worker is a command in its own process group. Options.Record appends every step
// as an event, and a step counts when its event is durable. An interrupted run is resumed from its events:
// see Progress.
//
// A worker writes directly into a file of the run's folder, so that nothing is lost if this process dies.
// A worker begins only after the event of its start is durable: until then it waits at a gate (Gate). A
// second process (Guard) reads a pipe from this one. It ends every worker within two seconds after this
// process has died.
//
// Workers need process groups and signals: on Windows Run returns an error.
package runner
