import { sentence } from '#shared/base/errors.ts';

// Flows (rules/flows.md#flow-errors)
export const flowNotFound = sentence('not-found', 'Flow not found');
export const unknownFlow = sentence('not-found', "Flow named '{flow}' does not exist for organization '{org}'");

// Trails (rules/trails.md#trail-errors)
export const unknownTrail = sentence(
  'not-found',
  "Trail with name '{trail}' does not exist for Organization '{org}' and Flow '{flow}'",
);
export const unknownMoment = sentence(
  'not-found',
  "Trail '{trail}' of flow '{flow}' in organization '{org}' has no moment {number}",
);
export const momentsNotFound = sentence('not-found', 'Flow, trail or moment series not found');

// Repositories and search (rules/lookups.md#get-a-repository, rules/lookups.md#search)
export const severalRepos = sentence(
  'invalid',
  "Multiple repos named '{repo}' exist ({providers}). Specify the 'provider' of the one that you want, or its 'id'",
);
export const noMatches = sentence('not-found', "No matches for '{sha}'.");

// Artifacts (rules/artifacts.md#errors-of-artifacts)
export const artifactNotInFlow = sentence(
  'not-found',
  "Artifact with fingerprint '{fingerprint}' does not exist in flow '{flow}' belonging to organization '{org}'",
);
export const artifactNotInOrg = sentence(
  'not-found',
  "Artifact with fingerprint '{fingerprint}' does not exist in organization '{org}'",
);
export const artifactNotInTrail = sentence(
  'not-found',
  'Artifact with fingerprint {fingerprint} does not exist in trail "{trail}" of flow "{flow}" belonging to organization "{org}"',
);
export const unknownRepo = sentence('not-found', "Repo '{repo}' not found");

// Attestations (rules/attestations.md#errors-of-attestations)
export const attestationNotFound = sentence('not-found', 'Attestation not found');
export const attachmentNotFound = sentence('not-found', 'Attachment not found');
export const attachmentErased = sentence('gone', 'This attachment was erased at {at}: {reason}');

// Custom attestation types (rules/attestations.md#errors-of-types)
export const unknownType = sentence('not-found', "Custom attestation type '{type}' does not exist for org '{org}'");
export const archivedType = sentence('invalid', "Custom attestation type '{type}' is archived for org '{org}'", {
  errors: { type_name: 'Should be a type that is not archived [input: {type}]' },
});
export const unknownTypeVersion = sentence(
  'not-found',
  "version {version} does not exist for custom attestation type '{type}'",
);
