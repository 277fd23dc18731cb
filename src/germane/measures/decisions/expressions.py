"""Formulas as data: one line of arithmetic that NumPy, exact fractions and the report page can all evaluate.

An expression may contain numbers, names, ``+ - * / **``, parentheses and ``sqrt``. Nothing else is accepted, so that it
can be handed safely to any front end.

>>> recall = Expression("TP / (TP + FN)")
>>> recall(TP=[20, 0], FN=[10, 0])
array([0.66666667,        nan])
>>> recall.exact(TP=20, FN=10)
Fraction(2, 3)
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from germane.errors import MeasureError
from germane.tables.columns.ids import FloatArray

OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
ROOT_DIGITS = 40
"""Decimal digits of the square root of a fraction in exact arithmetic."""


class Expression:
    """A parsed formula. 0 / 0 is NaN; any other division by 0 is infinite."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self._tree: ast.expr = ast.parse(text, mode="eval").body
        except SyntaxError:
            raise MeasureError(f"{text!r} is not a formula") from None
        for node in ast.walk(self._tree):
            _require_arithmetic(node, text)
        names = (node.id for node in ast.walk(self._tree) if isinstance(node, ast.Name))
        self.names = tuple(dict.fromkeys(name for name in names if name != "sqrt"))

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    @cached_property
    def _code(self) -> Any:
        return compile(ast.Expression(self._tree), "<formula>", "eval")

    def __call__(self, **values: Any) -> FloatArray:
        """Evaluate the formula element by element."""
        names = {name: np.asarray(_given(name, values), dtype=np.float64) for name in self.names}
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # __init__ accepts only a list of harmless node types.
            return np.asarray(eval(self._code, {"__builtins__": {}, "sqrt": np.sqrt}, names), dtype=np.float64)

    def exact(self, **values: Any) -> Fraction | float:
        """Evaluate the formula without rounding (roots to 40 digits); NaN or infinite where it divides by 0."""
        return _exact(self._tree, {name: Fraction(str(_given(name, values))) for name in self.names})

    @property
    def ratio(self) -> tuple[Expression, Expression] | None:
        """Numerator and denominator, if the outermost operation is a division."""
        tree = self._tree
        if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Div):
            return Expression(ast.unparse(tree.left)), Expression(ast.unparse(tree.right))
        return None

    def filled_in(self, **values: Any) -> str:
        """Return the formula with names replaced by numbers.

        >>> Expression("TP / (TP + FN)").filled_in(TP=20, FN=10)
        '20 / (20 + 10)'
        """
        shown = {name: ast.Name(f"{_given(name, values):.10g}") for name in self.names}

        class Fill(ast.NodeTransformer):
            def visit_Name(self, node: ast.Name) -> ast.Name:
                return shown.get(node.id, node)

        return ast.unparse(Fill().visit(ast.parse(self.text, mode="eval").body))


def _given(name: str, values: Mapping[str, Any]) -> Any:
    if name not in values:
        raise MeasureError(f"the formula needs {name}")
    return values[name]


def _require_arithmetic(node: ast.AST, text: str) -> None:
    number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
    root = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sqrt"
    plain = isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Name, ast.Load, ast.USub, *OPERATORS))
    if not (number or root or plain):
        hint = "use numbers, names, + - * / **, parentheses and sqrt only"
        raise MeasureError(f"{text!r} is not a formula: {type(node).__name__} is not arithmetic", hint=hint)


def _exact(node: ast.expr, values: Mapping[str, Fraction]) -> Fraction | float:
    if isinstance(node, ast.Constant):
        return Fraction(str(node.value))
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.UnaryOp):
        return -_exact(node.operand, values)
    if isinstance(node, ast.Call):
        return _root(_exact(node.args[0], values))
    assert isinstance(node, ast.BinOp)
    left, right = _exact(node.left, values), _exact(node.right, values)
    if isinstance(node.op, ast.Div) and right == 0:
        return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left)
    value: Fraction | float = OPERATORS[type(node.op)](left, right)
    return value


def _root(value: Fraction | float) -> Fraction | float:
    if not isinstance(value, Fraction) or value < 0:
        return math.sqrt(value) if value >= 0 else math.nan
    scale = 10**ROOT_DIGITS
    return Fraction(math.isqrt(value.numerator * scale**2 // value.denominator), scale)
