"""The website under load for a short while: it fails nobody, and its memory stays what it is."""

import sys

import pytest

from benchmarks.site_soak import lines, soak
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles

MOST_GROWTH_MB = 10
"""What filling caches may still take after the warming up."""


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process's memory this way")
def test_a_short_soak(demo_files: ShopFiles) -> None:
    report = soak(20, 4, pause_s=0.02, every_s=2, catalog=demo_files.directory)
    said = "\n".join(lines(report))
    assert report.failed == 0 and not report.failures, said
    assert report.requests > 200 and {200, 303, 400, 403, 404} <= set(report.statuses), said
    assert set(report.statuses) <= {200, 302, 303, 400, 403, 404, 409}, said
    assert report.growth_mb < MOST_GROWTH_MB and report.samples[-1].rss_mb > 10, said
    assert report.latencies_ms["p50"] < 1_000, said
