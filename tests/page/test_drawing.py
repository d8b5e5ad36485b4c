"""No two solvers of a picture look alike, and a lighter picture has the same coordinates."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np

from spcabench import registry
from spcabench.page import light_svg
from spcabench.showing import style


def test_no_two_solvers_of_a_picture_look_alike():
    rng, most = np.random.default_rng(0), len(style.DISTINCT)
    for _ in range(10):
        order = [*rng.permutation(registry.names("solver"))]
        looks = style.looks(order)
        for kind in ("color", "marker"):
            assert len({looks[name][kind] for name in order[:most]}) == most
        assert {looks[name]["color"] for name in order[most:]} == {style.GREY}


def test_a_lighter_picture_has_the_same_coordinates():
    text = (
        '<path d="M 1.234567 222.44 \nL 3.5 -4.98765 \nL 5 6 \n" transform="scale(0.015625)"/>\n'
        '<!-- a word -->\n<path d="M 1 2 \nQ 3 4 5 6 \nL 7 8.001 \n"/>\n<g id="x_">\n'
        + '<use xlink:href="#m" x="9" y="4" style="fill: red"/>\n' * 2
        + '</g>\n<use xlink:href="#DejaVuSans-a" transform="translate(9 4)"/>'
    )
    lighter = light_svg.light(text)
    numbers = [[float(x) for x in re.findall(r"-?\d+\.?\d*", part)] for part in (text, lighter)]
    off = np.abs(np.subtract(*numbers))
    assert (off <= np.where(np.abs(numbers[0]) < 10, 0.0051, 0.051)).all()
    assert "scale(0.015625)" in lighter and len(lighter) < len(text)
    # markers share the style of their group
    assert '<g style="fill: red">\n<use href="#m" x="9" y="4"/>\n' in lighter
    assert "L 7 8" in lighter  # after a curve an L is needed
    inner = '<g>\n<g clip-path="url(#p)"/>\n<path d="M 1 2"/>\n</g>\n<g style="fill: red">\n</g>\n'
    whole = ElementTree.fromstring(light_svg.light(f"<svg>\n{inner}</svg>\n"))
    assert [part.tag for part in whole] == ["g", "path", "g"]  # unneeded groups are left out
