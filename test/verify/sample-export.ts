import { createHash, generateKeyPairSync, hash, sign } from 'node:crypto';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { summaryText } from '#shared/environments/rules/summary.ts';
import { trustedRootText } from '#shared/log/rules/description.ts';
import { PAYLOAD_TYPE, preAuthEncoding } from '#shared/log/rules/dsse.ts';
import { bundleOf, statementEntry } from '#shared/log/rules/sigstore-bundle.ts';
import { entryText, valuesText } from '#shared/organizations/rules/audit-text.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { parseNote } from '#shared/tlog/notes.ts';
import { inclusionProof } from '#shared/tlog/proofs.ts';
import { decodeTile, tilePath } from '#shared/tlog/tiles.ts';
import { testId } from '#test/support/ids.ts';
import { type ExportFiles, missingFile } from '#verify/export-files.ts';
import { type Files, Growing, log, logFiles, logKey, org, salt, witness } from './sample-log.ts';
import {
  AT,
  environment,
  flow,
  inline,
  type Json,
  LONG,
  linesOfTrail,
  namedBody,
  pledge,
  type SampleTrail,
  TEMPLATE,
} from './sample-trails.ts';

/** A small export, made without a service: every kind of entry and of file is in it. */

const statementKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const STATEMENT_KEY = statementKeys.publicKey.export({ format: 'pem', type: 'spki' }).toString();

const RUN: SampleTrail = { trail: testId('run'), name: 'run', review: testId('review'), facts: LONG };

function snapshotsOf(growing: Growing): Json[] {
  const contents: Json[] = [];
  const snapshots = [1, 2].map((number) => {
    const content = `{"rows":[],"policies":[],"number":${number}}`;
    const summary = { name: 'prod', state: true, known: true, compliant: true, events: 0, eventsBefore: 0 };
    const commitments = {
      content: pledge(`content ${number}`, content),
      summary: pledge(`summary ${number}`, summaryText(summary)),
    };
    const facts = { number, at: AT + number, commitments };
    const link = growing.link('delivery-evidence/environment', {
      org,
      subject: { environment },
      kind: 'snapshot',
      ...facts,
    });
    contents.push({ item: 'content', environment, number, body: inline(`content ${number}`, content) });
    return { item: 'snapshot', environment, ...facts, ...summary, salt: salt(`summary ${number}`), ...link };
  });
  return [...contents, ...snapshots];
}

const AUDIT_ENTRIES = 260;
/** The records that entries of the audit log cover: the n-th entry covers the n-th record. */
const MEMBER = { item: 'member', principal: testId('ann'), name: 'ann', role: 'admin' };
const SETTINGS = {
  item: 'environment',
  environment,
  id: environment,
  name: 'prod',
  kind: 'server',
  archived: null,
  policies: [],
  members: [],
};
/** The flow as a report made it. */
const FLOW = { item: 'flow', flow, id: flow, name: 'shop', template: null, archived: null, rev: 1 };
const COVERED_LINES = [
  ['members/member', MEMBER],
  ['environments/environment', SETTINGS],
] as const;

/** @param emptied hashes of moments without details */
function auditOf(growing: Growing, emptied: readonly string[]): Json[] {
  let erased = '';
  return Array.from({ length: AUDIT_ENTRIES }, (_, i) => {
    const id = testId(`audit ${i}`);
    const values = { before: null, after: { visibility: 'private' } };
    // The eighth entry is erased, as is the third moment of each trail. The ninth entry says so.
    const isErasure = i === 8;
    const covered = COVERED_LINES[i];
    const facts = {
      actor: { kind: 'user', id: testId('ann'), name: 'ann', keyId: null },
      subject: { type: 'flow', id: null, name: `flow ${i}` },
      ...(covered && { covers: [coverOf(covered[0], undefined, covered[1])] }),
      ...(isErasure && {
        removed: { [erased]: ['values'], ...Object.fromEntries(emptied.map((one) => [one, ['details']])) },
      }),
    };
    const commitments = {
      entry: pledge(`${id} entry`, entryText(facts)),
      values: pledge(`${id} values`, valuesText(values)),
    };
    const kind = isErasure ? 'evidence.erased' : 'flow.created';
    const header = { number: 0, kind, at: AT + i, commitments };
    const { hash: own, log_index } = growing.link('delivery-evidence/audit', {
      org,
      subject: { entry: id },
      ...header,
    });
    if (i === 7) erased = own;
    const kept =
      i === 7
        ? { salts: { entry: salt(`${id} entry`) }, before: null, after: null, erased: { at: AT, reason: 'a person' } }
        : { salts: { entry: salt(`${id} entry`), values: salt(`${id} values`) }, ...values };
    return { item: 'audit', v: 1, id, kind, at: AT + i, ...facts, ...kept, commitments, hash: own, log_index };
  });
}

