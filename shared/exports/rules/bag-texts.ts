/** The texts of an export: tag files of a BagIt bag (RFC 8493), and the description for readers. */

import type { Release } from '#shared/base/release.ts';

export const BAGIT_TXT = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n';

/** Version of the format of exports (rules/exports.md#format). A verifier reads one version only. */
export const EXPORT_FORMAT = '2';

interface PinnedSize {
  origin: string;
  size: number;
  /** In hex. */
  root: string;
  witnesses: readonly string[];
  coversStart: boolean;
}

interface BagFacts {
  name: string;
  /** Absent in exports that an older release began. */
  release?: Release | undefined;
  /** Microseconds. */
  started: number;
  log: PinnedSize;
}

/** Returns the text of `bag-info.txt`. @param counts files below `data/` and the sum of their bytes */
export const bagInfo = ({ name, started, log, release }: BagFacts, counts: BagCounts): string =>
  bagFields({ name, date: instantText(started).slice(0, 10), log, release }, counts)
    .map(([field, value]) => `${field}: ${value}\n`)
    .join('');

export interface BagCounts {
  files: number;
  payload: number;
}

interface BagFieldFacts {
  name: string;
  date: string;
  /** Its root in hex. */
  log: { origin: string; size: number; root: string };
  release?: Release | undefined;
}

/** Returns the fields of `bag-info.txt` in their order. */
export const bagFields = (
  { name, date, log, release }: BagFieldFacts,
  { files, payload }: BagCounts,
): [field: string, value: string][] => [
  ['Source-Organization', name],
  ['Bagging-Date', date],
  ['External-Identifier', `${name}-${log.size}`],
  ['Payload-Oxum', `${payload}.${files}`],
  ['Export-Format', EXPORT_FORMAT],
  ['Log-Origin', log.origin],
  ['Log-Size', String(log.size)],
  ['Log-Root-SHA256', log.root],
  ...(release ? releaseFields(release) : []),
];

/** Labels of the fields with the release that began the archive. */
const RELEASE_LABELS = { version: 'Service-Version', commit: 'Service-Commit', format: 'Data-Format' };

/** Returns the fields with the release that began an archive. */
export const releaseFields = ({ version, commit, data_format: format }: Release): [field: string, value: string][] => [
  [RELEASE_LABELS.version, version],
  [RELEASE_LABELS.commit, commit],
  [RELEASE_LABELS.format, String(format)],
];

/**
 * Reads the release of `bag-info.txt`. Nothing proves it, so only its form is checked.
 *
 * @param fields by their labels
 * @returns undefined in an export of a release that did not name itself, or if a part is missing
 */
export function statedRelease(fields: ReadonlyMap<string, string | undefined>): Release | undefined {
  const [version, commit, format] = Object.values(RELEASE_LABELS).map((label) => fields.get(label));
  if (version === undefined || commit === undefined || format === undefined || !/^\d+$/.test(format)) return undefined;
  return { version, commit, data_format: Number(format) };
}

/** Returns the text of `tagmanifest-sha256.txt`. @param digests paths of tag files with their SHA-256 in hex */
export const tagManifestText = (digests: readonly [path: string, sha256: string][]): string =>
  digests.map(([path, sha256]) => `${sha256}  ${path}\n`).join('');

/** An instant as the texts of bags name it: `2026-11-29T13:04:21.123Z`. */
export const instantText = (micros: number): string => new Date(micros / 1000).toISOString();

const COVERS_START = 'It covers the audit entry of the start of this export, and so everything that was logged before.';
const LACKS_START =
  'It does not cover the audit entry of the start of this export, because no newer checkpoint met the policy within five minutes. What came between this checkpoint and the start is in the export and is not proved.';

const cosignedText = (witnesses: readonly string[]): string =>
  witnesses.length === 0
    ? 'The policy in `data/keys/policy` accepts it. No witness cosigned it.'
    : `The policy in \`data/keys/policy\` accepts it. Witnesses that cosigned it: ${witnesses.join(', ')}.`;

