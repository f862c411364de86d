"""A hierarchy of class names."""

from typing import Dict, List, Optional, Sequence


class _Category:
    def __init__(self, name: str, id: int):
        self.name, self.id = name, id
        self.parents: List["_Category"] = []
        self.children: List["_Category"] = []


class CategoryHierarchy:
    """A hierarchy of classes with names and synonyms; each has a number and parents."""

    def __init__(
        self,
        class_names: object = None,
        parent_names: Sequence[str] = (),
        ids: Sequence[int] = (),
    ):
        self._known: Dict[str, _Category] = {}
        if isinstance(class_names, str):
            self.load_from_file(class_names)
            return
        names = list(class_names or ())  # type: ignore[call-overload]
        for given in (parent_names, ids):
            if given and len(given) != len(names):
                raise ValueError("got %d classes, but %d parents or numbers: expected one for each class" % (len(names), len(given)))
        for i, name in enumerate(names):
            self.add_class(name, "", ids[i] if ids else -1)
        for name, parent in zip(names, parent_names):
            if parent:
                self.add_relationship(name, parent)

    def add_class(self, class_name: str, parent_name: str = "", id: int = -1) -> None:
        if class_name in self._known:
            raise RuntimeError("there is a class `%s` already" % class_name)
        self._known[class_name] = _Category(class_name, id)
        if parent_name:
            self.add_relationship(class_name, parent_name)

    def add_relationship(self, child_name: str, parent_name: str) -> None:
        child, parent = self._find(child_name), self._find(parent_name)
        child.parents.append(parent)
        parent.children.append(child)

    def add_synonym(self, class_name: str, synonym_name: str) -> None:
        if synonym_name in self._known:
            raise RuntimeError("there is a class `%s` already" % synonym_name)
        self._known[synonym_name] = self._find(class_name)

    def has_class_name(self, class_name: str) -> bool:
        return class_name in self._known

    def get_class_name(self, class_name: str) -> str:
        """Return the main name of a class, which may be given by a synonym."""
        return self._find(class_name).name

    def get_class_id(self, class_name: str) -> int:
        return self._find(class_name).id

    def get_class_parents(self, class_name: str) -> List[str]:
        return [p.name for p in self._find(class_name).parents]

    def all_class_names(self) -> List[str]:
        return [c.name for c in self._classes()]

    def child_class_names(self) -> List[str]:
        """Return the names of the classes without subclasses."""
        return [c.name for c in self._classes() if not c.children]

    def size(self) -> int:
        return len(self._classes())

    def load_from_file(self, filename: str) -> None:
        """Read a file with a line for each class: its name, synonyms, and `:parent=NAME` if it has a parent."""
        parents = []
        with open(filename) as f:
            lines = [line.split() for line in f]
            for i, words in enumerate(w for w in lines if w and not w[0].startswith("#")):
                names = [w for w in words if not w.startswith(":parent=")]
                self.add_class(names[0], "", i)
                for synonym in names[1:]:
                    self.add_synonym(names[0], synonym)
                parents += [(names[0], w[len(":parent=") :]) for w in words if w.startswith(":parent=")]
        for name, parent in parents:
            self.add_relationship(name, parent)

    def _classes(self) -> List[_Category]:
        first = {id(c): c for c in self._known.values()}
        return sorted(first.values(), key=lambda c: c.id)

    def _find(self, name: str) -> _Category:
        found: Optional[_Category] = self._known.get(name)
        if found is None:
            raise RuntimeError("there is no class `%s`" % name)
        return found
