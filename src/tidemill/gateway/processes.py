"""Telling processes apart: a number may be given again, a number and a beginning are not."""


def start_of(pid: int) -> int | None:
    """When a process began, in ticks of this machine; None where there is none, or it has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b") ")[2].split()
        return None if fields[0] in {b"Z", b"X"} else int(fields[19])
    except (OSError, ValueError, IndexError):
        return None
