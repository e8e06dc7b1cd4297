"""A bucket is judged as a folder of the same content is, whatever its objects are called or its server does."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import boto3
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from counterfoil.archives.buckets import NoAddress, Place, Service, place_at
from counterfoil.archives.objects import Fetched, Unread, fetched, listed, staying
from tests.archives.folders import TESTS, counterfoil, mixture
from tests.cases.case import CASES

SECRET = "hunter2/hunter2+hunter2"
REGION = "eu-central-1"
FORMS = [["--json"], ["--engine", "local", "--ndjson"]]


class Store:
    """The server, in a process of its own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        self.process = process
        self.port = int(process.stdout.readline())
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.client = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id="AKIAEXAMPLE",
            aws_secret_access_key=SECRET,
        )

    def bucket(self, name: str, objects: dict[str, bytes]) -> str:
        self.client.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
        for key, content in objects.items():
            self.client.put_object(Bucket=name, Key=key, Body=content)
        return f"s3://{name}"

    def signed_only(self, signed: bool) -> None:
        """Whether it looks at who asks from now on; it knows nobody then."""
        door = HTTPConnection("127.0.0.1", self.port, timeout=60)
        door.request("POST", "/moto-api/reset-auth", b"0" if signed else b"inf", {"content-type": "text/plain"})
        assert door.getresponse().status == 200
        door.close()

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_REGION": REGION,
            "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    @property
    def service(self) -> Service:
        return Service(REGION, self.endpoint)

    def run(self, *arguments: object, **environment: str) -> subprocess.CompletedProcess[bytes]:
        ran = counterfoil(*arguments, **{**self.environment, **environment})
        assert b"hunter2" not in ran.stdout + ran.stderr
        return ran


