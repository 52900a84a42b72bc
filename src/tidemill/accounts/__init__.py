"""Who may do what: users, projects, roles, sessions, tokens, audit."""
