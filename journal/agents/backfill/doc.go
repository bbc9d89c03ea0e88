// Package backfill imports past sessions: it reads the transcripts that agents left, compares
// them with what the log holds, and hands over the events that hooks would have told and did not
// (J.5). It knows neither the owner of the log nor the spool: the caller gives it a log to read
// and a function that makes a request durable.
//
// What happened is known by an identity where there is one: the id that every import of a row
// derives, the occurrence key of a tool call, the id of a prompt. Facts without an identity are
// found by what was said and by their order among those that have one. Nothing can be put between
// what was recorded, so what lies before the first hook, and what hooks missed in between, becomes
// sessions of their own, linked to the one they belong to.
package backfill
