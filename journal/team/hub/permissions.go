package hub

// permissions of a user: what may be published and subscribed to, and nothing else.
type permissions struct{ publish, subscribe []string }

// Of the account of a member, by which a laptop's link is joined to it. Subjects have the domain in
// them as they do on a leaf connection.
func (h *Hub) upload(name string) permissions {
	api := "$JS." + h.Domain + ".API."
	return permissions{
		publish: []string{
			"dlv.>",    // what the laptop's consumer delivers to the copy
			"$JSC.R.>", // its answers to the hub's RESET
			// The laptop makes, looks at and replaces its own copies.
			api + "STREAM.NAMES", api + "STREAM.INFO.*", api + "STREAM.CREATE.*", api + "STREAM.DELETE.*",
			api + "DIRECT.GET.*",
		},
		subscribe: []string{
			"$JS.*.API.CONSUMER.>", // the hub's RESET, in the form in which it is asked for
			"$JS.FC.>",             // the hub's confirmations
			inbox(name),
		},
	}
}

// shared are the subjects of a member's account that the account TEAM may ask: which copies there
// are, and what they hold.
var shared = []string{"STREAM.NAMES", "STREAM.INFO.*", "DIRECT.GET.*", "DIRECT.GET.*.>"}

// reader is what a member may do in TEAM: ask for what the others share.
func (h *Hub) reader(name string) permissions {
	return permissions{publish: []string{"M.*.API.>", rosterAsked[0]}, subscribe: []string{inbox(name)}}
}

// inbox is where a member's answers go. Nobody else may listen there.
func inbox(name string) string { return "_INBOX_" + name + ".>" }

// prefix is what begins the subjects in TEAM of a member's API.
func prefix(name string) string { return "M." + name + ".API." }

// account is the name of a member's account.
func account(name string) string { return "M_" + name }