/** Appends the entry of a statement. @returns what was signed, and the record */
function statementOf(growing: Growing) {
  const payload = Buffer.from('{"_type":"https://in-toto.io/Statement/v1"}');
  const message = preAuthEncoding(PAYLOAD_TYPE, payload);
  const signature = sign('sha256', message, statementKeys.privateKey);
  const publicKey = statementKeys.publicKey.export({ format: 'der', type: 'spki' });
  const digest = hash('sha256', message, 'buffer');
  const entry = statementEntry({ digest, signature, publicKey });
  growing.entries.push(entry);
  const hex = {
    digest: digest.toString('hex'),
    signature: signature.toString('hex'),
    publicKey: publicKey.toString('hex'),
  };
  const body = inline('statement', payload.toString());
  const record = { item: 'statement', id: '1', ...hex, payload: body, log_index: growing.entries.length - 1 };
  return { signed: { payload, signature, publicKey }, entry, record };
}

/** Proves the statement by the files of the log. */
async function bundleIn(logged: Files, { signed, entry, record }: ReturnType<typeof statementOf>) {
  const checkpoint = String(logged.get('checkpoint'));
  const { size, root } = parseCheckpoint(parseNote(checkpoint).text);
  const index = record.log_index;
  const hashes = await inclusionProof(index, {
    size,
    readTile: async (tile) => decodeTile(logged.get(`tile/${tilePath(tile)}`) ?? Buffer.alloc(0), tile.width),
  });
  return bundleOf(signed, entry, { log: logKey, index, size, root, hashes, checkpoint });
}

const ndjson = (records: readonly Json[]): Buffer =>
  Buffer.from(records.map((record) => `${canonicalJson(record)}\n`).join(''));

/** Splits the lines of a family into files. @param perFile lines of one file */
const piecesOf = (family: string, records: readonly Json[], perFile: number): [string, Buffer][] =>
  Array.from({ length: Math.ceil(records.length / perFile) }, (_, i) => [
    `data/records/${family}-${String(i + 1).padStart(4, '0')}.ndjson`,
    ndjson(records.slice(i * perFile, (i + 1) * perFile)),
  ]);

