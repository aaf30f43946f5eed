"""A hundred thousand random keys: no forbidden screen, no impossible result, no entry lost.

A longer run: python -m tests.control.test_random_keys 1000
"""

import sys
import time

import pytest

from overtrick.control import screens
from tests.control.random_evening import RandomEvening

SCREENS = {
    screen
    for screen in vars(screens).values()
    if isinstance(screen, type) and issubclass(screen, screens.Screen) and hasattr(screen, "key")
}
PARTS, EVENINGS, STEPS = 5, 25, 800
seen: set[type[screens.Screen]] = set()


@pytest.mark.parametrize("part", range(PARTS))
def test_random_keys(part: int) -> None:
    for seed in range(part * EVENINGS, (part + 1) * EVENINGS):
        print(f"seed {seed}")
        evening = RandomEvening(seed)
        evening.play(STEPS)
        seen.update(evening.seen)


def test_random_keys_come_to_every_screen() -> None:
    for seed in range(25):
        if seen >= SCREENS:
            break
        evening = RandomEvening(seed)
        evening.play(STEPS)
        seen.update(evening.seen)
    assert seen >= SCREENS


def main(evenings: int) -> None:
    """So many evenings of a thousand keys each, and what they were like."""
    begun, entries, conflicts = time.monotonic(), 0, 0
    for seed in range(evenings):
        evening = RandomEvening(seed)
        evening.play(1000)
        entries += evening.entries
        conflicts += evening.conflicts
        seen.update(evening.seen)
    print(
        f"{evenings * 1000} keys, {entries} entries, {conflicts} conflicts,"
        f" {len(seen)} of {len(SCREENS)} screens, {time.monotonic() - begun:.0f} s"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]))
