"""Publish a run: ``results/published/``, small enough for git, and the README's block."""

import hashlib
import json
import shutil
from collections.abc import Collection, Iterable
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from spcabench import machine, registry
from spcabench.comparison import best_known, stored
from spcabench.comparison.stored import Comparison
from spcabench.errors import InputError
from spcabench.files import read_json, replacing_folder, write_changed, write_text
from spcabench.page import (
    certified_page,
    claims_file,
    comparison_page,
    components_page,
    draw,
    findings,
    forest,
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
COVER = "kuleshov2013_fig3"  # the figure on the first page; if it is missing, the first one
COMPARISONS = "compare"  # the folder of the published comparisons
BY = "`make publish`"  # the command named in the marks of the README's block


def publish(
    folder: Path,
    out: Path,
    readme: Path,
    comparisons: Iterable[Path] = (),
    fewer: bool = False,
    only: Collection[str] = (),
) -> dict[str, Any]:
    """Copy the figures, verdicts and rows of a run, write its pages, and renew the README's block.

    Published rows of long runs (`figure_jobs.LONG`) are preserved if this run does not contain
    them.

    If the run is the published one itself, its statements are judged again from its rows, and the
    pages and the block are renewed. The pages of comparisons published earlier are written again
    from their rows. Everything is written next to ``out``, which is replaced at the end.

    fewer : whether figures published earlier may be missing. only : figures to renew while all
        others remain. Their groups of rows in the run replace the published ones, and they are
        drawn and judged from the resulting rows, as are the figures that share these rows.

    Returns what was published: scale, commits, counts. Raises InputError if the working tree has
    uncommitted changes.
    """
    # a published row names its commit, which must contain the code that computed the row
    if changed := _uncommitted(readme.parent, out, readme):
        raise InputError(
            f"publish: uncommitted changes ({', '.join(changed[:5])}); commit or remove them"
        )
    # if the published run itself is published again, its rows are preserved, and all other files
    # are renewed
    again = folder.resolve() == out.resolve()
    figures, sources = claims_file.read_all(out if only else folder), list(comparisons)
    if only:
        _check_rows(folder, out, only)
    elif not fewer:
        _check_complete(figures, out)
    for comparison in sources:
        _check_comparison(comparison, out / COMPARISONS)
    # everything is written to a copy that is swapped in at the end, so a crash changes nothing
    with replacing_folder(out, keep=True) as aside:
        if not (again or only):
            _copy_run(folder, figures, aside)
        _copy_history(folder.parent / "history", aside / "history")
        shutil.copy(best_known.TABLE, aside)
        _copy_comparisons(sources, aside / COMPARISONS)
        for name in only if not again else ():
            _renew_rows(folder / "rows" / name, aside / "rows" / name)
        # after the rows, because figures that share the renewed rows must use them
        for name in _drawing(only, figures):
            _renew_figure(aside, name, next(iter(figures.values()))["scale"])
        for name, report in figures.items() if again and not only else ():
            _copy_rows(aside / "rows" / name, aside / "rows" / name)
            _judge_again(aside, name, report["scale"])
        # last, because the pages summarise what the steps before have copied and judged
        about = _write_pages(aside)
    write_text(readme, with_block(readme.read_text(encoding="utf-8"), out))
    return about


def _check_complete(figures: Collection[str], out: Path) -> None:
    """Raise InputError if a published figure is missing from the figures to publish."""
    missing = {file.parent.name for file in out.glob("figures/*/claims.json")} - {*figures}
    if missing:
        raise InputError(
            f"publish: {len(missing)} published figures are not in this run "
            f"({', '.join(sorted(missing)[:3])}); use --fewer to drop them"
        )


def _check_rows(folder: Path, out: Path, names: Iterable[str]) -> None:
    """Raise InputError for a figure without rows in the run, or with rows of another scale."""
    scales = {report["scale"] for report in claims_file.read_all(out).values()}
    for name in names:
        registry.path("figure", name)
        if not (files := verify.rows_of(folder, name)):
            raise InputError(f"--only: {folder} has no rows of {name}")
        if others := {*rows.read_text(files, ["scale"]).scale} - scales:
            raise InputError(f"--only: rows of {name} have the scale {', '.join(others)}")


def _drawing(names: Collection[str], published: Iterable[str]) -> list[str]:
    """Return these figures and the published figures that plot the same rows."""
    known = {*registry.names("figure")}
    others = [n for n in published if n in known and {*figure_jobs.shared(n)} & {*names}]
    return [*dict.fromkeys([*names, *others])]


def _renew_rows(source: Path, out: Path) -> None:
    """Replace published groups of rows by the same groups of a run.

    Groups are never mixed, because the runs of a group were timed in turns. Rows of all other
    groups retain the commit and the machine that computed them.
    """
    if not (files := sorted(source.glob("*.parquet"))):
        return
    new, old = rows.read_table(files), rows.read_table(sorted(out.glob("*.parquet")))
    renewed = pc.is_in(old["group"], value_set=pc.unique(new["group"]))
    _write_rows(pa.concat_tables([old.filter(pc.invert(renewed)), new]), out)


def _renew_figure(out: Path, name: str, scale: str) -> None:
    """Draw and judge a published figure from its rows."""
    home = out / "figures" / name
    # drawn in another folder first, so that an error does not destroy the current picture
    aside, files = home.with_name(f".{name}"), verify.rows_of(out, name)
    draw.draw_figure(name, files, aside)
    draw.judge_figure(name, scale, files, aside / claims_file.NAME)
    shutil.rmtree(home, ignore_errors=True)
    _copy_figure(aside, home)
    shutil.rmtree(aside)


def _copy_run(folder: Path, figures: Iterable[str], out: Path) -> None:
    kept = {name: _long_rows(out / "rows" / name) for name in figures}
    # a figure that was dropped or renamed must not remain in the published run
    for part in ("figures", "rows", "solvers"):
        shutil.rmtree(out / part, ignore_errors=True)
    for name in figures:
        _copy_figure(folder / "figures" / name, out / "figures" / name)
        _copy_rows(folder / "rows" / name, out / "rows" / name)
    for name, table in kept.items():
        if len(table) and _added(table, out / "rows" / name):
            _renew_figure(out, name, rows.read_text(verify.rows_of(out, name), ["scale"]).scale[0])


def _long_rows(folder: Path) -> pa.Table | list[Any]:
    """Return the published rows of a figure's long runs."""
    if not (files := sorted(folder.glob("*.parquet"))):
        return []
    table = rows.read_table(files)
    return table.filter(pc.starts_with(table["group"], figure_jobs.LONG))


def _added(long_rows: pa.Table, out: Path) -> bool:
    """Add published rows of long runs to the rows of a run, and return whether there were any."""
    new = rows.read_table(sorted(out.glob("*.parquet")))
    known = pc.is_in(long_rows["group"], value_set=pc.unique(new["group"]))
    if missing := long_rows.filter(pc.invert(known)):
        _write_rows(pa.concat_tables([new, missing]), out)
    return bool(missing)


def _write_pages(out: Path) -> dict[str, Any]:
    """Write the pages of a published run and about.json, whose content is returned."""
    for picture in out.glob("figures/*/figure.svg"):
        write_changed(picture, light(picture.read_text(encoding="utf-8")))
    results_page.write_page(out, published=True)
    about = _about(claims_file.read_all(out))
    for paper in paper_page.papers(out):
        text = render("paper.md.j2", paper=paper, about=about, markdown=forest.markdown)
        write_text(out / f"{paper['key']}.md", text)
    about |= _contents(out)
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
    about = read_json(published / "about.json")
    papers = paper_page.papers(published)
    figures = [figure for paper in papers for figure in paper["figures"]]
    statements = [s for paper in papers for s in paper["statements"]]
    return render(
        "readme.md.j2",
        papers=papers,
        cover=_cover(figures, statements),
        known=certified_page.proven(),
        about=about,
        total=in_short.counts(statements),
        header=in_short.header(statements),
    )


def _cover(figures: list[dict[str, Any]], statements: list[dict[str, Any]]) -> dict[str, str]:
    """Return the picture on the first page, with its caption and the page that shows it."""
    figure = next((f for f in figures if f["figure"] == COVER), figures[0])
    return {
        "picture": figure["image"]["address"],
        "words": findings.refitted(statements) if figure["figure"] == COVER else figure["title"],
        "page": f"results/published/{figure['paper']}.md",
    }


def _uncommitted(root: Path, *written: Path) -> list[str]:
    """Return the uncommitted files, except those that publishing itself writes."""
    words = ["status", "--porcelain", "--", "."]
    words += [f":(exclude){path.relative_to(root)}" for path in written]
    try:
        return [line[3:] for line in machine.git(root, *words).splitlines()]
    except OSError as error:
        raise InputError(f"publish: git: {error.strerror}") from None
    except CalledProcessError as error:
        raise InputError(f"publish: {root} must be a git clone: {error.stderr:.100}") from None


def _judge_again(out: Path, figure: str, scale: str) -> None:
    """Judge a published figure by its current statements, if its rows are available."""
    if figure in registry.names("figure") and (files := verify.rows_of(out, figure)):
        draw.judge_figure(figure, scale, files, out / "figures" / figure / claims_file.NAME)


def _copy_figure(source: Path, out: Path) -> None:
    from PIL import Image

    out.mkdir(parents=True)
    shutil.copy(source / "claims.json", out)
    # in one format: scatter plots as SVG take megabytes, and git never forgets them
    if paper_page.is_small(source / "figure.svg"):
        shutil.copy(source / "figure.svg", out)
        return
    # a picture with 256 colours looks the same and takes a third of the space
    with Image.open(source / "figure.png") as picture:
        picture.convert("RGB").quantize(256).save(out / "figure.png", optimize=True)


def _copy_history(source: Path, out: Path) -> None:
    """Copy the history of the commits; if there is none, the published history is preserved."""
    if (source / "index.html").exists():
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(source, out)


def _check_comparison(source: Path, published: Path) -> None:
    """Raise InputError, before anything is written, if a comparison is incomplete."""
    if source.resolve().parent == published.resolve():
        raise InputError(f"{source}: already published; give the folder that it was published from")
    Comparison.read(source)


def _copy_comparisons(sources: list[Path], out: Path) -> None:
    """Publish these comparisons, and rewrite the pages of comparisons published earlier."""
    given = {source.resolve().name: source for source in sources}
    for file in (*out.glob(f"*/{stored.ROWS}"), *out.glob(f"*/{components_page.ABOUT}")):
        if file.parent.name not in given:
            comparison_page.write(file.parent, published=True)
    for name, source in given.items():
        shutil.rmtree(out / name, ignore_errors=True)
        comparison_page.publish(source, out / name)


def _copy_rows(source: Path, out: Path) -> None:
    if files := sorted(source.glob("*.parquet")):
        _write_rows(rows.read_table(files), out)


def _write_rows(table: pa.Table, out: Path) -> None:
    """Write the published rows of a figure, without histories if they are too large."""
    target = out / "rows.parquet"
    out.mkdir(parents=True, exist_ok=True)
    rows.write_table(table, target, small=True)
    # histories take most of a file, and only the figure itself uses them
    if target.stat().st_size > LARGEST_ROWS:
        rows.write_table(rows.without_histories(table), target, small=True)


def _contents(out: Path) -> dict[str, Any]:
    """Return size and checksum of every published file except about.json, which contains them."""
    # about.json cannot contain its own checksum
    files = sorted(f for f in out.rglob("*") if f.is_file() and f != out / "about.json")
    return {
        "bytes": sum(file.stat().st_size for file in files),
        "sha256": {
            f.relative_to(out).as_posix(): hashlib.sha256(f.read_bytes()).hexdigest() for f in files
        },
    }


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
