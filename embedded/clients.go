package embedded

// Clients is the number of connections beside the owner's own: local ones and,
// with Options.Listen, those of tools.
func (s *Server) Clients() int { return max(0, s.ns.NumClients()-1) }
