"""The command `solve`, which computes sparse components of a dataset or of a user's file."""

from spcabench.cli.groups import Data, Output, Run, Source
from spcabench.files import say


def solve(source: Source, data: Data, run: Run, output: Output) -> None:
    """Find sparse components of data, with certified bounds.

    No component with the same number of variables explains more variance than its bound.

    If `-k` lists several cardinalities, one component is computed for each. With `--components`, it
    lists the cardinalities of the components in order. With `-k auto`, the number of variables is
    chosen from the data.

    For example:

    `spcabench solve pitprops -k 4 --components 3`

    `spcabench solve survey.csv -k 5:20:5 --scale --missing rows --drop id,text --plot path.png`

    `spcabench solve expression.csv --transpose --drop text -k 25 --out loadings.csv`

    `spcabench solve survey.csv -k auto --missing rows --out model.npz`

    `spcabench solve cov.npy --covariance -k 10 --solver gpower1 --set tol=1e-8`
    """
    from spcabench.cli import answer, output_files, terminal

    several = run.components == 1 and len(set(run.cardinalities())) > 1
    kind, plot = output_files.picture(output.plot, several)
    output_files.check("--out", output.out, output_files.TABLES, inputs=(source, *data.files()))
    output_files.check("--plot", plot, output_files.PICTURES, inputs=(source, *data.files()))
    problem = answer.load(source, data, run)
    if plot is not None:
        output_files.check_samples(problem, kind)
    found = answer.answer(problem, run)
    results, bound = found.results, found.bound
    write = terminal.as_json if output.as_json else terminal.as_table
    with terminal.slow(terminal.BOUNDS, bound):
        text = write(problem, results, bound, found.chance)
    say(text)
    answer.expect_feasible(results)
    if output.out is not None:
        output_files.write(output.out, problem, results, bound)
    if plot is not None:
        output_files.draw(plot, problem, results, kind, bound)
