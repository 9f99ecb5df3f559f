#!/usr/bin/env python3
"""Writes the sample landscape from its compact description: `python samples/generate.py [--check] [FOLDER]`.

With `--check` nothing is written; files that differ from what would be written are named, and the exit code is 1.
"""

import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from generator.bpmn import write_bpmn
from generator.csdl_v2 import write_v2
from generator.csdl_v4 import write_v4
from generator.landscape import effects, read_processes, write_bindings, write_landscape
from generator.model import Mistake, read_services
from generator.seed import read_seed

GENERATED = ("services/*.xml", "processes/*.bpmn", "seed/*.json", "clew.yaml", "bindings.yaml", "effects.json")


def generate(description: Path) -> dict[str, str]:
    """Gives the text of each generated file by its path below the samples folder."""
    services = read_services(description)
    versions = {service.name: service.odata for service in services.values()}
    processes = read_processes(description / "processes")
    seeds = read_seed(description / "seed", services)
    files = {
        f"services/{service.name}.xml": (write_v2 if service.odata == "V2" else write_v4)(service, versions)
        for service in services.values()
    }
    files |= {f"processes/{process.id}.bpmn": write_bpmn(process) for process in processes}
    files |= {f"seed/{name}.json": _json({name: sets}) for name, sets in seeds.items()}
    seed_files = [f"seed/{name}.json" for name in seeds]
    files["clew.yaml"] = write_landscape(description, services, processes, seed_files)
    files["bindings.yaml"] = write_bindings(processes, services)
    files["effects.json"] = _json(effects(services))
    return files


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def differences(files: dict[str, str], folder: Path) -> list[str]:
    """Names the files below `folder` that are missing, different, or left over."""
    present = {str(path.relative_to(folder)) for pattern in GENERATED for path in folder.glob(pattern)}
    left_over = present - set(files)
    wrong = {
        name for name, text in files.items() if name not in present or (folder / name).read_bytes() != text.encode()
    }
    return sorted(left_over | wrong)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=HERE, help="where to write (default: beside this file)")
    parser.add_argument("--check", action="store_true", help="write nothing; say what differs")
    options = parser.parse_args(arguments)
    try:
        files = generate(HERE / "landscape")
    except Mistake as mistake:
        print(f"samples/landscape: {mistake}", file=sys.stderr)
        return 1
    wrong = differences(files, options.folder)
    if options.check:
        print("\n".join(f"differs: {name}" for name in wrong) or f"{len(files)} files are as generated")
        return 1 if wrong else 0
    for name in wrong:
        path = options.folder / name
        if name not in files:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(files[name].encode())
    print(f"{len(files)} files, {len(wrong)} of them changed")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