/** Makes the export. @param perFile lines of one file of moments and attestations; a file of trails has twice as many */
export async function sampleExport(
  given: readonly SampleTrail[] = [RUN],
  perFile = 2,
): Promise<{ files: Files; entries: Buffer[] }> {
  const growing = new Growing();
  const lines = given.map((one) => linesOfTrail(growing, one));
  const snapshots = snapshotsOf(growing);
  const audit = auditOf(
    growing,
    lines.map(({ moments }) => String(moments[2]?.['hash'])),
  );
  const statement = statementOf(growing);
  const logged = await logFiles(growing.entries);
  const bundle = await bundleIn(logged, statement);
  const head = {
    ...SETTINGS,
    ...{ index: 2, at: AT + 2, state: true, known: true, since: AT + 1, events: 0 },
    ...{ hash: snapshots[3]?.['hash'] },
  };
  const contents: [string, Buffer][] = [
    ['bagit.txt', Buffer.from('BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n')],
    ['data/README.md', Buffer.from('The export of `acme` was started at 2026-11-22T10:00:00.000Z.\n')],
    ['data/keys/log.vkey', Buffer.from(`${log.verifierKey}\n`)],
    ['data/keys/policy', Buffer.from(`log ${log.verifierKey}\nwitness us ${witness.verifierKey}\nquorum us\n`)],
    ['data/keys/trusted_root.json', Buffer.from(trustedRootText(logKey))],
    ['data/keys/statements.pem', Buffer.from(STATEMENT_KEY)],
    ...piecesOf(
      'moments',
      lines.flatMap(({ moments }) => moments),
      perFile,
    ),
    ['data/records/templates-0001.ndjson', ndjson([{ item: 'template', body: namedBody(TEMPLATE) }])],
    ...piecesOf(
      'trails',
      lines.flatMap(({ trails }) => trails),
      2 * perFile,
    ),
    ...piecesOf(
      'attestations',
      lines.map(({ attestation }) => attestation),
      perFile,
    ),
    ['data/records/snapshots-0001.ndjson', ndjson(snapshots)],
    ['data/records/environments-0001.ndjson', ndjson([head, { item: 'times', environment, m: 0, r: 0, c: AT + 2 }])],
    ['data/records/organization-0001.ndjson', ndjson([{ item: 'organization', id: org }])],
    ['data/records/flows-0001.ndjson', ndjson([FLOW])],
    ['data/records/audit-0001.ndjson', ndjson(audit)],
    ['data/records/members-0001.ndjson', ndjson([MEMBER])],
    [`data/bodies/${hash('sha256', LONG)}`, Buffer.from(LONG)],
    [`data/files/${hash('sha256', 'attached')}`, Buffer.from('attached')],
    ['data/records/statements-0001.ndjson', ndjson([statement.record])],
    ['data/statements/1.sigstore.json', Buffer.from(JSON.stringify(bundle))],
    ['data/statements/all.intoto.jsonl', ndjson([{ ...bundle.dsseEnvelope }])],
    ...[...logged].map(([path, bytes]) => [`data/log/${path}`, bytes] as [string, Buffer]),
  ];
  return { files: seal(new Map(contents)), entries: growing.entries };
}

/** Writes the tag files again, as somebody would who changes an export and does not want to be seen. */
export function seal(files: Files): Files {
  const payload = [...files].filter(([path]) => path.startsWith('data/'));
  const bytes = payload.reduce((sum, [, content]) => sum + content.length, 0);
  const [origin, size, root] = (files.get('data/log/checkpoint')?.toString() ?? '').split('\n');
  const given = String(files.get('bag-info.txt') ?? '');
  const [name = 'acme', date = '2026-11-22'] = ['Source-Organization', 'Bagging-Date'].map(
    (label) => new RegExp(`${label}: (.*)`).exec(given)?.[1],
  );
  const info = [
    `Source-Organization: ${name}`,
    `Bagging-Date: ${date}`,
    `External-Identifier: ${name}-${size}`,
    `Payload-Oxum: ${bytes}.${payload.length}`,
    'Export-Format: 2',
    `Log-Origin: ${origin}`,
    `Log-Size: ${size}`,
    `Log-Root-SHA256: ${Buffer.from(root ?? '', 'base64').toString('hex')}`,
  ];
  const linesOf = (parts: [string, Buffer][]) =>
    Buffer.from(parts.map(([path, content]) => `${hash('sha256', content)}  ${path}\n`).join(''));
  const tagFiles: [string, Buffer][] = [
    ['bag-info.txt', Buffer.from(info.map((line) => `${line}\n`).join(''))],
    ['bagit.txt', files.get('bagit.txt') ?? Buffer.of()],
    ['manifest-sha256.txt', linesOf(payload)],
  ];
  return new Map([...files, ...tagFiles, ['tagmanifest-sha256.txt', linesOf(tagFiles)]]);
}

/** The files as the verifier reads them. */
export const asExport = (files: Files): ExportFiles => ({
  folder: 'acme',
  facts: new Map(
    [...files].map(([path, bytes]) => [
      path,
      { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length },
    ]),
  ),
  read: async (path) => files.get(path) ?? Promise.reject(missingFile(path)),
  close: async () => {},
});
