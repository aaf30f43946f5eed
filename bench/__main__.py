"""Runs the benchmarks whose names contain one of the arguments, or all; exits with 1 if one misses its bar."""

import importlib
import pkgutil
import sys

from rich.console import Console
from rich.table import Table

import bench
from bench.measure import Finding, run_all


def main() -> None:
    for module in pkgutil.iter_modules(bench.__path__):
        if module.name != "__main__":
            importlib.import_module(f"bench.{module.name}")
    console = Console()
    table = Table(title="Overtrick against a peer, medians of interleaved repeats")
    for heading in ("benchmark", "ours", "peer", "the peer", "ratio", "bar", ""):
        table.add_column(heading, justify="right" if heading in {"ours", "peer", "ratio", "bar"} else "left")
    findings: list[Finding] = []
    for finding in run_all(tuple(sys.argv[1:])):
        findings.append(finding)
        benchmark = finding.benchmark
        table.add_row(
            benchmark.name,
            f"{finding.ours:,.4g} {benchmark.unit}/s",
            f"{finding.peer:,.4g} {benchmark.unit}/s",
            benchmark.peer,
            f"{finding.ratio:.2f}",
            f"{benchmark.bar:.2f}",
            "pass" if finding.passes else "[bold red]miss[/]",
        )
    console.print(table)
    sys.exit(not all(finding.passes for finding in findings))


main()
