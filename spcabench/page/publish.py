"""Publish a run: ``results/published/``, small enough for git, and the README's block."""

import json
import shutil
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from spcabench import machine, registry
from spcabench.comparison import best_known, stored
from spcabench.errors import InputError
from spcabench.files import make_folder, replacing_folder, write_changed, write_text
from spcabench.page import (
    claims_file,
    comparison_page,
    comparison_several,
    draw,
    findings,
    in_short,
    paper_page,
    results_page,
    verify,
)
from spcabench.page.generated_block import replaced
from spcabench.page.light_svg import light
from spcabench.page.render import render
from spcabench.running import jobs as figure_jobs
from spcabench.running import rows

LARGEST_ROWS = 2_000_000  # bytes; larger files of rows are stored without histories
COMPARISONS = "compare"  # the folder of the published comparisons
BY = "`make publish`"  # the command named in the marks of the README's block


def publish(
    folder: Path,
    out: Path,
    readme: Path,
    comparisons: Iterable[Path] = (),
    only: Collection[str] = (),
) -> dict[str, Any]:
    """Publish the rows of a run, with their figures, verdicts and pages, and the README's block.

    The rows of a run replace the published rows of its figures, except those of long runs
    (`figure_jobs.LONG`) that it does not contain. Published figures that it does not contain
    remain, unless the repository no longer has them. All published figures are drawn and judged
    again, also if the run is the published one itself. Everything is written next to ``out``, which
    is replaced at the end.

    only : figures to renew, of which the run can have a part of the groups of rows. All others
        remain.

    Returns what was published: scale, commits, counts. Raises InputError if the working tree has
    uncommitted changes.
    """
    # a published row names its commit, which must contain the code that computed the row
    if changed := _uncommitted(readme.parent, out, readme):
        raise InputError(
            f"publish: uncommitted changes ({', '.join(changed[:5])}); commit or remove them"
        )
    again = folder.resolve() == out.resolve()
    figures, sources = claims_file.read_all(out if only else folder), list(comparisons)
    scale = next(iter(figures.values()))["scale"]
    for name in only:
        _check_rows(folder, name, scale)
    # everything is written to a copy that is swapped in at the end, so a crash changes nothing
    with replacing_folder(out, keep=True) as aside:
        for name in () if again else only or figures:
            _renew_rows(folder / "rows" / name, aside / "rows" / name, whole=not only)
        _renew_figures(aside, scale)
        for file in aside.glob("rows/*/rows.parquet"):
            _without_histories(file)
        _copy_history(folder.parent / "history", aside / "history")
        shutil.copy(best_known.TABLE, aside)
        _copy_comparisons(sources, aside / COMPARISONS)
        # last, because the pages summarise what the steps before have copied and judged
        about = _write_pages(aside)
    write_text(readme, with_block(readme.read_text(encoding="utf-8"), out))
    return about


def _renew_figures(out: Path, scale: str) -> None:
    """Draw and judge all published figures from their rows, because their code may have changed."""
    known = registry.names("figure")
    for home in out.glob("figures/*"):
        if home.name not in known:
            shutil.rmtree(home)
            shutil.rmtree(out / "rows" / home.name, ignore_errors=True)
    for name in known:
        if files := verify.rows_of(out, name):
            home = out / "figures" / name
            shutil.rmtree(home, ignore_errors=True)
            make_folder(home)
            # other formats are larger, and git never forgets them
            draw.draw_to(name, files, [home / "figure.svg"])
            draw.judge_figure(name, scale, files, home / claims_file.NAME)


def _check_rows(folder: Path, name: str, scale: str) -> None:
    """Raise InputError for a figure without rows in the run, or with rows of another scale."""
    registry.path("figure", name)
    if not (files := verify.rows_of(folder, name)):
        raise InputError(f"--only: {folder} has no rows of {name}")
    if others := {*rows.read_text(files, ["scale"]).scale} - {scale}:
        raise InputError(f"--only: rows of {name} have the scale {', '.join(others)}")


