"""Trees of index pages: finding, adding and removing entries. Keys are opaque bytes.

A tree has leaves, linked to their neighbours, and above them nodes with the last entry of each page below. The
last child of a node is its tail and has no entry there, so that the tree can grow at its end without touching
the nodes above.

An entry that fits into its leaf is put there. Otherwise the whole tree is rebuilt on pages beside the old ones, and its
root, whose page number never changes, is written last: a crash leaves the old tree or the new one.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator

from overtrick.jet.definition import IndexDefinition
from overtrick.jet.edit import Edit, WriteStep
from overtrick.jet.errors import DamagedAccessFile
from overtrick.jet.index_page import IndexPage, capacity
from overtrick.jet.page_file import PageFile
from overtrick.jet.usage_map import add_to_map, allocate, mapped_pages

_FILL_FACTOR = 0.7
"""The part of a page that a rebuilt tree fills, so that there is room for later entries."""
_POINTER = 4
_CHILD = 4
_DEEPEST = 16


class IndexTree:
    """The tree of one index."""

    def __init__(self, file: PageFile, index: IndexDefinition, owner: int) -> None:
        self._file = file
        self._layout = file.layout
        self.index = index
        self._owner = owner
        self._used_pages: set[int] = set()
        """The pages of the tree in the file, which are not reused before the edit is written."""

    def _page(self, number: int) -> IndexPage:
        return IndexPage.read(self._file.page(number), self._layout)

    def _path(self, entry: bytes) -> list[tuple[int, IndexPage]]:
        """Return the pages from the root to the leaf where an entry belongs."""
        number = self.index.root
        path = [(number, self._page(number))]
        while not path[-1][1].leaf:
            page = path[-1][1]
            if len(path) > _DEEPEST:
                raise DamagedAccessFile("An index has too many levels.", where=self._file.where)
            position = bisect_left(page.entries, entry, key=lambda stored: stored[:-_CHILD])
            if position < len(page.entries):
                number = _child(page.entries[position])
            elif page.tail:
                number = page.tail
            elif page.entries:
                number = _child(page.entries[-1])
            else:
                raise DamagedAccessFile("A page of an index has no entries.", where=self._file.where)
            path.append((number, self._page(number)))
        return path

    def holds_key(self, key: bytes) -> bool:
        """Return whether some row has this key."""
        page = self._path(key)[-1][1]
        pages_read = 0
        while True:
            position = bisect_left(page.entries, key)
            if position < len(page.entries):
                return page.entries[position][:-_POINTER] == key
            if not page.next or pages_read > self._file.page_count:
                return False
            page = self._page(page.next)
            pages_read += 1

    def pointers(self, prefix: bytes) -> Iterator[int]:
        """Yield the ids of the rows whose keys start with some bytes, in the order of their keys."""
        page = self._path(prefix)[-1][1]
        position = bisect_left(page.entries, prefix)
        for _ in range(self._file.page_count):
            for entry in page.entries[position:]:
                if not entry.startswith(prefix):
                    return
                yield int.from_bytes(entry[-_POINTER:], "big")
            if not page.next:
                return
            page, position = self._page(page.next), 0
        raise DamagedAccessFile("An index is circular.", where=self._file.where)

    def key_of_row(self, pointer: bytes) -> bytes | None:
        """Return the key of a row's entry, for keys that cannot be computed; None if the row has no entry.

        This reads every leaf.
        """
        return next((entry[:-_POINTER] for entry in self.entries() if entry[-_POINTER:] == pointer), None)

    def entries(self) -> Iterator[bytes]:
        """Yield all entries in order."""
        number, page = self._path(b"")[-1]
        seen = {number}
        while True:
            yield from page.entries
            if not page.next:
                return
            if page.next in seen:
                raise DamagedAccessFile("An index is circular.", where=self._file.where)
            seen.add(page.next)
            page = self._page(page.next)

    def add(self, edit: Edit, entries: Iterable[bytes]) -> None:
        """Add entries, each a key with the pointer to its row."""
        new = sorted(entries)
        for position, entry in enumerate(new):
            if not self._add_in_place(edit, entry):
                self._build(edit, add=new[position:])
                return

    def _add_in_place(self, edit: Edit, entry: bytes) -> bool:
        path = self._path(entry)
        number, leaf = path[-1]
        position = bisect_left(leaf.entries, entry)
        if position < len(leaf.entries) and leaf.entries[position] == entry:
            return True
        leaf.entries.insert(position, entry)
        if leaf.size() > capacity(self._layout):
            return False
        if position == len(leaf.entries) - 1 and not self._update_parents(edit, path, entry):
            return False
        leaf.write(edit.change(number, WriteStep.INDEX), self._layout)
        return True

    def remove(self, edit: Edit, entry: bytes) -> bool:
        """Remove an entry; return whether it was there."""
        path = self._path(entry)
        number, leaf = path[-1]
        position = bisect_left(leaf.entries, entry)
        if position == len(leaf.entries) or leaf.entries[position] != entry:
            return False
        if len(leaf.entries) == 1 and len(path) > 1:
            self._build(edit, remove=entry)
            return True
        del leaf.entries[position]
        if (
            leaf.entries
            and position == len(leaf.entries)
            and not self._update_parents(edit, path, leaf.entries[-1])
        ):
            self._build(edit, remove=entry)
            return True
        leaf.write(edit.change(number, WriteStep.INDEX), self._layout)
        return True

    def _update_parents(self, edit: Edit, path: list[tuple[int, IndexPage]], entry: bytes) -> bool:
        """Write the new last entry of a leaf into the nodes above; if one has no room, write nothing, return False."""
        changed = []
        child = path[-1][0]
        for number, node in reversed(path[:-1]):
            position = next((n for n, stored in enumerate(node.entries) if _child(stored) == child), None)
            child_is_last = position is None if node.tail else position == len(node.entries) - 1
            child = number
            if position is not None:
                node.entries[position] = entry + node.entries[position][-_CHILD:]
                if node.size() > capacity(self._layout):
                    return False
                changed.append((number, node))
            if not child_is_last:
                break
        for number, node in changed:
            node.write(edit.change(number, WriteStep.INDEX), self._layout)
        return True

    def _build(self, edit: Edit, *, add: Iterable[bytes] = (), remove: bytes | None = None) -> None:
        """Rebuild the tree level by level, from the leaves up, on spare or new pages; only the root keeps its page."""
        entries = [entry for entry in self.entries() if entry != remove]
        for entry in add:
            insort(entries, entry)
        spare = self._spare_pages()

        def next_number() -> int:
            if spare:
                return spare.pop()
            number, _ = allocate(edit)
            add_to_map(edit, self.index.map, number)
            return number

        level = [(page.entries[-1] if page.entries else b"", page) for page in self._leaves(entries)]
        while len(level) > 1:
            numbers = [next_number() for _ in level]
            groups = self._groups(
                [
                    last + number.to_bytes(_CHILD, "big")
                    for number, (last, _) in zip(numbers, level, strict=True)
                ]
            )
            # Leaves are linked from the first to the last, nodes only within the node above them.
            linked = (
                [numbers] if level[0][1].leaf else [[_child(entry) for entry in group] for group in groups]
            )
            neighbours = {
                number: (run[place - 1] if place else 0, run[place + 1] if place + 1 < len(run) else 0)
                for run in linked
                for place, number in enumerate(run)
            }
            for number, (_, page) in zip(numbers, level, strict=True):
                page.previous, page.next = neighbours[number]
                # WriteStep.MAP: all of these are on the disk before the root (WriteStep.INDEX) leads to them.
                page.write(edit.change(number, WriteStep.MAP), self._layout)
            above = level[0][1].level + 1
            level = [(group[-1][:-_CHILD], self._node(group, above)) for group in groups]
        level[0][1].write(edit.change(self.index.root, WriteStep.INDEX), self._layout)

    def _node(self, group: list[bytes], level: int) -> IndexPage:
        """Return a node over some children; the last of several is its tail and has no entry."""
        if len(group) == 1:
            return IndexPage(level, self._owner, group)
        return IndexPage(level, self._owner, group[:-1], tail=_child(group[-1]))

    def _leaves(self, entries: list[bytes]) -> list[IndexPage]:
        return [IndexPage(0, self._owner, group) for group in self._groups(entries)]

    def _groups(self, entries: list[bytes]) -> list[list[bytes]]:
        """Split entries over as many pages as they need."""
        room = int(capacity(self._layout) * _FILL_FACTOR)
        groups: list[list[bytes]] = [[]]
        size = 0
        for entry in entries:
            if size + len(entry) > room and groups[-1]:
                groups.append([])
                size = 0
            groups[-1].append(entry)
            size += len(entry)
        return groups

    def _spare_pages(self) -> list[int]:
        """Return the pages of the index that its tree does not use: those of an earlier tree."""
        used = set()
        to_visit = [self.index.root]
        while to_visit:
            number = to_visit.pop()
            if number in used:
                raise DamagedAccessFile("An index is circular.", where=self._file.where)
            used.add(number)
            page = self._page(number)
            if not page.leaf:
                to_visit += [_child(entry) for entry in page.entries]
                if page.tail and page.tail not in used and page.tail not in to_visit:
                    to_visit.append(page.tail)
        self._used_pages |= used
        return [
            number for number in mapped_pages(self._file, self.index.map) if number not in self._used_pages
        ]


def _child(entry: bytes) -> int:
    return int.from_bytes(entry[-_CHILD:], "big")
