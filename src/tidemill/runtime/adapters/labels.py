"""Labels of models of others: from `model.json`, else from the list that lies beside the file."""

from pathlib import Path

from tidemill.runtime.model import Facts, Unfit


def names_of(folder: Path, facts: Facts, count: int) -> list[str]:
    """One name for each of the file's outputs. Raises `Unfit` where there are not as many."""
    names = facts.names
    if not names:
        listed = sorted(folder.glob("*labels*.txt"))
        # After an empty line some lists go on with remarks.
        text = listed[0].read_text("utf-8").strip().partition("\n\n")[0] if listed else ""
        names = [line.strip() for line in text.splitlines()]
    if len(names) != count:
        raise Unfit(f"{folder}: the model has {count} outputs, but {len(names)} labels are listed")
    return names