def _renew_rows(source: Path, out: Path, whole: bool) -> None:
    """Replace the published rows of a figure, or their groups that are in the run.

    Groups are never mixed, because the runs of a group were timed in turns. Rows of groups that
    remain retain the commit and the machine that computed them.
    """
    if not (files := sorted(source.glob("*.parquet"))):
        return
    table, target = rows.read_table(files), out / "rows.parquet"
    if target.exists():
        old = rows.read_table([target])
        kept = pc.invert(pc.is_in(old["group"], value_set=pc.unique(table["group"])))
        if whole:
            kept = pc.and_(kept, pc.starts_with(old["group"], figure_jobs.LONG))
        table = pa.concat_tables([table, old.filter(kept)])
    out.mkdir(parents=True, exist_ok=True)
    rows.write_table(table, target, small=True)


def _without_histories(file: Path) -> None:
    """Remove the histories of rows that are too large; only the figure itself uses them."""
    if file.stat().st_size > LARGEST_ROWS:
        table = rows.read_table([file])
        rows.write_table(rows.replaced(table, history=[None] * len(table)), file, small=True)


def _write_pages(out: Path) -> dict[str, Any]:
    """Write the pages of a published run and about.json, whose content is returned."""
    for picture in out.glob("figures/*/figure.svg"):
        write_changed(picture, light(picture.read_text(encoding="utf-8")))
    results_page.write_page(out, published=True)
    about = _about(claims_file.read_all(out))
    about["bytes"] = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    write_text(out / "about.json", json.dumps(about, indent=1) + "\n")
    return about


def with_block(text: str, published: Path) -> str:
    """Return the README with the block of the published run.

    Raises InputError if the marks of the block are missing.
    """
    # the rest of the README is not generated
    return replaced(text, {"published": block(published)}, BY)


def block(published: Path) -> str:
    """Return the gallery and the verdict table of the published run, if there is such a run."""
    if not (published / "about.json").exists():
        return "No run at the papers' scale has been published yet.\n"
    papers = paper_page.papers(published)
    statements = [s for paper in papers for s in paper["statements"]]
    return render(
        "readme.md.j2",
        papers=papers,
        front=findings.front("results/published/", published),
        total=in_short.counts(statements),
        header=in_short.header(statements),
    )


def _uncommitted(root: Path, *written: Path) -> list[str]:
    """Return the uncommitted files, except those that publishing itself writes."""
    words = ["status", "--porcelain", "--", "."]
    words += [f":(exclude){path.relative_to(root)}" for path in written]
    return [line[3:] for line in machine.git(root, *words).splitlines()]


def _copy_history(source: Path, out: Path) -> None:
    """Copy the history of the commits; if there is none, the published history is preserved."""
    if (source / "index.html").exists():
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(source, out)


def _copy_comparisons(sources: list[Path], out: Path) -> None:
    """Publish these comparisons, and rewrite the pages of comparisons published earlier."""
    given = {source.resolve().name: source for source in sources}
    for file in (*out.glob(f"*/{stored.ROWS}"), *out.glob(f"*/{comparison_several.ABOUT}")):
        if file.parent.name not in given:
            _remove_pages(file.parent)
            comparison_page.write(file.parent, published=True)
    for name, source in given.items():
        shutil.rmtree(out / name, ignore_errors=True)
        comparison_page.publish(source, out / name)


def _remove_pages(comparison: Path) -> None:
    """Remove what an earlier version wrote for a comparison, except its data."""
    for part in comparison.iterdir():
        if part.is_dir():
            shutil.rmtree(part)
        elif part.suffix not in (".json", ".parquet"):
            part.unlink()


def _about(figures: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        "scale": ", ".join(sorted({f["scale"] for f in figures.values()})),
        "commits": sorted({c for f in figures.values() for c in f["commits"]}),
        "dirty": sorted(name for name, f in figures.items() if f["dirty"]),
        "written": max(f["written"] for f in figures.values())[:10],
        "figures": len(figures),
        "seconds": round(sum(f["runs"]["seconds"] for f in figures.values())),
        "machines": sorted({m["cpu"] for f in figures.values() for m in f["machines"]}),
    }