export const readmeText = ({ name, started, log }: BagFacts): string => `# Export of ${name}

This folder holds the delivery evidence of the organization \`${name}\`. The export was started at ${instantText(started)}.
Its format has the version ${EXPORT_FORMAT}. Verifiers of other versions refuse it.

## Checkpoint

The export is pinned to the checkpoint of size ${log.size} of the log \`${log.origin}\`.
${cosignedText(log.witnesses)}
${log.coversStart ? COVERS_START : LACKS_START}

## Content

| Path | Holds |
|---|---|
| \`data/verify.mjs\` | the verifier as one file, for convenience: see [Check it](#check-it) |
| \`data/log/\` | the log in the layout of C2SP tlog-tiles: checkpoint, hash tiles, bundles of entries |
| \`data/keys/\` | public keys, a policy file and a trusted root for verifiers |
| \`data/records/<family>-<number>.ndjson\` | stored records, one JSON document per line. A family can have several files |
| \`data/bodies/<sha-256>\` | texts that are too long for a line |
| \`data/files/<sha-256>\` | attachments of attestations |
| \`data/statements/<id>.sigstore.json\` | signed statements with their proofs in the log |
| \`data/statements/all.intoto.jsonl\` | their envelopes, one per line. Further files are \`all-0002.intoto.jsonl\` and so on |

Each line has \`item\`, which says what the record is. Bytes are in hex. Times are integers of microseconds since the
epoch. A text that a caller gave is \`{sha256, salt, size, text}\`, or \`{sha256, salt, size, file}\` if the text is in a
file, or \`{erased}\` if the text was erased. Lists, search indexes and slots of trails are left out, because they follow from the
records. Secrets, hashes of API keys and the paths of webhook addresses are left out as well.

## What the log proves

A line with \`log_index\` has an entry in the log: \`<domain> 0x00 0x02 <previous> <header>\`. The SHA-256 of the entry is the
\`hash\` of the line. The header is canonical JSON (RFC 8785) and holds a commitment to each text. A commitment is the
HMAC-SHA-256 of the text, with its salt as the key. An erasure removes a text with its salt, and an entry \`evidence.erased\` of the audit
log names each text that is gone. What a verdict needs is in texts that no erasure removes.

| Family | Commitments to texts that stay | Commitments to texts that can be erased |
|---|---|---|
| \`moments\` | \`moment\` (\`body\` with \`salt\`), \`record\` (the attestation or the report, with a commitment to each file) | \`details\` (\`details\` with \`detailsSalt\`), \`facts\` and \`findings\` of the record, \`fields\` of the trail, \`file:<place>\` |
| \`snapshots\` | \`summary\` (name, state, counts), \`content\` | |
| \`evaluations\` | \`evaluation\`, \`context\`, \`policy\` | \`params\`, \`input\`, \`result\`, \`error\`, \`details\` |
| \`audit\` | \`entry\` (canonical JSON of \`actor\`, with \`key_id\` for \`keyId\`, \`subject\`, \`covers\`, \`removed\`) | \`values\` (canonical JSON of \`before\` and \`after\`) |

\`covers\` of the lines of \`audit\` proves lines of other families: policies, controls, custom types, flows, allow-lists, tags, members,
service accounts, trusts, actions, settings of environments. Builds, events and deployments follow from proved records. The verifier
prints for each kind of lines how many are proved, follow, are erased, came after the checkpoint or are not covered.

What is erased from the service later stays in this export.

## Check it

Keys inside an export prove nothing. Take the verifier key from the service or from its operator.

\`data/verify.mjs\` needs Node 20.12 or newer and nothing else. But a verifier that comes with the evidence proves nothing: a
person who changes an export can change this file too. Compare its SHA-256 with the one that the release of the service names, or take the
file from the release.

\`\`\`console
node data/verify.mjs . --log-key KEY --statement-key FILE_WITH_THE_KEY_OF_STATEMENTS
sha256sum --check --quiet manifest-sha256.txt tagmanifest-sha256.txt
bagit.py --validate .
fsck --storage_url=file://$PWD/data/log/ --public_key=FILE_WITH_THE_VERIFIER_KEY --ui=false
\`\`\`
`;
