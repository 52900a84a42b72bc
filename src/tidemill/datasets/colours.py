"""Colours for labels that were given none: far apart from one another, the same every time."""

import colorsys

_GOLDEN = 0.618033988749895


def colour_of(number: int) -> str:
    """The colour of the label with that number."""
    hue = (0.58 + number * _GOLDEN) % 1.0
    lightness = (0.52, 0.42, 0.62)[number // 7 % 3]
    red, green, blue = colorsys.hls_to_rgb(hue, lightness, 0.68)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"
