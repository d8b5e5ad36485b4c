"""Write the scripts and the data of the interactive curves.

The library is Bokeh, which has the smallest script of all well-maintained Python packages (1.4 MB,
compared with 4.8 MB for Plotly; Altair has no script that works offline). Bokeh draws axes, zooms
and handles hovering. `curves.js` contains the choices, the legend and the address, as plain page
elements that also work with a keyboard.

The scripts are stored only once, in the folder of all results or of the published results, and a
page loads them when its reader opens the curves. Browsers allow a local page to load scripts but
not data files, so the numbers are also stored as a script.
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
DATA = "curves-data.js"  # these files are next to the pages that use them
LIBRARY = ("bokeh.min.js", "bokeh-api.min.js")
DIGITS = 6  # significant digits of the numbers in a page's data


def library() -> list[Path]:
    """Return the scripts of Bokeh; none if it is not installed."""
    package = find_spec("bokeh")
    if package is None or not package.submodule_search_locations:
        return []
    home = Path(package.submodule_search_locations[0]) / "server" / "static" / "js"
    return [home / name for name in LIBRARY]


def write(results: Path, folder: Path, data: dict[str, Any]) -> list[str]:
    """Write the data of a page's curves and the scripts; return all their addresses.

    results : the folder of all results, which contains the scripts. If the library is not
        installed, nothing is written and the list is empty.
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
    """Copy a file atomically, unless an identical one is there."""
    content = file.read_bytes()
    if not to.exists() or to.read_bytes() != content:
        with replacing(to) as aside:
            aside.write_bytes(content)


def _text(data: Any) -> str:
    """Return JSON for a script: rounded, with null for non-finite numbers and "</" escaped."""
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
