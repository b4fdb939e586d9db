"""An import takes the same memory for a small source and a large one."""

import subprocess
import sys
from pathlib import Path

import pytest

MEASURE = """
import json, sys
from pathlib import Path
from personalized_shopping.shared_libraries.catalog import open_source, write_catalog
from tests.catalog.helpers import webshop_record

count, where = int(sys.argv[1]), Path(sys.argv[2])
with (where / "items_shuffle.json").open("w") as file:
    for number in range(count):
        file.write("[" if number == 0 else ",")
        json.dump(webshop_record(f"A{number}", full_description="words " * 300), file)
    file.write("]")
with (where / "items_ins_v2.json").open("w") as file:
    for number in range(count):
        file.write("{" if number == 0 else ",")
        file.write(json.dumps(f"A{number}") + ":" + json.dumps({"attributes": ["soft"] * 40}))
    file.write("}")
assert write_catalog(open_source(where / "items_shuffle.json"), where / "catalog").products == count
# Not getrusage: its peak is also that of the process that started this one.
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux tells it")
def test_memory_does_not_grow_with_the_source(tmp_path: Path):
    peaks = {}
    for count in (12_000, 30_000):
        where = tmp_path / str(count)
        where.mkdir()
        done = subprocess.run([sys.executable, "-c", MEASURE, str(count), where], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        peaks[count] = int(done.stdout) / 1024
        size = sum(path.stat().st_size for path in where.glob("*.json")) / 1e6
    assert size > 60, "the source must be larger than what its import may take"
    assert peaks[30_000] - peaks[12_000] < 20, f"peak memory in MB by records: {peaks}"
