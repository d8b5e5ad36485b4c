"""Interactive curves: where their scripts come from, and how a page gets its data.

The library is Bokeh. Its script is the lightest of those that come with a well-kept Python package
(1.4 MB; Plotly's has 4.8 MB, and Altair brings none that works without the network), and axes,
zoom and hovering are all that is asked of it: `curves.js` has the choices, the legend and the
address, as plain elements of the page, which a keyboard reaches too.

The scripts lie once in the folder of all results, or of the published ones, and a page loads them
if its reader asks for the curves. Pages that are opened as files may load scripts and no other
files, so the numbers are a script as well.
"""

import json
import math
from importlib.util import find_spec
from os.path import relpath
from pathlib import Path
from typing import Any
from urllib.parse import quote

from spcabench.atomic_files import make_folder, replacing, write_changed

OWN = Path(__file__).with_name("templates") / "curves.js"
DATA = "curves-data.js"  # beside the pages that draw it
LIBRARY = ("bokeh.min.js", "bokeh-api.min.js")
DIGITS = 6  # of the numbers in a page's data


def library() -> list[Path]:
    """The scripts of Bokeh; none if it is not installed."""
    package = find_spec("bokeh")
    if package is None or not package.submodule_search_locations:
        return []
    home = Path(package.submodule_search_locations[0]) / "server" / "static" / "js"
    return [home / name for name in LIBRARY]


def write(results: Path, folder: Path, data: dict[str, Any]) -> list[str]:
    """Write the data of a page's curves into its folder, and the scripts; all their addresses.

    results : the folder of all results, which holds the scripts. None is written, and none
    returned, where the library is not installed.
    """
    if not library():
        return []
    write_changed(folder / DATA, f"window.CURVES = {_text(data)};\n")
    scripts = results / "scripts"
    make_folder(scripts)
    for file in (*library(), OWN):
        _copy(file, scripts / file.name)
    place = quote(Path(relpath(scripts, folder)).as_posix())
    return [*(f"{place}/{name}" for name in LIBRARY), DATA, f"{place}/{OWN.name}"]


def _copy(file: Path, to: Path) -> None:
    """Copy a file whole, unless it is there."""
    content = file.read_bytes()
    if not to.exists() or to.read_bytes() != content:
        with replacing(to) as aside:
            aside.write_bytes(content)


def _text(data: Any) -> str:
    """JSON for a script: numbers rounded, what is not finite null, and no end of a script in it."""
    text = json.dumps(_rounded(data), separators=(",", ":"), allow_nan=False, default=str)
    return text.replace("</", "<\\/")


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _rounded(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(entry) for entry in value]
    if isinstance(value, float) or hasattr(value, "dtype"):
        number = float(value)
        return float(f"{number:.{DIGITS}g}") if math.isfinite(number) else None
    return value
