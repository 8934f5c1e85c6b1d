import { sentence } from '#shared/base/errors.ts';

/** Every sentence of the contract, word for word, in one place. Blanks in braces are filled by the thrower. */

// Any endpoint (API document «Authentication», «Errors»; semantics §12.5, §16.4; wire admin §1.8)
const challenge = { 'www-authenticate': 'Bearer realm="api", Basic realm="api"' };
export const authenticationRequired = sentence(401, 'Authentication required', challenge);
export const invalidKey = sentence(401, 'Invalid or expired API key', challenge);
export const permissionDenied = sentence(403, "You don't have permission to access this resource");
export const featureOff = sentence(403, 'Forbidden');
export const notFound = sentence(404, 'Not Found');
export const busy = sentence(503, 'Service unavailable', { 'retry-after': '1' });
export const conflict = sentence(409, 'Another request is changing this resource. Try again', { 'retry-after': '1' });
export const internal = sentence(500, 'Internal server error');
export const responseTooLarge = sentence(
  406,
  'The answer is larger than 5.5 MB. Ask for fewer records with page and per_page, or send Accept-Encoding: gzip',
);
export const inlineFileTooLarge = sentence(
  413,
  'Request too large. Upload files above 4 MB with POST /attachments/{org} and name them in attachments',
);
export const attachmentTooLarge = sentence(413, 'An attachment may have at most 10 MB (10485760 bytes)');
export const idempotencyMismatch = sentence(
  400,
  'This Idempotency-Key was used with another request body in the last 24 hours',
);

// Flows (wire flows §3, §11)
export const flowNotFound = sentence(404, 'Flow not found');
export const unknownFlow = sentence(404, "Flow named '{flow}' does not exist for organization '{org}'");

// Trails (wire flows §4, §11)
export const unknownTrail = sentence(
  404,
  "Trail with name '{trail}' does not exist for Organization '{org}' and Flow '{flow}'",
);
export const momentsNotFound = sentence(404, 'Flow, trail or moment series not found');

// Repositories and search (wire flows §8, U27)
export const severalRepos = sentence(
  400,
  "Multiple repos named '{repo}' exist ({providers}). Specify the 'provider' of the one that you want, or its 'id'",
);
export const noMatches = sentence(404, "No matches for '{sha}'.");

// Artifacts (wire flows §5, §11)
export const artifactNotInFlow = sentence(
  404,
  "Artifact with fingerprint '{fingerprint}' does not exist in flow '{flow}' belonging to organization '{org}'",
);
export const artifactNotInOrg = sentence(
  404,
  "Artifact with fingerprint '{fingerprint}' does not exist in organization '{org}'",
);
export const artifactNotInTrail = sentence(
  404,
  'Artifact with fingerprint {fingerprint} does not exist in trail "{trail}" of flow "{flow}" belonging to organization "{org}"',
);
export const unknownRepo = sentence(404, "Repo '{repo}' not found");
export const environmentAndPolicy = sentence(
  400,
  "Cannot specify both 'environment_name' and 'policy_name' at the same time",
);

// Attestations (wire flows §6.3, §7)
export const attestationNotFound = sentence(404, 'Attestation not found');
export const attachmentNotFound = sentence(404, 'Attachment not found');

// Custom attestation types (wire admin §6)
export const unknownType = sentence(404, "Custom attestation type '{type}' does not exist for org '{org}'");
export const archivedType = sentence(400, "Custom attestation type '{type}' is archived for org '{org}'");
export const unknownTypeVersion = sentence(
  404,
  "version {version} does not exist for custom attestation type '{type}'",
);

// Actions and deliveries (API document «Errors»; wire admin §11)
export const actionNotFound = sentence(404, 'Action not found');
export const deliveryNotFound = sentence(404, 'Delivery not found');

// Environments and policies (wire flows §11)
export const unknownEnvironment = sentence(404, "Environment named '{env}' does not exist for organization '{org}'");
export const archivedEnvironment = sentence(
  404,
  "Environment named '{env}' has been archived for organization '{org}'",
);
export const reportToLogical = sentence(400, 'cannot report a snapshot to the logical environment {env}');
export const reportOfOtherKind = sentence(
  400,
  "Environment '{env}' is of type {type}: it takes no report of type {given}",
);
export const unknownPolicy = sentence(404, "Policy '{policy}' does not exist in organization '{org}'");

// Snapshots (wire environments §4.1, §12; semantics §13.1)
export const snapshotOutOfRange = sentence(
  404,
  "Org: '{org}'. Snapshot '{label}' resolves to '{env}#{index}'. len(snapshots) == {count}. Indexes are 1-based",
);
export const severalMarks = sentence(
  400,
  "invalid expression: {expression}. Only one of '@', '~' or '#' can be present",
);
export const invalidExpression = sentence(
  400,
  'invalid expression: {expression}. It should be a snapshot index, #N, ~N, @{YYYY-MM-DDTHH:MM:SS} or @{N.<units>.ago}',
);

// Controls (API document «Errors»; wire admin §3, §11)
export const unknownControl = sentence(404, "Control '{control}' does not exist in organization '{org}'");
/** The quotation marks around it are the contract's (wire admin §9). */
export const unknownControlTagged = sentence(404, "\"Control '{control}' does not exist in organization '{org}'\"");
export const controlOrVersionNotFound = sentence(404, 'Control or version not found');
export const controlExists = sentence(
  409,
  "A control with identifier '{control}' already exists in organization '{org}'",
);
export const controlArchived = sentence(
  400,
  "Control '{control}' is archived in organization '{org}'. Unarchive it before changing it",
);

// Service accounts, keys, members (wire admin §7, §8, §11, §12 rows 20, 21, 25)
export const accountNotFound = sentence(404, 'Service account not found');
export const keyNotFound = sentence(404, 'API key not found');
export const personalOrganization = sentence(
  400,
  "'{org}' is a personal organization: only shared organizations have service accounts",
);
export const tooManyKeys = sentence(400, 'There are {count} active API keys, the most there can be. Delete one first');
export const accessDenied = sentence(403, 'Access denied to {path}');
export const userNotFound = sentence(404, 'User not found');
export const lastAdmin = sentence(400, "'{user}' is the last admin of organization '{org}', which needs one");
export const ownerOfPersonal = sentence(400, "'{user}' stays admin of the personal organization '{org}'");

// Evaluations (API document «Errors»)
export const evaluationNotFound = sentence(404, 'Evaluation not found');
export const nothingToReplay = sentence(
  400,
  'This evaluation has no outcome of its policy yet, or what it was given is gone: there is nothing to replay',
);
