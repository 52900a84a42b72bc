"""How well text is read: character and word error rates, lines without a fault, regions found."""

from collections.abc import Iterable, Sequence
from typing import Any

from tidemill.evaluation import detection
from tidemill.evaluation.judging import Annotation, Judgement, Pair, Worst

STEPS = 20
Texts = Sequence[tuple[str, str]]
"""What is written and what was read."""


def edits(truth: Sequence[Any], read: Sequence[Any]) -> int:
    """How many insertions, deletions and replacements lead from one to the other (Levenshtein)."""
    row = list(range(len(read) + 1))
    for place, wanted in enumerate(truth, start=1):
        corner, row[0] = row[0], place
        for column, given in enumerate(read, start=1):
            change = corner + (wanted != given)
            corner = row[column]
            row[column] = min(change, corner + 1, row[column - 1] + 1)
    return row[-1]


def character_error_rate(texts: Texts) -> float:
    """Edits by characters of what is written; more than 1 where much was read that is not there."""
    return _rate([(list(truth), list(read)) for truth, read in texts])


def word_error_rate(texts: Texts) -> float:
    """Edits by words; Chinese, Japanese and Korean characters are a word each."""
    return _rate([(words(truth), words(read)) for truth, read in texts])


def words(text: str) -> list[str]:
    """Words between blanks, and every ideograph by itself."""
    spaced = "".join(f" {sign} " if _is_ideograph(sign) else sign for sign in text)
    return spaced.split()


def rates(texts: Texts) -> dict[str, float]:
    """CER, WER, and how many lines are read without a fault."""
    right = sum(truth == read for truth, read in texts)
    return {
        "cer": character_error_rate(texts),
        "wer": word_error_rate(texts),
        "accuracy": right / len(texts) if texts else 0.0,
    }


def judge(pairs: Iterable[Pair], labels: Sequence[str], *, threshold: float = 0.5) -> Judgement:  # noqa: ARG001
    """Each region that is there with the one found at its place. The threshold has a say in regions, not in texts:
    what was read without being sure is better than nothing."""
    kept = list(pairs)
    each = [_join(pair) for pair in kept]
    texts = [one for joined in each for one in joined]
    regions = _regions(kept, threshold)
    worst = Worst()
    for pair, joined in zip(kept, each, strict=True):
        worst.add(detection.above(pair, threshold), *_badness(pair, joined))
    return Judgement(
        items=len(kept),
        metrics=rates(texts) | {f"region_{name}": value for name, value in regions.items()},
        primary="cer",
        classes=[{"label": "text", "support": sum(bool(truth) for truth, _ in texts)} | regions],
        thresholds=[{"threshold": step / STEPS} | _regions(kept, step / STEPS) for step in range(STEPS + 1)],
        worst=worst.listed(),
    )


def _rate(texts: Sequence[tuple[list[str], list[str]]]) -> float:
    total = sum(len(truth) for truth, _ in texts)
    faults = sum(edits(truth, read) for truth, read in texts)
    return faults / total if total else float(bool(faults))


def _is_ideograph(sign: str) -> bool:
    return "\u3040" <= sign <= "\u30ff" or "\u3400" <= sign <= "\u9fff" or "\uac00" <= sign <= "\ud7af"


def _join(pair: Pair) -> list[tuple[str, str]]:
    """What is written and what was read at its place; nothing for a region that was not found or is not there."""
    truth, found = _parts(pair, 0.0)
    joined = detection.join(truth, found)
    texts = [(_text(truth[t]), _text(found[f])) for t, f in joined if _counts(truth[t])]
    lost = set(range(len(truth))) - {t for t, _ in joined}
    extra = set(range(len(found))) - {f for _, f in joined}
    texts += [(_text(truth[t]), "") for t in sorted(lost) if _counts(truth[t])]
    return texts + [("", _text(found[f])) for f in sorted(extra)]


def _regions(pairs: Sequence[Pair], threshold: float) -> dict[str, float]:
    """How many of the regions that are there were found, and the other way round."""
    hits = there = finds = 0
    for pair in pairs:
        truth, found = _parts(pair, threshold)
        joined = detection.join(truth, found)
        beside = sum(not _counts(truth[t]) for t, _ in joined)
        hits += len(joined) - beside
        finds += len(found) - beside
        there += sum(map(_counts, truth))
    return detection.rates(hits, finds, there)


def _parts(pair: Pair, threshold: float) -> tuple[list[Annotation], list[Annotation]]:
    truth = [one for one in pair.truth if one["type"] in ("box", "polygon")]
    found = [one for one in pair.predicted if one.get("score", 1.0) >= threshold]
    return truth, found


def _counts(one: Annotation) -> bool:
    """Regions nobody can read are there, but what is read in them counts neither for nor against."""
    return not one.get("ignore") and bool(one.get("text"))


def _text(one: Annotation) -> str:
    return str(one.get("text") or "").strip()


def _badness(pair: Pair, texts: Texts) -> tuple[float, str]:
    if pair.error:
        return 1.0, "unreadable"
    missed = sum(bool(truth) and not read for truth, read in texts)
    faults = sum(truth != read for truth, read in texts)
    return min(1.0, character_error_rate(texts)), "missed" if missed * 2 > faults else "misread"
