"""The rooms that are in the house, from the cellar up. A new room is one line here."""

from tidemill.accounts.room import room as accounts
from tidemill.assets.room import room as assets
from tidemill.hooks.room import room as hooks
from tidemill.jobs.room import room as jobs
from tidemill.kernel.rooms import Room
from tidemill.store.room import room as store
from tidemill.transfers.room import room as transfers

ROOMS: tuple[Room, ...] = (store, accounts, transfers, jobs, hooks, assets)
