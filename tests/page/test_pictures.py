"""Pictures of many solvers are small without visible loss, and no two solvers look alike."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np

from spcabench.page import light_svg


def test_a_lighter_picture_has_the_same_coordinates():
    text = (
        '<path d="M 1.234567 222.04 \nL 3.5 -4.98765 \nL 5 6 \n" transform="scale(0.015625)"/>\n'
        '<!-- a word -->\n<path d="M 1 2 \nQ 3 4 5 6 \nL 7 8.001 \n"/>\n<g id="x_">\n'
        + '<use xlink:href="#m" x="9" y="4" style="fill: red"/>\n' * 2
        + '</g>\n<use xlink:href="#DejaVuSans-a" transform="translate(9 4)"/>'
    )
    lighter = light_svg.light(text)
    numbers = [[float(x) for x in re.findall(r"-?\d+\.?\d*", part)] for part in (text, lighter)]
    assert np.allclose(*numbers, atol=0.05) and "scale(0.015625)" in lighter
    # markers share the style of their group
    assert '<g style="fill: red">\n<use href="#m" x="9" y="4"/>\n' in lighter
    assert '"#ga" x="9" y="4"' in lighter
    assert "L 7 8" in lighter and "word" not in lighter  # after a curve an L is needed
    assert len(lighter) < len(text)


def test_a_lighter_picture_without_unneeded_groups_is_still_well_formed():
    inner = '<g>\n<g clip-path="url(#p)"/>\n<path d="M 1 2"/>\n</g>\n<g style="fill: red">\n</g>\n'
    lighter = light_svg.light(f"<svg>\n{inner}</svg>\n")
    assert "<g>" not in lighter
    assert [part.tag for part in ElementTree.fromstring(lighter)] == ["g", "path", "g"]
