import type { Release } from '#shared/base/release.ts';
import { type BagCounts, instantText, releaseFields } from './bag-texts.ts';

/** The texts of a package of evidence, which is a BagIt bag like an export (rules/exports.md#packages). */

/** Version of the format of packages. A verifier reads one version only. */
export const PACKAGE_FORMAT = '1';

interface PackageFieldFacts {
  name: string;
  /** What the package is about, as one line. */
  about: string;
  date: string;
  log: { origin: string; size: number; root: string };
  release?: Release | undefined;
}

/** Returns the fields of `bag-info.txt` of a package in their order. */
export const packageFields = (
  { name, about, date, log, release }: PackageFieldFacts,
  { files, payload }: BagCounts,
): [field: string, value: string][] => [
  ['Source-Organization', name],
  ['Bagging-Date', date],
  ['External-Description', about],
  ['Payload-Oxum', `${payload}.${files}`],
  ['Package-Format', PACKAGE_FORMAT],
  ['Log-Origin', log.origin],
  ['Log-Size', String(log.size)],
  ['Log-Root-SHA256', log.root],
  ...(release ? releaseFields(release) : []),
];

interface PackageFacts extends Omit<PackageFieldFacts, 'date'> {
  /** Microseconds. */
  started: number;
}

/** Returns the text of `bag-info.txt` of a package. */
export const packageInfo = ({ started, ...facts }: PackageFacts, counts: BagCounts): string =>
  fieldsText(packageFields({ ...facts, date: instantText(started).slice(0, 10) }, counts));

const fieldsText = (fields: readonly [field: string, value: string][]): string =>
  fields.map(([field, value]) => `${field}: ${value}\n`).join('');

interface ReadmeFacts {
  name: string;
  about: string;
  started: number;
  log: { origin: string; size: number; coversStart: boolean };
}

const COVERS = 'It covers all records of this package.';
const LACKS =
  'It does not cover all records of this package, because no newer checkpoint met the policy within five minutes. Records without `log_index` are not proved.';

export const packageReadme = ({ name, about, started, log }: ReadmeFacts): string => `# Evidence: ${about}

This folder holds delivery evidence of the organization \`${name}\` about the ${about}. It was put together at ${instantText(started)}.
Its format has the version ${PACKAGE_FORMAT}.

The records are proved by the checkpoint of size ${log.size} of the log \`${log.origin}\`. ${log.coversStart ? COVERS : LACKS}

| Path | Holds |
|---|---|
| \`data/records/moments-<number>.ndjson\` | what was accepted in the trails: begin, attestations, reports of artifacts. One JSON document per line |
| \`data/records/snapshots-<number>.ndjson\` | snapshots of environments: what ran, and the verdicts |
| \`data/records/evaluations-<number>.ndjson\` | evaluations of policy programs with their inputs and results |
| \`data/receipts/<log_index>.tlog-proof\` | the proof that a record is in the log: the entry, the hashes up to the root, the signed checkpoint |
| \`data/files/<sha-256>\` | attachments of attestations |
| \`data/statements/<id>.sigstore.json\` | signed statements about the verdict, with their proofs in the log |
| \`data/log/checkpoint\` | the signed checkpoint |
| \`data/keys/\` | public keys, a policy file and a trusted root, for comparison |

A line has \`header\`, the header of its entry, and \`texts\`, the texts under the commitments of the header. A commitment is the HMAC-SHA-256
of the text, with the salt as the key. A text that was erased has \`erased\`. \`files\` and \`findings\` are under the commitments that the text
\`record\` repeats. What is erased from the service later stays in this package.

## Check it

\`\`\`console
node data/verify.mjs . --log-key KEY --statement-key FILE_WITH_THE_KEY_OF_STATEMENTS
sha256sum --check --quiet manifest-sha256.txt tagmanifest-sha256.txt
\`\`\`

\`data/verify.mjs\` needs Node 20.12 or newer and nothing else. A verifier or a key that comes with the evidence proves nothing: take the key
from the operator of the service, and compare the SHA-256 of \`data/verify.mjs\` with the one that the release of the service names.

The verifier checks that nothing here was changed since it was logged. It cannot check that nothing was left out: which records a package
holds is the choice of the service. Ask for an export of the whole organization if that matters.
`;
