import { createHash, createHmac, generateKeyPairSync, hash, sign } from 'node:crypto';
import { type FlowId, type OrganizationId, storedId, type TrailId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import {
  type ChainDomain,
  canonicalJson,
  entryHash,
  FIRST_PREVIOUS,
  linkEntry,
} from '#shared/base/proofs/hash-chain.ts';
import { summaryText } from '#shared/environments/rules/summary.ts';
import { recordText } from '#shared/evidence/rules/record-text.ts';
import type { SlotChange } from '#shared/evidence/rules/trail-state.ts';
import { trustedRootText } from '#shared/log/rules/description.ts';
import { PAYLOAD_TYPE, preAuthEncoding } from '#shared/log/rules/dsse.ts';
import { bundleOf, statementEntry } from '#shared/log/rules/sigstore-bundle.ts';
import { entryText, valuesText } from '#shared/organizations/rules/audit-text.ts';
import { formatCheckpoint, parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { localKey, privateKeyOf } from '#shared/tlog/ed25519.ts';
import { parseVerifierKey } from '#shared/tlog/keys.ts';
import { formatNote, parseNote } from '#shared/tlog/notes.ts';
import { inclusionProof } from '#shared/tlog/proofs.ts';
import { logSigner, signNote, witnessSigner } from '#shared/tlog/signer.ts';
import { decodeTile, encodeBundle, encodeTile, newTiles, TILE_WIDTH, tilePath } from '#shared/tlog/tiles.ts';
import { appendLeaves, EMPTY_RANGE, leafHash, rootOf, rootOfLeaves } from '#shared/tlog/tree.ts';
import { testId } from '#test/support/ids.ts';
import { type ExportFiles, missingFile } from '#verify/export-files.ts';

/** A small export, made without a service: every kind of entry and of file is in it. */

const org = testId<OrganizationId>('acme');
const flow = testId<FlowId>('web');
/** A trail of an export, with what its attestation says. */
export interface SampleTrail {
  trail: TrailId;
  name: string;
  review: string;
  facts: string;
}
const environment = testId('prod');
export const ORIGIN = `${org}.test.log.localhost`;
export const log = logSigner(ORIGIN, localKey(privateKeyOf(new Uint8Array(32))));
export const logKey = parseVerifierKey(log.verifierKey);
export const otherLog = logSigner(ORIGIN, localKey(privateKeyOf(new Uint8Array(32).fill(1))));
export const witness = witnessSigner('us.witness.example', localKey(privateKeyOf(new Uint8Array(32).fill(8))), () => 0);
const statementKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const STATEMENT_KEY = statementKeys.publicKey.export({ format: 'pem', type: 'spki' }).toString();

export type Files = Map<string, Buffer>;
type Json = Record<string, unknown>;

const AT = 1_795_000_000_000_000;
const salt = (name: string): string => hash('sha256', name);
const pledge = (name: string, text: string): string =>
  createHmac('sha256', Buffer.from(salt(name), 'hex'))
    .update(text)
    .digest('hex');
const bodyOf = (name: string, text: string): Json => ({
  sha256: hash('sha256', text),
  salt: salt(name),
  size: Buffer.byteLength(text),
});
const inline = (name: string, text: string): Json => ({ ...bodyOf(name, text), text });

/** The log while it grows. */
class Growing {
  readonly entries: Buffer[] = [];
  readonly #last = new Map<string, Uint8Array>();

  /** Appends a link. @returns what its record states of it */
  link(
    domain: ChainDomain,
    header: Parameters<typeof linkEntry>[2],
  ): { previous: string; hash: string; log_index: number } {
    const chain = header.number === 0 ? `${this.entries.length}` : canonicalJson(header.subject);
    const previous = this.#last.get(chain) ?? FIRST_PREVIOUS;
    const entry = linkEntry(domain, previous, header);
    this.entries.push(entry);
    this.#last.set(chain, entryHash(entry));
    return {
      previous: Buffer.from(previous).toString('hex'),
      hash: entryHash(entry).toString('hex'),
      log_index: this.entries.length - 1,
    };
  }
}

const TEMPLATE = 'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: generic\n';
const LONG = 'a long text '.repeat(1000);

const RUN: SampleTrail = { trail: testId('run'), name: 'run', review: testId('review'), facts: LONG };

/** The text that the log proves of the attestation of a trail, and its line. */
function sealedReview({ name: trail, review, facts: text }: SampleTrail): {
  commitments: Record<string, string>;
  line: Json;
} {
  const file = hash('sha256', 'attached');
  const shown = {
    ...{ id: review, flow, trail, name: 'review', type: 'generic', compliant: true },
    ...{ fingerprint: null, targets: [], at: AT + 2, number: 2, by: 'ann', derived: {} },
    files: [{ filename: 'log.txt', size: 8, type: 'text/plain', sha256: file, commitment: pledge('file', file) }],
  };
  const facts = pledge('facts', text);
  const commitments = { record: pledge('record', recordText(shown, { facts })), facts };
  const files = shown.files.map((one) => ({ ...one, salt: salt('file') }));
  const isLong = text.length > 1000;
  const body = isLong
    ? { ...bodyOf('facts', text), file: `data/bodies/${hash('sha256', text)}` }
    : inline('facts', text);
  return {
    commitments,
    line: { item: 'attestation', ...shown, files, facts: body, salt: salt('record'), commitments },
  };
}

const FIELDS = '{"description":"first"}';
const COMMIT = '{"sha1":"abc"}';
const REPO = { inner_id: testId('repo'), name: 'web' };
const commitDigest = hash('sha256', COMMIT).slice(0, 32);

function momentsOf(growing: Growing, of: SampleTrail): Json[] {
  const { trail, name } = of;
  const template = hash('sha256', TEMPLATE);
  const fields = hash('sha256', FIELDS);
  const review: SlotChange = {
    ...{ kind: 'attestation', scope: { kind: 'trail' }, name: 'review', type: 'generic', id: storedId(of.review) },
    ...{ compliant: true, overridden: null },
  };
  const drafts: {
    kind: string;
    changes: unknown[];
    word: string;
    attestations: number;
    record?: string;
    isErased?: boolean;
    more?: Json;
    texts: Record<string, string>;
  }[] = [
    {
      ...{
        kind: 'trail_reported',
        changes: [{ kind: 'repo', id: REPO.inner_id }],
        word: 'INCOMPLETE',
        attestations: 0,
      },
      ...{ more: { commit: commitDigest, repo: REPO.inner_id }, texts: { fields: pledge('fields', FIELDS) } },
    },
    {
      ...{ kind: 'trail_attestation_reported', changes: [review], word: 'COMPLIANT', attestations: 1 },
      ...{ record: of.review, texts: sealedReview(of).commitments },
    },
    { kind: 'trail_updated', changes: [], word: 'COMPLIANT', attestations: 1, isErased: true, texts: {} },
  ];
  return drafts.map(({ kind, changes, word, attestations, record, isErased, texts, more }, i) => {
    const number = i + 1;
    const body = canonicalJson({
      ...{ changes, template, ownTemplate: null, word, attestations },
      ...{ names: { flow: 'shop', trail: name }, by: { id: testId('ann') } },
      ...(number === 1 && { repoDigest: hash('sha256', canonicalJson(REPO)) }),
    });
    const details = canonicalJson({ by: { name: 'ann' }, fields, ...more });
    const commitments = {
      moment: pledge(`moment ${number}`, body),
      details: pledge(`details ${number}`, details),
      ...texts,
    };
    const facts = { number, kind, at: AT + number, ...(record !== undefined && { record }), commitments };
    const link = growing.link('delivery-evidence/trail', { org, subject: { flow, trail }, ...facts });
    const kept = isErased ? { erased: { at: AT, reason: 'a secret' } } : { detailsSalt: salt(`details ${number}`) };
    const own = { body, salt: salt(`moment ${number}`), details, ...kept };
    return { item: 'moment', flow, trail, name, ...facts, ...own, ...link };
  });
}

/** The lines of a trail, as its moments give them. */
const trailLinesOf = ({ trail, name }: SampleTrail, moments: readonly Json[]): Json[] => {
  const at = { flow, trail_name: name };
  const named = { template: hash('sha256', TEMPLATE), ownTemplate: null, fields: hash('sha256', FIELDS) };
  return [
    {
      ...{ item: 'trail', ...at, id: trail, name, number: 3, at: AT + 3, hash: moments[2]?.['hash'] },
      ...{ word: 'COMPLIANT', ...named, templateAt: AT + 1, commit: commitDigest, created: AT + 1, by: 'ann' },
      ...{ slots: 2, attestations: 1 },
    },
    { item: 'fields', ...at, number: 1, digest: named.fields, body: inline('fields', FIELDS) },
    { item: 'commit', ...at, digest: commitDigest, body: namedBody(COMMIT) },
    { item: 'repo', ...at, n: 1, repo: REPO },
  ];
};

/** Appends the moments of a trail. @returns them, and the lines of other families that belong to them */
function linesOfTrail(growing: Growing, of: SampleTrail) {
  const moments = momentsOf(growing, of);
  return { moments, attestation: sealedReview(of).line, trails: trailLinesOf(of, moments) };
}

/** A body without a salt: another record names it by its SHA-256. */
const namedBody = (text: string): Json => ({ sha256: hash('sha256', text), size: Buffer.byteLength(text), text });

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

/** Returns the roots of the full tiles of a level. */
const rootsOf = (hashes: readonly Buffer[]): Buffer[] =>
  Array.from({ length: Math.floor(hashes.length / TILE_WIDTH) }, (_, i) =>
    rootOfLeaves(hashes.slice(i * TILE_WIDTH, (i + 1) * TILE_WIDTH)),
  );

/** Makes the files of a log of these entries, signed by the key of the log. */
export async function logFiles(entries: readonly Buffer[], signer = log): Promise<Files> {
  const size = entries.length;
  const leaves = entries.map(leafHash);
  const range = appendLeaves(EMPTY_RANGE, leaves);
  const note = await signNote(formatCheckpoint({ origin: ORIGIN, size, root: rootOf(range) }), [signer]);
  const files: Files = new Map([['checkpoint', Buffer.from(formatNote(note))]]);
  const levels = [leaves];
  while ((levels.at(-1)?.length ?? 0) >= TILE_WIDTH) levels.push(rootsOf(levels.at(-1) ?? []));
  for (const tile of newTiles(0, size)) {
    const { level, index, width } = tile;
    const first = index * TILE_WIDTH;
    const bytes =
      level === 'entries'
        ? encodeBundle(entries.slice(first, first + width))
        : encodeTile(levels[level]?.slice(first, first + width) ?? []);
    files.set(`tile/${tilePath(tile)}`, bytes);
  }
  return files;
}

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
