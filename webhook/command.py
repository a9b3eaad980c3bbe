"""``raylint webhook``: its sub-commands. What they need is imported when one runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from raylint.errors import UsageError

__all__ = ["main"]

EXTRA = "raylint[webhook]"


def main(words: Sequence[str]) -> int:
    """Run the words that follow ``raylint webhook``; the exit code. UsageError: something is missing or wrong."""
    parser = _parser()
    try:
        options = parser.parse_args(words)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 2
    return _bootstrap(options) if options.command == "bootstrap-certs" else _serve(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "raylint webhook", description="The validating admission webhook.", allow_abbrev=False
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    serve = commands.add_parser("serve", help="serve admission reviews over TLS", allow_abbrev=False)
    files = serve.add_argument_group("files, each looked at again every --poll seconds")
    files.add_argument("--tls-cert", required=True, metavar="FILE", help="certificate chain (PEM)")
    files.add_argument("--tls-key", required=True, metavar="FILE", help="its private key (PEM)")
    files.add_argument("--config", default="", metavar="FILE", help="configuration, with a section 'webhook'")
    files.add_argument(
        "--client-ca", default="", metavar="FILE", help="ask clients for a certificate of these CAs"
    )
    files.add_argument("--poll", type=float, default=5.0, metavar="SECONDS", help="default: %(default)s")
    tls = serve.add_argument_group("TLS")
    tls.add_argument("--tls-min-version", choices=("1.2", "1.3"), default="1.3", help="default: %(default)s")
    tls.add_argument(
        "--server-name", action="append", default=[], metavar="NAME", help="the certificate must hold it (repeat)"
    )
    tls.add_argument(
        "--client-name", action="append", default=[], metavar="NAME", help="the client's must hold it (repeat)"
    )
    ports = serve.add_argument_group("addresses")
    ports.add_argument("--host", default="0.0.0.0", help="default: %(default)s")
    ports.add_argument("--port", type=int, default=8443, help="default: %(default)s; 0: any that is free")
    ports.add_argument("--health-host", default="0.0.0.0", help="default: %(default)s")
    ports.add_argument(
        "--health-port", type=int, default=8081, help="/livez, /readyz, /metrics; default: %(default)s"
    )
    limits = serve.add_argument_group("limits")
    limits.add_argument("--max-body", type=int, default=4, metavar="MIB", help="1 to 7; default: %(default)s")
    limits.add_argument("--max-waiting", type=int, default=128, help="requests that wait; default: %(default)s")
    limits.add_argument(
        "--evaluation-timeout", type=float, default=2.0, metavar="SECONDS", help="default: %(default)s"
    )
    limits.add_argument(
        "--shutdown-delay", type=float, default=10.0, metavar="SECONDS", help="default: %(default)s"
    )
    limits.add_argument(
        "--receive-timeout", type=float, default=10.0, metavar="SECONDS", help="default: %(default)s"
    )
    limits.add_argument("--keep-alive", type=float, default=120.0, metavar="SECONDS", help="default: %(default)s")
    limits.add_argument("--max-connections", type=int, default=1000, help="default: %(default)s")
    limits.add_argument("--refuse-duplicate-keys", action="store_true", help="for tests: a second parsing")
    serve.add_argument("--log-level", choices=("debug", "info", "warning", "error"), default="info")
    _add_bootstrap(commands.add_parser("bootstrap-certs", help="make and renew certificates", allow_abbrev=False))
    return parser


def _add_bootstrap(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Make an authority and a certificate in two Secrets, and let API servers trust them. What is good is left"
        " as it is: run it again to renew."
    )
    parser.add_argument("--namespace", required=True, help="of the Service and of the Secrets")
    parser.add_argument("--service", required=True, metavar="NAME", help="what API servers call")
    parser.add_argument("--secret", required=True, metavar="NAME", help="gets tls.crt, tls.key and ca.crt")
    parser.add_argument("--ca-secret", required=True, metavar="NAME", help="gets the authority and its key")
    parser.add_argument("--configuration", default="", metavar="NAME",
                        help="the ValidatingWebhookConfiguration whose caBundle is to be written")  # fmt: skip
    parser.add_argument("--wait", type=float, default=0.0, metavar="SECONDS",
                        help="for what is not there yet; default: %(default)s")  # fmt: skip
    parser.add_argument("--kubeconfig", default="", metavar="FILE", help="outside of a pod")
    parser.add_argument(
        "--context", default="", metavar="NAME", help="of the kubeconfig; default: the current one"
    )


def _bootstrap(options: argparse.Namespace) -> int:
    try:
        from .bootstrap import Wanted, bootstrap
    except ModuleNotFoundError as error:
        raise UsageError(
            f"raylint webhook bootstrap-certs needs '{error.name}', which is not installed:"
            " pip install 'raylint[webhook,cluster]'"
        ) from None
    wanted = Wanted(
        namespace=options.namespace,
        service=options.service,
        secret=options.secret,
        authority_secret=options.ca_secret,
        configuration=options.configuration,
        wait=options.wait,
        kubeconfig=options.kubeconfig,
        context=options.context,
    )
    return bootstrap(wanted)


def _serve(options: argparse.Namespace) -> int:
    if not 1 <= options.max_body <= 7:
        raise UsageError("--max-body is 1 to 7 MiB: an API server sends no more")
    try:
        from .server import serve
        from .settings import MIB, Settings
    except ModuleNotFoundError as error:
        raise UsageError(
            f"raylint webhook needs '{error.name}', which is not installed: pip install '{EXTRA}'"
        ) from None
    settings = Settings(
        certificate=options.tls_cert,
        key=options.tls_key,
        host=options.host,
        port=options.port,
        health_host=options.health_host,
        health_port=options.health_port,
        config=options.config,
        tls_minimum=options.tls_min_version,
        server_names=tuple(options.server_name),
        client_ca=options.client_ca,
        client_names=tuple(options.client_name),
        poll=options.poll,
        receive_timeout=options.receive_timeout,
        keep_alive=options.keep_alive,
        evaluation_timeout=options.evaluation_timeout,
        shutdown_delay=options.shutdown_delay,
        max_body=options.max_body * MIB,
        max_waiting=options.max_waiting,
        max_connections=options.max_connections,
        refuse_duplicate_keys=options.refuse_duplicate_keys,
        log_level=options.log_level,
    )
    return serve(settings)
