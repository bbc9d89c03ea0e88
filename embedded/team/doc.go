// Package team keeps the state of a laptop in its team: its membership, the projects that it shares, and how far the hub's copy of its log is.
// It does no networking, and keeps everything in the directory team of the journal directory. Each file there is written whole, and any process
// reads it:
//
//	member.json   the accepted invitation, with its key; mode 0600
//	device        the name of this laptop among the devices of the member
//	share.json    the Share
//	copy.json     the Copy, written by the owner
//	status.json   the Status of the link, written by the owner
//	heard.json    what others decided and left unfinished in projects of this log (Heard), written by the owner
//	seen.json     the newest roster, and the high-water marks of copies, that readers saw (Seen)
//	lock          locked while a process changes a file
//	projects.json a person's choices for projects, by key (ProjectChoices)
//
// A member is a person or a machine with an account at the hub. A device is a journal directory of a member.
// A copy is a log at the hub, with the event numbers of the device. It holds the events of the shared projects in
// chunks (package chunk). Readers find an empty record ([record.Withheld]) in place of any other event.
package team
