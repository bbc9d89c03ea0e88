// Package hub writes what a team's hub needs: the configuration that nats-server takes, with an
// account for each member, and the invitations. Nothing of ours runs at a hub.
//
// A hub is a directory of its operator: hub.json holds its state, with the keys of the hub
// itself; NODE.conf is for each server; accounts.conf is for all of them, when they start. Later changes are sent to them (Reload).
//
// Accounts are JWTs that the hub's operator signs. HUB owns all streams, one for each member and ROSTER; a member's account
// holds none, and imports what team.Put, team.Remove and team.AskOf name; SYS is the servers' own. No member can name
// another's subjects, also not by where an answer is to go.
package hub
