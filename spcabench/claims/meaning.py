"""What the papers' words mean: one word, one rule.

The rules were chosen by the meaning of the words, in November 2026, when the results of the
statements at that time were already known. A claim whose rule is none of these says why
(``deviates``), unless it is a theorem or compares a number with its printed digits.
"""

from spcabench.claims.rules import Rule, above, at_least, at_most, below, within

COMPARABLE = within(1 / 2, 2)  # ratio of times or flops
SIMILAR = at_most(5)  # difference of variances, %
SIMILAR_OR_LESS = Rule(0.95, 1, ends=False)  # ratio of variances, for "a little smaller"
IDENTICAL = at_most(2)  # %
AS_GOOD = at_least(0.98)  # ratio of variances, for "matches or outperforms", "as good"
MUCH = at_least(5)
ORDER_OF_MAGNITUDE = at_least(10)
HUNDRED_TIMES = at_least(100)
LITTLE = at_most(5)  # %
SIGNIFICANTLY_LESS = at_most(0.9)
MORE, LESS = above(1), below(1)
MOST = above(0.5)  # share of runs
ONCE = at_least(1)  # count, for "sometimes"
RULES = (
    *(COMPARABLE, SIMILAR, SIMILAR_OR_LESS, IDENTICAL, AS_GOOD, MUCH, ORDER_OF_MAGNITUDE),
    *(HUNDRED_TIMES, LITTLE, SIGNIFICANTLY_LESS, MORE, LESS, MOST, ONCE),
)
SPARSE = 0.20  # the largest share of nonzeros, if neither the sentence nor its figure names a range

# the table in docs/reading_results.md: the paper's words, and the rule
TABLE = (
    (
        "comparable, similar, roughly the same",
        f"{COMPARABLE.words('times')} (time, flops), a difference of {SIMILAR.words('%')} "
        "(variance)",
    ),
    ("a little smaller", f"{SIMILAR_OR_LESS.words('times')}, without the ends (variance)"),
    ("(essentially, nearly) identical", f"a difference of {IDENTICAL.words('%')}"),
    ("as good, matches or outperforms", f"{AS_GOOD.words('times')}, which is identical or more"),
    ("much, considerably, by far", MUCH.words("times")),
    ("an order of magnitude", f"{ORDER_OF_MAGNITUDE.words('times')}; more is no failure"),
    ("a hundred times", HUNDRED_TIMES.words("times")),
    ("little, acceptable", LITTLE.words("%")),
    ("significantly (tighter)", f"{SIGNIFICANTLY_LESS.words('times')}, only if the word is there"),
    ("faster, more, outperforms", MORE.words("times")),
    ("can be", "at one place or more"),
    ("most, tends to, generally, typically", "at more than half of the places or runs"),
    ("often", "at a quarter of the places or more"),
    ("sometimes", "once or more"),
    ("always, for all, a plain statement", "at every place"),
    ("a number", "to its printed digits, in the setting that the paper names"),
    ("at least a number", "the number or more, to its printed digits"),
)


def printed(digits: str) -> Rule:
    """Return the rule that a number rounds to the printed digits: "2.35" is 2.345 to 2.355."""
    half = 0.5 * 10.0 ** -len(digits.partition(".")[2])
    return within(float(digits) - half, float(digits) + half)


def printed_or_more(digits: str) -> Rule:
    """Return the rule for "at least" a printed number: at least "86" is 85.5 or more."""
    return at_least(printed(digits).low)
