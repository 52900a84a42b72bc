"""The ground the house stands on: settings, database, errors, ids, clock, messages, paging."""
