"""Takes the pictures of the terminal's screens that the docs show: PYTHONPATH=. python docs/pictures/terminal.py"""

import json
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from tests.conftest import find_program
from tests.web.conftest import FLAGS
from tests.web.running import Running, evening, running
from tests.web.test_terminal_browser import memories

HERE = Path(__file__).parent
SHEETS = {
    "phone": ((390, 844), 6, 0.45),
    "sideways": ((844, 390), 3, 0.45),
    "tablet": ((1024, 768), 4, 0.32),
}
"""Sizes of the devices, pictures beside each other, and how large they are on the sheet."""


def take(browser: Browser, pages: Running, guid: str, device: str, folder: Path) -> None:
    """Every screen on a device, and all of them on one sheet."""
    (width, height), columns, scale = SHEETS[device]
    base = f"/t/{guid}/A1"
    context = browser.new_context(viewport={"width": width, "height": height}, service_workers="block")
    page = context.new_page()
    for address in ("**/table.json*", "**/stream*", "**/entries"):
        page.route(address, lambda route: route.abort())
    page.goto(pages.address + base)
    taken = []
    for name, text in memories().items():
        machine = {**json.loads(text), "language": "en"}
        page.evaluate(
            "([name, text]) => localStorage.setItem(name, text)",
            [f"overtrick memory {base}", json.dumps(machine)],
        )
        page.goto(pages.address + base)
        page.wait_for_selector(f"body[data-stage={name}]")
        page.wait_for_timeout(100)
        taken.append(folder / f"{device}-{name}.png")
        page.screenshot(path=taken[-1])
    images = "".join(f'<img src="{path.as_uri()}" width="{int(width * scale)}">' for path in taken)
    style = f"margin:8px;display:grid;gap:8px;grid-template-columns:repeat({columns},auto);background:#9aa"
    (folder / "sheet.html").write_text(f'<body style="{style}">{images}</body>')
    sheet = browser.new_page(viewport={"width": int((width * scale + 8) * columns + 16), "height": 100})
    sheet.goto((folder / "sheet.html").as_uri())
    sheet.screenshot(path=HERE / f"terminal-{device}.png", full_page=True)
    context.close()


def main() -> None:
    """All devices, or the one that is named."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        with running(folder) as pages:
            guid = evening(pages)
            browser = playwright.chromium.launch(executable_path=find_program("chromium"), args=list(FLAGS))
            for device in sys.argv[1:] or SHEETS:
                take(browser, pages, guid, device, folder)
            browser.close()


if __name__ == "__main__":
    main()
