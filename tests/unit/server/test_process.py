"""The command: where it listens, its token, its log, and its end."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from spark_paimon import errors
from spark_paimon.catalog.embedded import EmbeddedCatalog
from spark_paimon.server.listening import Address, check
from spark_paimon.server.tokens import TOKEN_FILE, token_of
from tests.servers import ROOT, Asking, rest_server
from tests.unit.server.conftest import create_table


def refusal(*arguments: str, **environment: str) -> str:
    """What the command says that does not start."""
    done = subprocess.run(
        [sys.executable, "-m", "spark_paimon", "serve", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, ""), done
    lines = [line for line in done.stderr.splitlines() if "the token is in" not in line]
    assert len(lines) == 1, done.stderr
    return lines[0]


# One server, asked about many things


def test_a_server_from_its_start_to_its_end(tmp_path: Path) -> None:
    warehouse = tmp_path / "warehouse"
    with rest_server(warehouse) as server:
        token = server.token_file.read_text().strip()
        ask = Asking(server.uri, token)
        assert server.uri.startswith("http://127.0.0.1:")
        assert ask("GET", "/healthz", authorization="").status == 200
        assert ask.get("/databases/missing?pageToken=in-the-query").status == 404
        assert ask("GET", "/a%0d%0aforged%1b[2J").status == 404
        command = Path(f"/proc/{server.process.pid}/cmdline").read_bytes()
        assert token.encode() not in command
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0
        with pytest.raises(OSError, match="refused"):
            ask("GET", "/healthz")
    lines = [json.loads(line) for line in server.log.read_text().splitlines()]
    assert [line["status"] for line in lines] == [200, 404, 404]
    assert lines[1]["path"] == "/v1/paimon/databases/missing"
    assert set(lines[1]) == {
        "time", "level", "request", "method", "path", "status", "ms", "bytes_in", "bytes_out", "client",
    }  # fmt: skip
    text = server.log.read_text()
    assert token not in text
    assert "in-the-query" not in text
    assert "\x1b" not in text


def test_several_servers_of_one_warehouse_share_one_token(tmp_path: Path) -> None:
    warehouse = tmp_path / "warehouse"
    command = [sys.executable, "-m", "spark_paimon", "serve", "--warehouse", str(warehouse)]
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        for _ in range(3)
    ]
    try:
        uris = [json.loads(process.stdout.readline())["uri"] for process in started if process.stdout]
        token_file = warehouse / TOKEN_FILE
        assert stat.S_IMODE(token_file.stat().st_mode) == 0o600
        assert [path.name for path in token_file.parent.glob("*token*")] == ["server.token"]
        asking = [Asking(uri, token_file.read_text().strip()) for uri in uris]
        assert len(set(uris)) == 3
        assert asking[0].post("/databases", {"name": "shared"}).status == 200
        assert [ask.get("/databases/shared").status for ask in asking] == [200, 200, 200]
    finally:
        for process in started:
            process.send_signal(signal.SIGINT)
        ends = [process.communicate(timeout=30) for process in started]
    assert [process.returncode for process in started] == [0, 0, 0]
    assert all(f"the token is in {token_file}" in said for _, said in ends)


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    warehouse = tmp_path / "warehouse"
    with rest_server(warehouse) as server:
        ask = Asking(server.uri, server.token_file.read_text())
        with ask.connection() as unfinished:
            unfinished.sendall(
                f"POST /v1/paimon/databases HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ask.token}\r\n"
                "Content-Length: 10\r\nExpect: 100-continue\r\n\r\n".encode()
            )
            assert unfinished.recv(65536).startswith(b"HTTP/1.1 100")
            server.process.send_signal(signal.SIGTERM)
            with pytest.raises(subprocess.TimeoutExpired):
                server.process.wait(1)
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(5) == 1


def test_what_was_answered_survives_being_killed(tmp_path: Path) -> None:
    """Batches are there as a whole or not at all; those that were answered are there."""
    warehouse = tmp_path / "warehouse"
    answered: list[int] = []
    with rest_server(warehouse) as server:
        ask = Asking(server.uri, server.token_file.read_text())
        create_table(ask, "default", "t")

        def register(worker: int) -> None:
            for number in range(worker, 100_000, 4):
                specs = [{"dt": f"d{number}", "hh": str(hour)} for hour in range(20)]
                try:
                    status = ask.post(
                        "/databases/default/tables/t/partitions", {"partitionSpecs": specs}
                    ).status
                except (OSError, http.client.HTTPException):
                    return  # killed before or within its answer
                if status == 200:
                    answered.append(number)

        workers = [threading.Thread(target=register, args=(number,)) for number in range(4)]
        for worker in workers:
            worker.start()
        while len(answered) < 20:
            time.sleep(0.02)
        server.process.kill()
        for worker in workers:
            worker.join(60)
    with EmbeddedCatalog({"warehouse": str(warehouse)}) as catalog:
        counts: dict[str, int] = {}
        for partition in catalog.list_partitions("default.t"):
            counts[partition.spec["dt"]] = counts.get(partition.spec["dt"], 0) + 1
    assert set(counts.values()) == {20}
    assert set(counts) >= {f"d{number}" for number in answered}


def test_a_password_of_the_database_appears_nowhere(tmp_path: Path) -> None:
    url = "postgresql://me:hunter%40two@127.0.0.1:1/x"
    file = tmp_path / "url"
    file.write_text(url + "\n")
    warehouse = str(tmp_path / "w")
    for said in (
        refusal("--warehouse", warehouse, SPARK_PAIMON_DATABASE_URL=url),
        refusal("--warehouse", warehouse, "--database-url-file", str(file)),
    ):
        assert "CATALOG_DATABASE_FAILED" in said
        assert "hunter" not in said


# What does not start


def test_what_cannot_be_is_said_in_one_line(tmp_path: Path) -> None:
    warehouse = str(tmp_path / "w")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = refusal("--warehouse", warehouse, "--port", port)
    assert "SERVER_CANNOT_LISTEN" in said
    assert port in said
    assert "SERVER_EXPOSED" in refusal("--warehouse", warehouse, "--host", "0.0.0.0")
    file = tmp_path / "file"
    file.write_text("")
    file.chmod(0o600)
    assert str(file) in refusal("--warehouse", str(file))
    assert str(file) in refusal("--warehouse", warehouse, "--token-file", str(file))
    assert "No such file" in refusal("--warehouse", warehouse, "--token-file", str(tmp_path / "missing"))


def test_without_the_extra_the_way_to_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ModuleNotFoundError(name='uvicorn')")
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    said = refusal("--warehouse", str(tmp_path / "w"), PYTHONPATH=path)
    assert "pip install 'spark-paimon[server]'" in said


@pytest.mark.parametrize("port", ["-1", "65536", "x", "1.5"])
def test_ports_that_are_none(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    from spark_paimon.cli import main

    with pytest.raises(SystemExit) as ended:
        main(["serve", "--warehouse", "w", "--port", port])
    assert ended.value.code == 2
    assert port in capsys.readouterr().err


# Where it listens


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.9.9.9"])
def test_this_machine_is_safe(host: str) -> None:
    check(Address(host), token_given=False)


@pytest.mark.parametrize("host", ["", "0.0.0.0", "::", "192.0.2.1", "8.8.8.8", "2001:db8::1"])
def test_others_need_tls_and_a_token_or_a_proxy(host: str, certificate: tuple[str, str]) -> None:
    for unsafe in (Address(host), Address(host, 0, *certificate)):
        with pytest.raises(errors.InvalidInputError) as refused:
            check(unsafe, token_given=False)
        assert refused.value.condition == "SERVER_EXPOSED"
    with pytest.raises(errors.InvalidInputError):
        check(Address(host), token_given=True)
    check(Address(host, 0, *certificate), token_given=True)
    check(Address(host, behind_proxy=True), token_given=False)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A certificate for this machine, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    names = str(folder / "certificate.pem"), str(folder / "key.pem")
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    command += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", names[0], "-keyout", names[1]]
    subprocess.run(command, check=True, capture_output=True)
    return names


def test_certificates_that_do_not_work(certificate: tuple[str, str], tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("nonsense")
    locked = tmp_path / "locked"
    command = [
        "openssl",
        "rsa",
        "-aes128",
        "-passout",
        "pass:word",
        "-in",
        certificate[1],
        "-out",
        str(locked),
    ]
    subprocess.run(command, check=True, capture_output=True)
    for pair in (
        (certificate[0], None),
        (None, certificate[1]),
        (str(broken), certificate[1]),
        (certificate[0], str(broken)),
        (certificate[0], str(locked)),
        (certificate[0], str(tmp_path / "missing")),
        (certificate[1], certificate[0]),
    ):
        with pytest.raises(errors.InvalidInputError) as refused:
            check(Address("127.0.0.1", 0, *pair), token_given=True)
        assert refused.value.condition == "SERVER_TLS_INVALID"


def test_tls(tmp_path: Path, certificate: tuple[str, str]) -> None:
    import requests

    arguments = ("--tls-certificate", certificate[0], "--tls-key", certificate[1])
    with rest_server(tmp_path / "warehouse", *arguments) as server:
        assert server.uri.startswith("https://127.0.0.1:")
        assert not Asking(server.uri, "").raw(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").startswith(b"HTTP")
        with requests.Session() as session:
            session.headers["Authorization"] = f"Bearer {server.token_file.read_text()}"
            answer = session.get(f"{server.uri}/v1/config", verify=certificate[0], timeout=30)
            assert answer.status_code == 200
            # A connection that the client keeps does not keep the server.
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(10) == 0


# Tokens


def test_a_token_is_made_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tokens: list[str] = []
    start = threading.Barrier(8)

    def make() -> None:
        start.wait()
        tokens.append(token_of(f"file:{tmp_path}", None))

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tokens) == 8
    assert len(set(tokens)) == 1
    assert len(tokens[0]) >= 43
    said = capsys.readouterr()
    assert tokens[0] not in said.out + said.err
    assert stat.S_IMODE((tmp_path / TOKEN_FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "content", [b"", b" \n", b"a b", b"a\nb", b"\xff\xfe", "é".encode(), b"a\x00b", b"x" * 100_000]
)
def test_files_that_hold_no_token(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)
    file.chmod(0o600)
    with pytest.raises(errors.InvalidInputError) as refused:
        token_of("file:/w", str(file))
    assert refused.value.condition == "SERVER_TOKEN_INVALID"


def test_a_token_that_others_can_write_is_refused_and_read_is_warned_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "token"
    file.write_text("secret\n")
    for mode, condition in ((0o660, "SERVER_TOKEN_OPEN"), (0o602, "SERVER_TOKEN_OPEN")):
        file.chmod(mode)
        with pytest.raises(errors.InvalidInputError) as refused:
            token_of("file:/w", str(file))
        assert refused.value.condition == condition
    file.chmod(0o644)
    assert token_of("file:/w", str(file)) == "secret"
    assert "chmod 600" in capsys.readouterr().err
    file.chmod(0o400)
    assert token_of("file:/w", str(file)) == "secret"
    assert capsys.readouterr().err == ""


def test_a_warehouse_elsewhere_needs_a_token_file() -> None:
    with pytest.raises(errors.InvalidInputError) as refused:
        token_of("s3://bucket/w", None)
    assert refused.value.condition == "SERVER_TOKEN_NEEDED"
