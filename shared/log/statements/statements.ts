import { createPublicKey, verify } from 'node:crypto';
import type { OrganizationId } from '#shared/base/ids.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { randomBytes } from '#shared/base/random.ts';
import { EPOCH } from '#shared/base/time.ts';
import { prepareBody, readBody, sha256 } from '#shared/bodies/bodies.ts';
import { erasureWords } from '#shared/bodies/erasure.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { SigningKeys } from '#shared/signing/keys.ts';
import { keyText } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { parseNote } from '#shared/tlog/notes.ts';
import { inclusionProof } from '#shared/tlog/proofs.ts';
import { claimKey, claimOf } from '../records/claims.ts';
import { receiptCheckpoint, receiptCheckpointKeys } from '../records/log-state.ts';
import {
  readStatement,
  type StatementItem,
  sendAgain,
  statementIdOf,
  statementUser,
  storeStatement,
} from '../records/statements.ts';
import { type CaseSummary, caseText } from '../rules/case-statement.ts';
import { type Envelope, envelopeOf, PAYLOAD_TYPE, preAuthEncoding, type SignedPayload } from '../rules/dsse.ts';
import { type GapSummary, gapText } from '../rules/gap-statement.ts';
import { recordDiffers, statementDiffers, statementErased } from '../rules/sentences.ts';
import { bundleOf, type SigstoreBundle, statementEntry } from '../rules/sigstore-bundle.ts';
import { type Summary, statementText, type Verifier } from '../rules/verification-summary.ts';
import { logTiles } from '../tiles.ts';
import type { StatementPlace } from './moment-links.ts';

export type StatementServices = Stores & { keys: Pick<SigningKeys, 'log' | 'statement'> };

export const STATE: Uses = {
  writes: ['STATEMENT', 'BODY'],
  bucket: ['bodies:read', 'bodies:write', 'log:read'],
  keys: ['statement:sign', 'log:read'],
};

/** `intoto`: the signed envelope. `sigstore`: a bundle with the proof that the statement is in the log. */
export type StatementFormat = 'intoto' | 'sigstore';

/**
 * A statement in the form that was asked for. `not logged`: the log does not have the records yet that the statement would rest
 * on. `not covered`: no checkpoint covers the statement yet, which a bundle needs.
 */
export type Stated =
  | { outcome: 'not logged' }
  | { outcome: 'not covered'; id: string }
  | { outcome: 'stated'; id: string; document: Envelope | SigstoreBundle };

/**
 * States something in a format (rules/log.md#formats-of-a-statement). The statement is made, signed and stored at the first
 * request and never changes (rules/log.md#statements). The relay brings its entry into the log.
 *
 * @param parts name the subject and its moment, in ids and numbers
 * @param summarize computes what the statement says; only called for a new one. It returns null if the log does not have the
 *   records yet
 * @throws ServiceError `gone` if the statement was erased; `broken` if its text is not the one that was signed, or if the log has
 *   another entry for it
 */
export async function stateAbout(
  services: StatementServices,
  { host, org }: StatementPlace,
  format: StatementFormat,
  parts: readonly (string | number)[],
  summarize: () => Promise<Summary | GapSummary | CaseSummary | null>,
): Promise<Stated> {
  const about = parts.join('#');
  let item = await readStatement(services.table, org.id, statementIdOf(about));
  if (!item) {
    const summary = await summarize();
    if (!summary) return { outcome: 'not logged' };
    item = await sign(services, org.id, about, textOf(summary, { host, nonce: nonce() }));
  }
  const statement = await openStatement(services.objects, org.id, about, item);
  const id = item.sk;
  const document = format === 'intoto' ? envelopeOf(statement) : await bundleOfStatement(services, org.id, statement);
  return document ? { outcome: 'stated', id, document } : { outcome: 'not covered', id };
}

function textOf(summary: Summary | GapSummary | CaseSummary, verifier: Verifier): string {
  if (summary.kind === 'gap') return gapText(summary, verifier);
  return summary.kind === 'case' ? caseText(summary, verifier) : statementText(summary, verifier);
}

interface Statement extends SignedPayload {
  item: StatementItem;
}

async function openStatement(
  objects: Objects,
  org: OrganizationId,
  about: string,
  item: StatementItem,
): Promise<Statement> {
  const { payload, digest, signature, publicKey } = item;
  const text = await readBody(objects, org, payload);
  if (text === null) {
    throw statementErased(erasureWords(payload.erased ?? { at: EPOCH, reason: '' }));
  }
  const message = preAuthEncoding(PAYLOAD_TYPE, Buffer.from(text));
  const key = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
  const isSigned = sha256(message).equals(digest) && verify('sha256', message, key, signature);
  if (item.about !== about || !isSigned) throw statementDiffers({ id: item.sk });
  return { item, payload: Buffer.from(text), signature, publicKey };
}

const NONCE_BYTES = 16;
const nonce = (): string => Buffer.from(randomBytes(NONCE_BYTES)).toString('hex');

async function sign(
  { table, objects, clock, keys }: StatementServices,
  org: OrganizationId,
  about: string,
  text: string,
): Promise<StatementItem> {
  const key = await keys.statement();
  const message = preAuthEncoding(PAYLOAD_TYPE, Buffer.from(text));
  const id = statementIdOf(about);
  const body = prepareBody(objects, org, text, statementUser(id));
  const item: StatementItem = {
    sk: id,
    about,
    payload: body.body,
    digest: sha256(message),
    signature: await key.sign(message),
    publicKey: key.publicKey,
    sent: clock.now(),
  };
  return storeStatement(table, org, item, body);
}

/**
 * Returns the bundle that proves a statement (rules/log.md#bundles-of-statements); null until a checkpoint covers its
 * entry.
 */
async function bundleOfStatement(
  services: StatementServices,
  org: OrganizationId,
  { item, ...signed }: Statement,
): Promise<SigstoreBundle | null> {
  const { table, clock, keys } = services;
  const entry = statementEntry(item);
  const digest = Buffer.from(item.digest).toString('hex');
  const claimed = claimKey(org, { kind: 'statement', digest });
  const [found, { publicKey }] = await Promise.all([
    table.getMany([claimed, ...receiptCheckpointKeys(org)]),
    keys.log(),
  ]);
  const claim = claimOf(found.get(keyText(claimed)));
  if (!claim) {
    // The stream can lose a record. A change of the item comes through it again.
    await sendAgain(table, org, item, clock.now());
    return null;
  }
  const { index } = claim;
  if (!entryHash(entry).equals(claim.hash)) throw recordDiffers({ index });
  const checkpoint = receiptCheckpoint(org, found, index);
  if (!checkpoint) return null;
  const { range, note } = checkpoint;
  const { size } = range;
  const { origin, root } = parseCheckpoint(parseNote(note).text);
  const { hashes: readTile, roots: readRoots } = logTiles(services, org, size);
  return bundleOf(signed, entry, {
    log: verifierKey(origin, 'ed25519', publicKey),
    index,
    size,
    root,
    hashes: await inclusionProof(index, { size, range, readTile, readRoots }),
    checkpoint: note,
  });
}
