"""Tests of the package's type annotations and names."""

import ast
import pathlib
import re
import unittest

import pentode

FOLDER = pathlib.Path(pentode.__file__).parent

# These use the names in KWIVER's own Python packages.
KWIVERS = ("kwiver", "types.py", "detections.py", "tracks.py", "points.py", "vision")


def functions(tree: ast.AST, prefix: str = ""):
    """Yield the public functions and methods of a module, with their full names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from functions(node, prefix + node.name + ".")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if not node.name.startswith("_") or node.name.endswith("__"):
                yield prefix + node.name, node
        elif isinstance(node, (ast.If, ast.Try)):
            yield from functions(node, prefix)


class Package(unittest.TestCase):
    def modules(self):
        for path in sorted(FOLDER.rglob("*.py")):
            yield path.relative_to(FOLDER), ast.parse(path.read_text())

    def test_typed(self):
        self.assertTrue((FOLDER / "py.typed").exists(), "the package has no py.typed")

    def test_annotated(self):
        seen = 0
        for path, tree in self.modules():
            for name, f in functions(tree):
                seen += 1
                a = f.args
                parameters = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, [a.vararg, a.kwarg])]
                bare = [p.arg for p in parameters if p.annotation is None and p.arg not in ("self", "cls")]
                self.assertFalse(bare, "%s: %s has parameters without a type" % (path, name))
                if f.name != "__init__":
                    self.assertIsNotNone(f.returns, "%s: the result of %s has no type" % (path, name))
        self.assertGreater(seen, 500)

    def test_names(self):
        for path, tree in self.modules():
            if path.parts[0] in KWIVERS:
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    self.assertRegex(node.name, r"^_*[A-Z][A-Za-z0-9]*$", "%s: a class" % path)
                elif isinstance(node, (ast.FunctionDef, ast.arg)):
                    name = node.name if isinstance(node, ast.FunctionDef) else node.arg
                    self.assertRegex(name, r"^[a-z_][a-z0-9_]*$", "%s: a function or a parameter" % path)
            for node in tree.body:
                for target in getattr(node, "targets", []):
                    if isinstance(target, ast.Name) and not re.match("^__.*__$", target.id):
                        self.assertRegex(target.id, r"^_?([A-Z][A-Z0-9_]*|[a-z][a-z0-9_]*|[A-Z])$", "%s: a variable" % path)


if __name__ == "__main__":
    unittest.main()
