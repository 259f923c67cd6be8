"""A font for Chinese in pictures: the one that matplotlib brings has no such letters, and draws boxes."""

from __future__ import annotations

import matplotlib as mpl
from matplotlib import font_manager

CHINESE = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Hiragino Sans GB",
    "Heiti SC",
    "Microsoft YaHei",
    "SimHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "Arial Unicode MS",
)
"""Fonts that have them, as systems bring them or packages install them; the first that is there is taken."""


def with_chinese() -> str:
    """Let letters that the fonts in force lack come from an installed Chinese font; its name, '' where there is none.

    Adds to matplotlib's own list of fonts (font.family), once.
    """
    installed = set(font_manager.get_font_names())
    name = next((font for font in CHINESE if font in installed), "")
    families = list(mpl.rcParams["font.family"])
    if name and name not in families:
        mpl.rcParams["font.family"] = [*families, name]
    return name
