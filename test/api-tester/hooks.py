"""Checks of `npm run api-test` that schemathesis does not have (docs/testing.md)."""

import re

import schemathesis

# What JSON Schema cannot say: records that must exist, texts in languages of their own, times, sizes in bytes.
OUTSIDE_OF_SCHEMAS = re.compile(
    "|".join(
        [
            r"does not exist",
            r"already exists",
            r"Unknown attachment",
            r"is archived",
            r"in the past",
            r"later than",
            r"next_cursor of a page",
            r"not in the trail",
            r"bytes",
            r"same address as",
            r"private, local or reserved",
            r"URL scheme should be",
            r"should not contain credentials",
            r"valid URL",
            r"e-mail address",
            r"last admin",
            r"At most 20 files",
            r"jq",
            r"UTF-8",
            r"Artifacts cannot have this name",
            r"This Idempotency-Key was used",
            r"begin with it",
            # Rules between query parameters.
            r"Cannot specify both",
            r"Cannot be combined with",
            r"at most 366 days",
            r"shown up to the 10000th",
            r"^query\.flow: Field required",
        ]
    )
)
# Fields that hold a document in a language of its own: YAML, JSON Schema, Rego.
DOCUMENTS = ("template_file", "policy_file", "type_schema", "policy.files", "artifacts", "_schema", "attestation_data")


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
