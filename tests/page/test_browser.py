"""Pages in a browser: no broken links, no console messages, sortable tables, and a phone layout."""

import html
import json
import re
import shutil
import subprocess

import pytest

from spcabench.page import numbers_page, results_page
from spcabench.page.row_names import hashes
from spcabench.running import rows
from tests.problems import WHOLE
from tests.trial import make_run, row

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
pytestmark = [pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"), WHOLE]
QUIET = "quic gpu sync background-networking component-update default-apps extensions"
COMMAND = [CHROMIUM, "--headless", "--no-sandbox", "--no-first-run", "--enable-logging=stderr"]
COMMAND += ["--virtual-time-budget=4000", "--dump-dom"]
COMMAND += [f"--disable-{word}" for word in QUIET.split()]
PROBE = """<script>
const images = [...document.images].filter(i => i.complete && !i.naturalWidth).length;
const found = { images, wrong: [], columns: [] };
for (const table of document.querySelectorAll(".sortable")) {
  for (const head of table.querySelectorAll(":scope > thead th")) for (const up of [true, false]) {
    head.querySelector("button").click();
    const cells = [...table.tBodies[0].rows].map(row => row.children[head.cellIndex]);
    found.columns.push([up, cells.map(cell => cell.dataset.sort ?? cell.innerText.trim())]);
    const said = head.getAttribute("aria-sort");
    if (said !== (up ? "ascending" : "descending")) found.wrong.push(head.innerText);
  }
}
found.wide = document.documentElement.scrollWidth - innerWidth;
const named = e => e.textContent.trim() || e.ariaLabel || e.querySelector("img[alt]");
found.unnamed = [...document.querySelectorAll("a, button")].filter(e => !named(e)).length;
MORE
document.documentElement.dataset.probe = JSON.stringify(found);
</script></body>"""


def probe(page, tmp_path, *options, more="", anchor="", script=PROBE):
    """Return what a script finds in a page, and what the browser writes on its console.

    more : statements that add to the findings. anchor : part of the address after the page. script
    : replaces PROBE, with MORE in place of the statements.
    """
    copy = page.with_name(f"probe-{page.name}")
    text = page.read_text(encoding="utf-8").replace("</body>", script.replace("MORE", more))
    copy.write_text(text, encoding="utf-8")
    command = [
        *COMMAND,
        f"--user-data-dir={tmp_path / 'profile'}",
        *options,
        copy.as_uri() + anchor,
    ]
    completed = subprocess.run(command, capture_output=True, text=True, timeout=120)
    copy.unlink()
    message = re.search(r'data-probe="([^"]*)"', completed.stdout)
    assert message, completed.stderr[-2000:]
    console = [line for line in completed.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(html.unescape(message[1])), console


@pytest.mark.parametrize("size", ["1200,900", "390,800"])
def test_pages_work_in_a_browser(trial_run, tmp_path, size):
    make_run(trial_run)
    names = ("index", "claims", "solvers", "trial2013")
    pages = [trial_run / f"{name}.html" for name in names]
    for page in pages:
        state, console = probe(page, tmp_path, f"--window-size={size}")
        assert not console
        assert state["images"] == 0 and state["unnamed"] == 0 and state["wrong"] == []
        assert state["wide"] <= 0


FILTER = """
const field = document.querySelector(".filters").elements;
const chosen = [["words", "SHAPES only"], ["verdict", "fails"], ["paper", "trial2013"]];
const left = row => !row.matches(".off");
found.shown = chosen.map(([name, value]) => {
  field[name].value = value;
  field[name].dispatchEvent(new Event("input", { bubbles: true }));
  const rows = [...document.querySelectorAll("#claims > tbody > tr")].filter(left);
  if (name === "words") found.hash = location.hash;
  field[name].value = "";
  return rows.length;
});
"""


SEARCH = """<script>addEventListener("load", async () => {
  const field = document.querySelector(".search input"), found = {};
  field.focus(); field.value = "why trial2013’s shapes t2";
  field.dispatchEvent(new Event("input"));
  await new Promise(done => setTimeout(done, 400));
  found.links = [...document.querySelectorAll(".search a")].map(a => a.getAttribute("href"));
  document.documentElement.dataset.probe = JSON.stringify(found);
});</script></body>"""


def test_claims_are_filtered_and_found(trial_run, tmp_path):
    make_run(trial_run)
    state, console = probe(trial_run / "claims.html", tmp_path, more=FILTER)
    assert not console and state["shown"] == [1, 0, 2]
    assert state["hash"] == "#claims?words=SHAPES+only"
    state, console = probe(trial_run / "solvers/grqi.html", tmp_path, script=SEARCH)
    assert not console and state["links"][0] == (trial_run / "trial2013.html").as_uri() + "#T2"


RUNS = """
const field = document.querySelector(".filters").elements, set = (name, value) => {
  field[name].value = value;
  field[name].dispatchEvent(new Event("input", { bubbles: true }));
};
const said = () => document.querySelector(".filters output").value;
const shown = () => [...document.querySelectorAll("#runs > tbody > tr")]
  .filter(row => !row.hidden).map(row => Number(row.cells[0].textContent));
const heads = document.querySelectorAll("#runs th"), rest = document.querySelector(".rest");
document.querySelector(".filters").reset();
heads[0].querySelector("button").click(); found.first = shown();
heads[0].querySelector("button").click(); found.last = shown();
set("k", "3"); found.three = said(); found.hash = location.hash;
set("k", ""); set("statement", "T1"); found.judged = said(); set("statement", "");
rest.click(); rest.click(); found.all = shown().length;
window.save = (name, text) => { found.lines = text.trim().split("\\n").length; };
field.csv.click();
"""


def test_runs_are_sorted_chosen_and_saved_and_a_hundred_are_shown_at_a_time(tmp_path):
    for name in results_page.SHARED:
        shutil.copy(results_page.TEMPLATES / name, tmp_path)
    written = [row(k=k, cardinality=k, settings={"k": k}, flops=999 * k) for k in range(1, 251)]
    rows.write(written, tmp_path / "a.parquet")
    page = tmp_path / "figures" / "f" / "numbers.html"
    page.parent.mkdir(parents=True)
    figure, about = dict(figure="f", title="T", scale="paper", paper="p"), dict(site={}, cite=None)
    first = hashes(rows.read_text([tmp_path / "a.parquet"]))[0]
    numbers_page.write([tmp_path / "a.parquet"], page, figure, {first: "T1 T12"}, about)
    state, console = probe(page, tmp_path, "--window-size=390,800", more=RUNS)
    assert not console and state["wrong"] == [] and state["wide"] <= 0
    assert state["first"] == [*range(1, 101)] and state["last"] == [*range(250, 150, -1)]
    assert state["hash"] == "#runs?k=3"
    assert state["three"] == "1 of 250 shown" == state["judged"]
    assert state["all"] == 250 and state["lines"] == 251
    flops = next(c for up, c in state["columns"] if up and "999" in c)
    assert flops[:2] == ["999", "1,998"]
