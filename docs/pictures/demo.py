"""Draws demo.svg: the screen of `overtrick demo` in the middle of an evening, as the program itself makes it.

Run it again when that screen changes: `python docs/pictures/demo.py`.
"""

import re
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console, ConsoleDimensions

from overtrick.cli.demo_screen import DemoAddresses, screen, symbols
from overtrick.host.demo import demo, play

SIZE = ConsoleDimensions(106, 30)
ADDRESSES = DemoAddresses(
    "http://127.0.0.1:8080",
    "http://127.0.0.1:8080/t/483005DCD6EE5CBE1B5A1C6C173916FD/A1?code=4JFNKSX6",
    "http://127.0.0.1:5079",
)
RESULTS = 108
"""How many results are in when the picture is taken; table 1 waits for the director then."""


def picture() -> str:
    """The screen as SVG, with whatever fixed-width letters the reader has: nothing is loaded from elsewhere."""
    console = Console(record=True, width=SIZE.width, file=Path("/dev/null").open("w"))  # noqa: SIM115
    news: list[str] = []
    with (
        TemporaryDirectory() as folder,
        demo(Path(folder), tables=8, seed=1) as (evening, runtime, tricks),
    ):
        for moment in play(evening, runtime, tricks, speed=1, sleep=lambda _: None):
            if moment.words:
                when = evening.starts + timedelta(minutes=moment.minute)
                news.append(f"{when:%H:%M}  {symbols(moment.words)}")
            if len(moment.view.session.results.standing) == RESULTS:
                status = f"{when:%H:%M}  {RESULTS} results. Data Connector {ADDRESSES.connector}: {RESULTS} accepted"
                console.print(screen(moment.view, news, SIZE, ADDRESSES, status))
                break
    drawn = console.export_svg(title="overtrick demo", unique_id="demo")
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)


if __name__ == "__main__":
    Path(__file__).with_name("demo.svg").write_text(picture(), encoding="utf-8")
