"""Small changes of functions, one at a time, and how to put them into a running process.

A mutant is a changed syntax tree of one module, of which one function's code is exchanged in place:
whoever has imported the function runs the change. Texts of error messages are left alone.
"""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.Pow: ast.Mult,
}
NAMES = {
    "min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum",
    "maximum": "minimum", "zeros": "ones", "floor": "ceil", "ceil": "floor", "issuperset":
    "issubset", "combinations": "product", "gcd": "lcm", "lcm": "gcd", "numerator": "denominator",
    "upper": "lower", "lower": "upper",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change.

    Attributes
    ----------
    module, function : str
        Dotted name of the module; qualified name of the function in it.
    line : int
    change : str
        The line before and after.
    code : CodeType
        What the function becomes.
    """

    module: str
    function: str
    line: int
    change: str
    code: CodeType


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions and methods of a module with their qualified names."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    yield f"{node.name}.{inner.name}", inner


def resolve(module: ModuleType, name: str) -> FunctionType:
    """Return the function of a qualified name, inside its descriptor if it has one."""
    found: Any = module
    for part in name.split("."):
        found = inspect.getattr_static(found, part)
    for attribute in ("fget", "func", "__func__"):
        found = getattr(found, attribute, found)
    assert isinstance(found, FunctionType), name
    return found


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in the place of an expression or statement."""
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            for other in COMPARISONS.get(type(op), ()):
                new = copy.deepcopy(node)
                new.ops[i] = other()
                yield new
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in ARITHMETIC:
        new = copy.deepcopy(node)
        new.op = ARITHMETIC[type(node.op)]()
        yield new
    elif isinstance(node, ast.BoolOp):
        new = copy.deepcopy(node)
        new.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield new
        for i in range(len(node.values)):  # leave out one part
            rest = [copy.deepcopy(v) for k, v in enumerate(node.values) if k != i]
            yield rest[0] if len(rest) == 1 else ast.BoolOp(copy.deepcopy(node.op), rest)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield copy.deepcopy(node.operand)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield ast.Constant(not node.value)
        elif isinstance(node.value, int):
            yield ast.Constant(node.value + 1)
            yield ast.Constant(node.value - 1)
        elif isinstance(node.value, str) and node.value:
            yield ast.Constant(f"{node.value}X")
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield ast.Name(NAMES[node.id], ast.Load())
    elif isinstance(node, ast.Attribute) and node.attr in NAMES and isinstance(node.ctx, ast.Load):
        yield ast.Attribute(copy.deepcopy(node.value), NAMES[node.attr], ast.Load())
    elif isinstance(node, ast.IfExp):
        yield copy.deepcopy(node.body)
        yield copy.deepcopy(node.orelse)
    elif isinstance(node, ast.If):
        for truth in (True, False):
            new = copy.deepcopy(node)
            new.test = ast.Constant(truth)
            yield new
    elif isinstance(node, ast.comprehension):
        for i in range(len(node.ifs)):
            new = copy.deepcopy(node)
            del new.ifs[i]
            yield new
    elif isinstance(node, ast.Continue):
        yield ast.Break()
    elif isinstance(node, ast.Break):
        yield ast.Continue()
    elif isinstance(node, ast.Raise | ast.AugAssign) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield ast.Pass()
    elif (
        isinstance(node, ast.Return)
        and node.value is not None
        and not (isinstance(node.value, ast.Constant) and node.value.value is None)
    ):
        yield ast.Return(ast.Constant(None))
    if isinstance(node, ast.AugAssign):
        yield ast.Pass()


def _skipped(node: ast.AST) -> bool:
    """Whether nothing below is changed: messages, annotations, nested definitions' headers."""
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert):
        return True
    if isinstance(node, ast.Assign):
        target = node.targets[0]
        return isinstance(target, ast.Name) and target.id in ("rule", "place", "here")
    return False


def _spots(node: ast.AST, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], ast.AST]]:
    """Yield (path, node) of everything inside that may be changed."""
    for name, value in ast.iter_fields(node):
        if name in ("decorator_list", "annotation", "returns") or isinstance(value, ast.arguments):
            continue
        if name == "keywords":
            value = [k for k in value if k.arg not in ("path", "error", "strict")]
            spots = [((*path, (name, node.keywords.index(k))), k) for k in value]  # type: ignore[attr-defined]
        elif isinstance(value, list):
            spots = [((*path, (name, i)), v) for i, v in enumerate(value) if isinstance(v, ast.AST)]
        elif isinstance(value, ast.AST):
            spots = [((*path, (name, None)), value)]
        else:
            continue
        for place, child in spots:
            docstring = (
                isinstance(child, ast.Expr)
                and isinstance(child.value, ast.Constant)
                and isinstance(child.value.value, str)
            )
            if docstring:
                continue
            yield place, child
            if not _skipped(child):
                yield from _spots(child, place)


def _put(root: ast.AST, path: tuple[Any, ...], new: ast.AST) -> None:
    for name, index in path[:-1]:
        value = getattr(root, name)
        root = value if index is None else value[index]
    name, index = path[-1]
    if index is None:
        setattr(root, name, new)
    else:
        getattr(root, name)[index] = new


def _find(code: CodeType, name: str) -> CodeType:
    for part in name.split("."):
        code = next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == part)
    return code


def mutants(module: ModuleType) -> Iterator[Mutant]:
    """Yield all mutants of a module's functions."""
    file = inspect.getsourcefile(module)
    assert file is not None
    source = inspect.getsource(module)
    for name, original in functions(ast.parse(source)):
        for path, node in list(_spots(original)):
            for new in changes(node):
                tree = ast.parse(source)
                target = next(f for n, f in functions(tree) if n == name)
                ast.copy_location(new, node)
                _put(target, path, ast.fix_missing_locations(new))
                ast.fix_missing_locations(tree)
                try:
                    code = _find(compile(tree, file, "exec"), name)
                except (SyntaxError, StopIteration, ValueError):
                    continue
                before, after = (" ".join(ast.unparse(n).split())[:110] for n in (node, new))
                line = getattr(node, "lineno", original.lineno)
                yield Mutant(module.__name__, name, line, f"{before}  ->  {after}", code)


def apply(mutant: Mutant, module: ModuleType) -> None:
    """Exchange the code of the mutated function in this process."""
    resolve(module, mutant.function).__code__ = mutant.code
