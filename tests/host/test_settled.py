import subprocess
import sys


def test_what_is_loaded_is_left_out_of_the_search_for_garbage() -> None:
    program = (
        "import gc; from overtrick.host.settled import settle; settle(); print(gc.get_freeze_count() > 1000)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "True\n"
