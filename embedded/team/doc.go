// Package team keeps the state of a laptop in its team: who it is at the team's hub, which
// projects it shares, and how far the hub's copy of its log is. It does no networking
// (packages upload and peers do) and keeps everything in one directory, team, of the
// journal directory. The files there are written whole and read by any process:
//
//	member.json   the invitation that was accepted, with its key; mode 0600
//	device        the name of this laptop among those of the member
//	share.json    the projects that were chosen
//	copy.json     which copy of the log the hub is to have, and has (kept by the owner)
//	status.json   how the link does (kept by the owner)
//	heard.json    what others decided and left unfinished in projects of this log (kept by the owner)
//	projects.json what a person called projects, and where those are of which the log holds nothing yet
//
// Member: a person or a machine at the hub, with an account of their own there.
// Device: one journal directory of a member.
// Copy: the log as the hub may have it, under its own sequences: the events of the projects that were chosen, in
// chunks (package chunk). Readers find an empty record ([record.Withheld]) in place of any other.
package team
