"""The pages as a browser has them: nothing broken, nothing said on the console, tables sort, a
phone is wide enough.
"""

import json
import re
import shutil
import subprocess

import pytest

from tests.trial import make_run

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
PROBE = """<script>
const images = [...document.images].filter(i => !i.naturalWidth).length;
const found = { images, tables: 0, wrong: [] };
const key = cell => cell.dataset.sort ?? cell.innerText.trim();
for (const table of document.querySelectorAll(".sortable")) {
  found.tables++;
  for (const head of table.querySelectorAll("thead th")) for (const sign of [1, -1]) {
    head.querySelector("button").click();
    const keys = [...table.tBodies[0].rows].map(row => key(row.children[head.cellIndex]));
    const order = (a, b) => sign * a.localeCompare(b, "en", { numeric: true });
    const sorted = keys.every((k, i) => !i || order(keys[i - 1], k) <= 0);
    if (!sorted || head.getAttribute("aria-sort") !== (sign > 0 ? "ascending" : "descending"))
      found.wrong.push(head.innerText);
  }
}
found.wide = document.documentElement.scrollWidth - innerWidth;
const named = e => e.innerText.trim() || e.querySelector("img[alt]");
found.unnamed = [...document.querySelectorAll("a, button")].filter(e => !named(e)).length;
document.documentElement.dataset.probe = JSON.stringify(found);
</script></body>"""


def probe(page, tmp_path, *options):
    """What the script above finds in a page, and what the browser says on its console."""
    copy = page.with_name(f"probe-{page.name}")
    copy.write_text(page.read_text(encoding="utf-8").replace("</body>", PROBE), encoding="utf-8")
    quiet = (
        "quic",
        "gpu",
        "sync",
        "background-networking",
        "component-update",
        "default-apps",
        "extensions",
    )
    words = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--no-first-run",
        *(f"--disable-{word}" for word in quiet),
    ]
    words += [
        f"--user-data-dir={tmp_path / 'profile'}",
        "--enable-logging=stderr",
        "--virtual-time-budget=4000",
    ]
    done = subprocess.run(
        [*words, *options, "--dump-dom", copy.as_uri()], capture_output=True, text=True, timeout=120
    )
    copy.unlink()
    said = re.search(r'data-probe="([^"]*)"', done.stdout)
    assert said, done.stderr[-2000:]
    return json.loads(said[1].replace("&quot;", '"')), [
        x for x in done.stderr.splitlines() if "CONSOLE" in x
    ]


@pytest.mark.parametrize("size", ["1200,900", "390,800"])
def test_pages_work_in_a_browser(trial_run, tmp_path, size):
    make_run(trial_run)
    for page in (trial_run / "index.html", trial_run / "solvers" / "grqi.html"):
        found, console = probe(page, tmp_path, f"--window-size={size}")
        assert not console
        assert found["images"] == 0 and found["unnamed"] == 0 and found["wrong"] == []
        assert found["tables"] >= 1 and found["wide"] <= 0
