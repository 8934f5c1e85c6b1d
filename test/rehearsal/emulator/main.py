"""
Runs moto's server on the loopback interface, and answers calls of services on the standard input: one JSON object a line.

The process ends when its input ends, so it cannot outlive the rehearsal.
"""

import json
import logging
import os
import sys

for name in [name for name in os.environ if name.startswith("AWS_")]:
    del os.environ[name]
# A file that is not there: nothing of the person who rehearses is read.
NO_FILE = os.path.join(os.path.dirname(sys.argv[1]), "no-configuration")
os.environ.update(
    AWS_ACCESS_KEY_ID="rehearsal",
    AWS_SECRET_ACCESS_KEY="rehearsal",
    AWS_CONFIG_FILE=NO_FILE,
    AWS_SHARED_CREDENTIALS_FILE=NO_FILE,
    AWS_EC2_METADATA_DISABLED="true",
    NO_PROXY="127.0.0.1",
)

import boto3  # noqa: E402
from botocore.config import Config  # noqa: E402
from botocore.exceptions import ClientError, ParamValidationError  # noqa: E402
from moto.core.config import default_user_config  # noqa: E402
from moto.moto_api._internal import moto_api_backend  # noqa: E402
from moto.server import ThreadedMotoServer  # noqa: E402

import engine  # noqa: E402
import missing  # noqa: E402
import service_types  # noqa: E402, F401
import stateful_types  # noqa: E402, F401
import watch_types  # noqa: E402, F401


# moto asks for Docker as soon as a function is made, even if no function ever runs.
default_user_config["lambda"]["use_docker"] = False
# One line for each call would hide what failed.
logging.getLogger("werkzeug").setLevel(logging.ERROR)


class Services:
    """Clients of the emulated services, by region and service."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.clients = {}

    def client(self, region: str, service: str):
        key = (region, service)
        if key not in self.clients:
            # A second attempt of an update would hide why the first one failed.
            config = Config(retries={"total_max_attempts": 1}, read_timeout=600)
            self.clients[key] = boto3.client(service, region_name=region, endpoint_url=self.endpoint, config=config)
        return self.clients[key]

    def call(self, region: str, service: str, operation: str, **parameters):
        """Calls an operation. All pages of a list are one answer."""
        client = self.client(region, service)
        if client.can_paginate(operation):
            return client.get_paginator(operation).paginate(**parameters).build_full_result()
        answer = getattr(client, operation)(**parameters)
        answer.pop("ResponseMetadata", None)
        return answer


def encoded(value) -> str:
    """Bodies of objects are streams, and dates have no form in JSON."""
    return value.read().decode() if hasattr(value, "read") else str(value)


def answer_to(services: Services, request: dict) -> dict:
    if request["operation"] == "reset":
        moto_api_backend.reset()
        return {"result": None}
    try:
        result = services.call(request["region"], request["service"], request["operation"], **request["parameters"])
    except ClientError as error:
        return {"error": {"code": error.response["Error"]["Code"], "message": str(error)}}
    except ParamValidationError as error:
        return {"error": {"code": "ParamValidation", "message": str(error)}}
    return {"result": result}


def main() -> None:
    # What the server prints must not come between the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    services = Services(f"http://{host}:{port}")
    missing.install()
    with open(sys.argv[1], encoding="utf8") as file:
        engine.install(services, json.load(file))
    print(json.dumps({"endpoint": services.endpoint}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer_to(services, json.loads(line)), default=encoded), file=answers, flush=True)
    server.stop()


main()
