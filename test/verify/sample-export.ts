import { createHash, createHmac, generateKeyPairSync, hash, sign } from 'node:crypto';
import type { FlowId, OrganizationId, TrailId } from '#shared/base/ids.ts';
import { summaryText } from '#shared/environments/rules/summary.ts';
import { coverOf } from '#shared/evidence/rules/covers.ts';
import {
  type ChainDomain,
  canonicalJson,
  entryHash,
  FIRST_PREVIOUS,
  linkEntry,
} from '#shared/evidence/rules/hash-chain.ts';
import { trustedRoot } from '#shared/log/rules/description.ts';
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

function momentsOf(growing: Growing, { trail, name, review, facts: text }: SampleTrail): Json[] {
  const template = hash('sha256', TEMPLATE);
  const by = { id: testId('ann'), name: 'ann' };
  const drafts = [
    { kind: 'trail_reported', changes: [], word: 'INCOMPLETE', texts: { fields: '{"description":"first"}' } },
    {
      kind: 'trail_attestation_reported',
      changes: [
        {
          kind: 'attestation',
          scope: { kind: 'trail' },
          name: 'review',
          type: 'generic',
          id: review,
          compliant: true,
          overridden: null,
        },
      ],
      word: 'COMPLIANT',
      record: review,
      texts: { record: text },
    },
    { kind: 'trail_updated', changes: [], word: 'COMPLIANT', isErased: true, texts: {} },
  ];
  return drafts.map(({ kind, changes, word, record, isErased, texts }, i) => {
    const number = i + 1;
    const body = JSON.stringify({ changes, template, ownTemplate: null, fields: null, word, by });
    const commitments = {
      moment: pledge(`moment ${number}`, body),
      ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, pledge(name, text)])),
    };
    const facts = { number, kind, at: AT + number, ...(record !== undefined && { record }), commitments };
    const link = growing.link('delivery-evidence/trail', { org, subject: { flow, trail }, ...facts });
    const kept = isErased ? { erased: { at: AT, reason: 'a secret' } } : { salt: salt(`moment ${number}`) };
    return { item: 'moment', flow, trail, name, ...facts, body, ...kept, ...link };
  });
}

/** Appends the moments of a trail. @returns them, and the lines of other families that belong to them */
function linesOfTrail(growing: Growing, of: SampleTrail) {
  const moments = momentsOf(growing, of);
  const { trail, name, review, facts } = of;
  const isLong = facts.length > 1000;
  const body = isLong
    ? { ...bodyOf('record', facts), file: `data/bodies/${hash('sha256', facts)}` }
    : inline('record', facts);
  const attestation = {
    ...{ item: 'attestation', id: review, flow, trail: name, name: 'review', compliant: true },
    ...{ at: AT + 2, number: 2, facts: body },
  };
  const trails = [
    { item: 'trail', id: trail, flow, number: 3, word: 'COMPLIANT', hash: moments[2]?.['hash'] },
    { item: 'fields', flow, trail_name: name, number: 1, body: inline('fields', '{"description":"first"}') },
  ];
  return { moments, attestation, trails };
}

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
const COVERED_LINES = [
  ['members/member', MEMBER],
  ['environments/environment', SETTINGS],
] as const;

function auditOf(growing: Growing): Json[] {
  let erased = '';
  return Array.from({ length: AUDIT_ENTRIES }, (_, i) => {
    const id = testId(`audit ${i}`);
    const values = { before: null, after: { visibility: 'private' } };
    // The eighth entry is erased, and the ninth says so.
    const isErasure = i === 8;
    const covered = COVERED_LINES[i];
    const facts = {
      actor: { kind: 'user', id: testId('ann'), name: 'ann', keyId: null },
      subject: { type: 'flow', id: null, name: `flow ${i}` },
      ...(covered && { covers: [coverOf(covered[0], undefined, covered[1])] }),
      ...(isErasure && { removed: { [erased]: ['values'] } }),
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

/** Makes the export. @param perFile lines of one file of moments, attestations and trails */
export async function sampleExport(
  given: readonly SampleTrail[] = [RUN],
  perFile = 2,
): Promise<{ files: Files; entries: Buffer[] }> {
  const growing = new Growing();
  const lines = given.map((one) => linesOfTrail(growing, one));
  const snapshots = snapshotsOf(growing);
  const audit = auditOf(growing);
  const statement = statementOf(growing);
  const logged = await logFiles(growing.entries);
  const bundle = await bundleIn(logged, statement);
  const head = {
    ...SETTINGS,
    ...{ index: 2, at: AT + 2, state: true, known: true, since: AT + 1, events: 0 },
    ...{ hash: snapshots[3]?.['hash'], read_at: AT + 3 },
  };
  const contents: [string, Buffer][] = [
    ['bagit.txt', Buffer.from('BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n')],
    ['data/README.md', Buffer.from('The export of `acme` was started at 2026-11-22T10:00:00.000Z.\n')],
    ['data/keys/log.vkey', Buffer.from(`${log.verifierKey}\n`)],
    ['data/keys/policy', Buffer.from(`log ${log.verifierKey}\nwitness us ${witness.verifierKey}\nquorum us\n`)],
    ['data/keys/trusted_root.json', Buffer.from(JSON.stringify(trustedRoot(logKey)))],
    ['data/keys/statements.pem', Buffer.from(STATEMENT_KEY)],
    ...piecesOf(
      'moments',
      lines.flatMap(({ moments }) => moments),
      perFile,
    ),
    ['data/records/templates-0001.ndjson', ndjson([{ item: 'template', body: inline('template', TEMPLATE) }])],
    ...piecesOf(
      'trails',
      lines.flatMap(({ trails }) => trails),
      perFile,
    ),
    ...piecesOf(
      'attestations',
      lines.map(({ attestation }) => attestation),
      perFile,
    ),
    ['data/records/snapshots-0001.ndjson', ndjson(snapshots)],
    ['data/records/environments-0001.ndjson', ndjson([head])],
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