def serving() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.archives.storing"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=TESTS.parent)


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with serving() as process:
        yield Store(process)
        process.send_signal(signal.SIGKILL)


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All that an audit reads, some of it packed and some deeper."""
    folder = mixture(tmp_path_factory.mktemp("lines"))
    (folder / "deep" / "er").mkdir(parents=True)
    for number, case in enumerate(sorted(folder.glob("*.ndjson"))[:6]):
        packed = folder / "deep" / ("er" if number % 2 else ".") / f"{case.name}.GZ"
        packed.write_bytes(gzip.compress(case.read_bytes(), mtime=0))
        case.unlink()
    (folder / "README.md").write_text("Not evidence.")
    return folder


def content(folder: Path, below: str = "") -> dict[str, bytes]:
    return {
        below + str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


@pytest.fixture(scope="module")
def bucket(store: Store, lines: Path) -> str:
    beside = {"day-2/other.ndjson": b"another day\n", "day/": b""}
    return store.bucket("evidence", content(lines, "day/") | beside)


@pytest.mark.parametrize("form", FORMS, ids=" ".join)
def test_lines_say_what_they_say_in_a_folder(store: Store, lines: Path, bucket: str, form: list[str]) -> None:
    of_folder, of_bucket = counterfoil("audit", lines, *form), store.run("audit", f"{bucket}/day", *form)
    assert of_bucket.returncode == of_folder.returncode == 0, of_bucket.stderr.decode()
    assert of_bucket.stdout == of_folder.stdout
    said = of_bucket.stderr.replace(f"{bucket}/day/".encode(), f"{lines}/".encode())
    assert said.splitlines() == of_folder.stderr.splitlines()


@pytest.fixture
def credentials(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in store.environment.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="module")
def archive(lines: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    assert counterfoil("archive", lines, "--to", folder).returncode == 0
    return next(folder.iterdir())


def test_archives_and_others_parquet_say_what_they_say_in_a_folder(store: Store, archive: Path) -> None:
    pq.write_table(pa.table({"value": CASES[0].path.read_text().splitlines()}), archive.parent / "theirs.parquet")
    bucket = store.bucket("archives", content(archive.parent))
    of_folder, of_bucket = counterfoil("audit", archive.parent, "--json"), store.run("audit", bucket, "--json")
    assert of_bucket.returncode == of_folder.returncode == 0, of_bucket.stderr.decode()
    assert of_bucket.stdout == of_folder.stdout
    on_spark = store.run("audit", bucket, "--json", "--engine", "spark")
    assert on_spark.returncode == 0, on_spark.stderr.decode()
    assert on_spark.stdout == of_folder.stdout


@pytest.mark.usefixtures("credentials")
def test_spark_reads_archives_where_they_lie_and_only_others_are_brought(store: Store, archive: Path) -> None:
    bucket = store.bucket("lying", {"a/facts.parquet": archive.read_bytes(), "a/theirs.ndjson": b"{}\n", "b": b""})
    listing = listed(place_at(f"{bucket}/a"), store.service)
    stay, left = staying(listing, store.service)
    assert [source.name for source in stay] == [f"{bucket}/a/facts.parquet"]
    assert [each.address for each in left.objects] == [f"{bucket}/a/theirs.ndjson"]


def test_what_is_archived_from_a_bucket_is_the_folders_own_archive(
    store: Store, archive: Path, bucket: str, tmp_path: Path
) -> None:
    made = store.run("archive", f"{bucket}/day/", "--to", tmp_path)
    assert made.returncode == 0, made.stderr.decode()
    assert pq.read_table(next(tmp_path.iterdir())).equals(pq.read_table(archive))


def test_nothing_is_left_behind(store: Store, bucket: str, tmp_path: Path) -> None:
    ran = store.run("audit", f"{bucket}/day", f"{bucket}/day-2/other.ndjson", TMPDIR=str(tmp_path))
    assert ran.returncode == 0
    assert b"s3://evidence/day-2/other.ndjson:1" in ran.stderr
    assert list(tmp_path.iterdir()) == []


def test_one_object_is_read_whatever_it_is_called(store: Store) -> None:
    """And it hides nothing that lies below its name."""
    bucket = store.bucket("one", {"day": CASES[0].path.read_bytes(), "day/more.ndjson": b"no json\n", "day/x": b""})
    ran = store.run("audit", f"{bucket}/day", "--json")
    assert b"skipped s3://one/day/more.ndjson:1: no JSON" in ran.stderr
    expected = json.loads(counterfoil("audit", CASES[0].path, "--json").stdout)
    assert json.loads(ran.stdout) == expected | {"skipped": 1}


@pytest.mark.usefixtures("credentials")
def test_names_of_objects_never_become_paths(store: Store, tmp_path: Path) -> None:
    told = CASES[0].path.read_bytes()
    hostile = [
        "in/../../../escaped.ndjson",
        "in/../beside.ndjson",
        "in//etc/escaped.ndjson",
        "in/./here.ndjson",
        "in/%2e%2e/x.ndjson",
        "in/;$(touch escaped) é☃?#&+\x1b[2J.ndjson.gz",
        "in/" + "long" * 200 + ".ndjson",
        *(f"in/{number}.ndjson" for number in range(40)),
    ]
    store.bucket("hostile", {"beside.ndjson": b"no json\n"} | dict.fromkeys(hostile, told))
    kept = tmp_path / "kept"
    kept.mkdir()
    found = list(fetched(listed(Place("hostile", "in"), store.service), kept))
    assert {source.name for source in found} == {f"s3://hostile/{key}" for key in hostile}
    assert sorted(source.name for source in found if isinstance(source, Unread)) == sorted(
        f"s3://hostile/{key}" for key in hostile[:4]
    )
    paths = [source.path for source in found if isinstance(source, Fetched)]
    assert {path.resolve().parent for path in paths} == {kept}
    assert {path.read_bytes() for path in paths} == {told}
    assert os.listdir(tmp_path) == ["kept"]

    ran = store.run("audit", "s3://hostile/in", "--json")
    assert ran.returncode == 0, ran.stderr.decode()
    assert ran.stderr.count(b"can't be asked for") == 4
    assert b"\x1b" not in ran.stderr


@pytest.mark.parametrize(
    ("address", "changed", "why"),
    [
        ("s3://missing-bucket/day", {}, "there is no such bucket"),
        ("s3://evidence/away", {}, "there is no object of this name"),
        ("s3://AKIAEXAMPLE:hunter2/hunter2@evidence/day", {}, "AWS_SECRET_ACCESS_KEY"),
        ("s3://evidence/day", {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, "can't be reached"),
    ],
)
def test_what_cannot_be_had_is_said_with_the_way_out(
    store: Store, bucket: str, address: str, changed: dict[str, str], why: str
) -> None:
    ran = store.run("audit", address, **changed)
    assert ran.returncode == 2, ran.stderr.decode()
    assert why in " ".join(ran.stderr.decode().replace("│", " ").split())
    assert ran.stdout == b""


def test_who_may_not_read_is_told_what_it_takes(store: Store, bucket: str) -> None:
    store.signed_only(True)
    try:
        ran = store.run("audit", f"{bucket}/day")
    finally:
        store.signed_only(False)
    assert ran.returncode == 2
    assert b"not permitted" in ran.stderr
    assert b"s3:GetObject" in ran.stderr
    assert b"AKIAEXAMPLE" not in ran.stderr


def test_nothing_to_read_below_a_prefix_is_nothing_parsed(store: Store) -> None:
    bucket = store.bucket("pictures", {"a.png": b"", "b/c.png": b""})
    assert store.run("audit", bucket).returncode == 3


@pytest.mark.usefixtures("credentials")
def test_a_server_that_goes_half_way_ends_it_and_half_is_never_judged(tmp_path: Path) -> None:
    with serving() as process:
        store = Store(process)
        store.bucket("half", {"a.ndjson": CASES[0].path.read_bytes(), "b.ndjson": b"{}\n" * 1_000_000})
        bringing = fetched(listed(Place("half"), store.service), tmp_path)
        assert next(bringing).name == "s3://half/a.ndjson"
        process.send_signal(signal.SIGKILL)
        process.wait()
        with pytest.raises(OSError, match="can't be reached") as gone:
            next(bringing)
    assert gone.value.filename == "s3://half/b.ndjson"
    assert "hunter2" not in str(gone.value)


@pytest.mark.usefixtures("credentials")
def test_an_object_that_goes_meanwhile_is_skipped_in_words(store: Store, tmp_path: Path) -> None:
    store.bucket("going", {"a.ndjson": b"{}\n", "b.ndjson": b"{}\n"})
    listing = listed(Place("going"), store.service)
    store.client.delete_object(Bucket="going", Key="a.ndjson")
    gone, there = fetched(listing, tmp_path)
    assert b"".join(there.chunks()) == b"{}\n"
    with pytest.raises(OSError, match="the object is gone"):
        list(gone.chunks())


def test_without_the_extra_it_says_which_one_to_install() -> None:
    program = "import sys; sys.modules['pyarrow'] = None; from counterfoil.cli import main; main()"
    command = [sys.executable, "-c", program, "audit", "s3://evidence/day"]
    ran = subprocess.run(command, check=False, capture_output=True)
    assert ran.returncode == 3
    assert b"pip install 'counterfoil[archive]'" in ran.stderr


def test_an_address_is_read_to_the_letter() -> None:
    assert place_at("s3://bucket.name/a%20b/é#1/") == Place("bucket.name", "a%20b/é#1")
    assert place_at("s3://bucket") == place_at("s3://bucket/") == Place("bucket")
    both = {"AWS_ENDPOINT_URL": "http://all", "AWS_ENDPOINT_URL_S3": "http://s3", "AWS_DEFAULT_REGION": "here"}
    assert Service.of(both) == Service("here", "http://s3")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("s3://AKIAEXAMPLE:hunter2/hunter2@evidence/day", "AWS_SECRET_ACCESS_KEY"),
        ("s3://hunter2@evidence/day", "AWS_SECRET_ACCESS_KEY"),
        ("s3://evidence/day?secret_key=hunter2", "takes no options"),
        ("s3:///day", "write s3://bucket/prefix"),
        ("s3://evidence/../day", "can't be asked for"),
        ("s3://evidence//day", "can't be asked for"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_in_words(address: str, why: str) -> None:
    with pytest.raises(NoAddress, match=why) as refused:
        place_at(address)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("endpoint", ["http://a:hunter2@host", "host:9000", "http://host:port", "http://host/a/path"])
def test_an_endpoint_that_is_none_is_refused_in_words(endpoint: str) -> None:
    with pytest.raises(NoAddress, match="AWS_ENDPOINT_URL can't be read") as refused:
        Service(REGION, endpoint).client()
    assert "hunter2" not in str(refused.value)
