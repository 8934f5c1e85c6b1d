"""Checks of `npm run api-test` that schemathesis does not have (docs/testing.md)."""

import re

import schemathesis

# Refusals of requests that fit their schema: the name of the field, and what the answer says about it. JSON Schema cannot
# say them, because they depend on stored records, on the time, on two values together, or on a size in bytes.
OUTSIDE_OF_SCHEMAS = re.compile(
    "|".join(
        [
            # Stored records.
            r"^[^:]*: .*(does not exist|already exists|is archived|begin with it|last admin)",
            r"^included_environments: Only a logical environment",
            r"^attachments\[\d+\]: Unknown attachment",
            r"^query\.cursor: Input should be the next_cursor of a page",
            r"^(artifact_fingerprint|target_artifacts\S*|fingerprint): .*not in the trail",
            r"^Idempotency-Key: Should be a new key for a new request",
            r"^service_account: (There is no such service account|The service account is admin)",
            r"^privilege: Pipelines act as this service account",
            r"^rules\[\d+\]\.(domain|group): The (domain|group) is not granted to the organization",
            r"^message: There are \d+ open invitations",
            r"^message: .*is a logical environment",
            r"^type: The type of an environment never changes",
            # Which trust accepts a token, and what an issuer signed.
            r"^message: (No trust of the organization accepts|The token is refused)",
            # The time of the request.
            r"^(expires_at|grace_period_hours|recorded_at): .*in the (past|future)",
            # Two values together.
            r"^query\.(start_ts|end_ts): .*(than or equal to end_ts|later than end_ts|at most 366 days)",
            r"^query\.search: Cannot be combined with 'name'",
            r"^query\.(flow|trail|moment|environment|snapshot|trigger|fingerprint): Field required",
            r"^query\.cursor: Only pages by name or state have cursors",
            r"^query\.page: (Events of repositories are shown up to the 10000th|Pages by name)",
            r"^query\.\w+: Name (one|an) event",
            r"^query\.per_page: .* with states",
            r"^message: Cannot specify both 'environment_name' and 'policy_name'",
            r"^git_commit: Input should be git_commit_info\.sha1",
            r"^jira_results: Input should be the same list as issue_tracker_results",
            r"^targets\[\d+\]: Target has the same address as",
            # The digest of a file beside it.
            r"^attestation_data\.original_fingerprint: Input should be the SHA-256 of an attached file",
            r"^targets\[\d+\]\.secret: All webhook targets of an action share one secret",
            r"^attachment\S*: At most 20 files",
            # What a bundle is about, and whose signature it has to be.
            r"^bundle_file: (The file is|The file has|No subject of the bundle|Field required)",
            r"^signer: There is no such signer",
            r"^attachments: Send one file",
            # Preset, issuer and claims of a trust together.
            r"^preset: Everybody can get tokens of this issuer",
            r"^claims.*: (Bind |Each pattern|A claim that names|'\*' is possible|The service compares|There should be|With '\*' in repository)",
            r"^issuer: This preset has no issuer",
            # How a part of a form is sent: the tester sends parts that only a pattern names without a file name.
            r"^attachment_file\.\d+: The part '[^']*' is a text, not a file",
            # How a field of a form is sent: the tester repeats an unknown field whose value is a list.
            r"^.*: The field occurs more than once",
            # Sizes in bytes.
            r"^[^:]*: .*at most \d+ bytes",
            # Addresses: what a URL parser accepts, and where it leads.
            r"^targets\[\d+\]\.webhook: (Input should be a valid URL|URL should not lead to a private)",
            r"^issuer: (Input should be a valid URL|URL |An issuer has neither)",
            r"^\S*url: Input should be an address without a password",
            # Requests of logs to the witness, in a format of lines.
            r"^message: (The (request|note|proof|last signature) |Line \d+ of the request |Signature line )",
            # Programs of custom types, in the language of jq.
            r"^(summary|evaluator)\S*: .*not valid jq",
        ]
    ),
    # Texts quote the input, which may have line breaks.
    re.DOTALL,
)
# Fields that hold a document in a language of its own: YAML, JSON Schema.
DOCUMENTS = ("template_file", "policy_file", "type_schema", "artifacts", "_schema", "attestation_data")


@schemathesis.hook
def filter_path_parameters(ctx, path_parameters):
    """The gateway cuts a path at an encoded question mark, so that another operation gets the request."""
    return not path_parameters or not any(re.search(r"\?|%3F", str(value)) for value in path_parameters.values())


@schemathesis.check
def schema_true_requests_are_accepted(ctx, response, case):
    """A request that fits its schema may be refused only for a reason that no schema can say."""
    if response.status_code != 400 or not case.meta or not case.meta.generation.mode.is_positive:
        return
    body = response.json()
    problems = body.get("errors") or {"message": body["message"]}
    for name, text in problems.items():
        is_document = name.startswith(DOCUMENTS) and case.media_type == "multipart/form-data"
        if not is_document and not OUTSIDE_OF_SCHEMAS.search(f"{name}: {text}"):
            raise AssertionError(f"The request fits its schema, but was refused: {name}: {text}")
