"""The five minutes of the README, with the generated client. Prints what the service says, a line for each step."""

import time
from hashlib import sha256
from io import BytesIO
from os import environ

from evidence import AuthenticatedClient
from evidence.api.artifacts import report_artifact
from evidence.api.asserts import assert_artifact
from evidence.api.attestations import attest_generic
from evidence.api.environments import get_environment, put_environment, report_docker
from evidence.api.evaluations import get_evaluation, replay_evaluation, request_evaluation
from evidence.api.flows import get_flow, put_flow_with_template
from evidence.api.policies import put_policy
from evidence.api.snapshots import get_snapshot, list_snapshots
from evidence.api.statements import get_package, start_package
from evidence.api.trails import begin_trail, get_trail, list_trail_moments
from evidence.models import (
    ArtifactReport,
    AttestGenericFilesBody,
    BeginTrailBody,
    CreateEnvironmentPutInput,
    CreateEnvironmentPutInputType,
    Error,
    EvaluationRequest,
    FlowForm,
    GenericAttestation,
    PackageOfTrail,
    PolicyReport,
    PutFlowWithTemplateBody,
    PutPolicyBody,
    ReportOfContainers,
    TrailReport,
)
from evidence.types import File

ORG = "demo"
name = environ["NAME"]
flow, env, policy = f"web-{name}", f"prod-{name}", f"strict-{name}"
fingerprint = sha256(name.encode()).hexdigest()
client = AuthenticatedClient(base_url=environ["API"], token=environ["KEY"])


def file(text: str, file_name: str) -> File:
    return File(payload=BytesIO(text.encode()), file_name=file_name)


def known(answer):
    """The answer of a step that must not be refused."""
    if answer is None or isinstance(answer, Error):
        raise SystemExit(f"The service refused: {answer}")
    return answer


def attest(attestation: str, artifact: str | None, **files: File) -> str:
    document = GenericAttestation(attestation_name=attestation, artifact_fingerprint=artifact, is_compliant=True)
    body = AttestGenericFilesBody(data_json=document, **files)
    return known(attest_generic.sync(ORG, flow, "release-1", client=client, body=body))


def report() -> str:
    artifacts = [{"digests": {"app": fingerprint}, "creationTimestamp": 1795000000}]
    return known(report_docker.sync(ORG, env, client=client, body=ReportOfContainers.from_dict({"artifacts": artifacts})))


template = file(environ["TEMPLATE"], "template.yml")
form = FlowForm(name=flow, description="The web shop")
print("flow", known(put_flow_with_template.sync(ORG, client=client, body=PutFlowWithTemplateBody(form, template))))

begun = known(begin_trail.sync(ORG, flow, client=client, body=BeginTrailBody(TrailReport(name="release-1"))))
artifact = ArtifactReport(
    trail_name="release-1",
    template_reference_name="app",
    filename="app.tar",
    fingerprint=fingerprint,
    git_commit="0f2ea3f6c0b8e1f6d8f0a2c4e6a8c0e2f4a6b8d0",
    build_url="https://ci.example.com/1",
    commit_url="https://git.example.com/c/0f2ea3f",
)
reported = known(report_artifact.sync(ORG, flow, client=client, body=artifact))
tested = attest("unit-tests", fingerprint, attachment_file=file("passed", "tests.txt"))
print("evidence", begun, reported, tested)


def state() -> str:
    return known(get_trail.sync(ORG, flow, "release-1", client=client)).compliance_state


asserted = known(assert_artifact.sync(ORG, fingerprint, client=client, flow_name=flow))
print("trail", state(), "released", str(asserted.compliant).lower())

body = PutPolicyBody(PolicyReport(name=policy), file(environ["POLICY"], "policy.yml"))
saved = known(put_policy.sync(ORG, client=client, body=body))
environment = CreateEnvironmentPutInput(name=env, type_=CreateEnvironmentPutInputType.DOCKER, policies=[policy])
made = known(put_environment.sync(ORG, client=client, body=environment))
print("environment", saved, made, report())
first = known(get_snapshot.sync(ORG, env, "-1", client=client))
print("snapshot", first.index, str(first.compliant).lower())

attest("review", None)
print("trail", state())
while known(get_environment.sync(ORG, env, client=client)).state is not True:
    report()
    time.sleep(1)
snapshots = known(list_snapshots.sync(ORG, env, client=client))
print("snapshots", *(f"{one.index} {str(one.compliant).lower()}" for one in snapshots))

request = EvaluationRequest.from_dict(
    {
        "context": {"trails": [{"flow": flow, "trail": "release-1"}]},
        "policy": {"files": {"policy.rego": environ["PROGRAM"]}},
    }
)
evaluation = known(request_evaluation.sync(ORG, client=client, body=request)).id
while (evaluated := known(get_evaluation.sync(ORG, evaluation, client=client))).status == "pending":
    time.sleep(1)
replay = known(replay_evaluation.sync(ORG, evaluation, client=client))
print("evaluation", evaluated.status, str(evaluated.result.allow).lower(), "identical", str(replay.identical).lower())

moments = known(list_trail_moments.sync(ORG, flow, "release-1", client=client)).moments
print("moments", *(moment.moment_number for moment in moments))

wanted = PackageOfTrail(type_="trail", flow=flow, trail="release-1")
package = known(start_package.sync(ORG, client=client, body=wanted)).id
while (found := known(get_package.sync(ORG, package, client=client))).state == "running":
    time.sleep(1)
print("package", found.state)

refused = get_flow.sync(ORG, "none", client=client)
print("refused", isinstance(refused, Error) and refused.message)
