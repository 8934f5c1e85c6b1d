import * as z from 'zod';
import { isKnownFingerprint, type OrganizationId } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { RecordGone } from '#shared/base/proofs/record-gone.ts';
import type { Reading } from '#shared/bodies/stores.ts';
import { snapshotEntry } from '#shared/environments/records/chain.ts';
import { snapshotContentKey, snapshotKey } from '#shared/environments/records/keys.ts';
import {
  openContent,
  type Snapshot,
  type SnapshotPlace,
  snapshotOf,
  storedSnapshot,
} from '#shared/environments/records/snapshots.ts';
import type { SnapshotExpression } from '#shared/environments/rules/expressions.ts';
import { placesOf } from '#shared/environments/rules/logical.ts';
import { type FoundSnapshot, findSnapshot } from '#shared/environments/snapshots/find-snapshot.ts';
import { resolveContent, type ShownContent } from '#shared/environments/snapshots/resolve-content.ts';
import { policyVersionKey } from '#shared/policies/records/keys.ts';
import { PolicyVersionItem } from '#shared/policies/records/policy-records.ts';
import { keyText } from '#shared/table/table.ts';
import { snapshotOpenings } from '../receipts/openings.ts';
import { requireOpenings } from '../receipts/receipt.ts';
import { claimKey, claimOf } from '../records/claims.ts';
import { noPiece, recordDiffers } from '../rules/sentences.ts';
import { piecesOf, type Resource, type Summary, subjectsOf } from '../rules/verification-summary.ts';
import { addressOf, type StatementPlace } from './moment-links.ts';
import { type Stated, type StatementFormat, type StatementServices, stateAbout } from './statements.ts';

/**
 * States the verdict on a snapshot (rules/log.md#statement-of-a-snapshot).
 *
 * @throws ServiceError `not-found` if there is no such piece, and as {@link findSnapshot}; RecordGone, ServiceError as
 *   {@link proveSnapshots}
 */
export async function stateSnapshot(
  services: StatementServices,
  place: StatementPlace,
  { env, expression, piece }: { env: EnvironmentName; expression: SnapshotExpression; piece: number },
  format: StatementFormat,
): Promise<Stated> {
  const found = await findSnapshot(services, place.org, env, expression);
  const running = await readRunningSubjects(services, place, found);
  const { index } = found.parts.summary;
  if (piece > running.pieces) throw noPiece({ index, env, piece });
  const about = ['snapshot', found.head.id, index, piece];
  return stateAbout(services, place, format, about, () => summarizeSnapshot(services, place, running, piece));
}

interface RunningSubjects {
  found: FoundSnapshot;
  content: ShownContent;
  /** The running artifacts, each fingerprint once. A snapshot without any is its own subject. */
  subjects: Summary['subjects'];
  pieces: number;
}

async function readRunningSubjects(
  services: Reading,
  { org }: StatementPlace,
  found: FoundSnapshot,
): Promise<RunningSubjects> {
  const content = await resolveContent(services, org.id, found);
  const running = new Map<string, string>();
  for (const { annotation, fingerprint, name } of content.rows) {
    if (annotation.now > 0 && isKnownFingerprint(fingerprint) && !running.has(fingerprint)) {
      running.set(fingerprint, name);
    }
  }
  const { name, hash } = found.parts.summary;
  const own = { name, sha256: Buffer.from(hash).toString('hex') };
  const subjects = running.size > 0 ? [...running].map(([sha256, name]) => ({ name, sha256 })) : [own];
  return { found, content, subjects, pieces: piecesOf(subjects) };
}

/**
 * Summarizes the verdict on a snapshot (rules/log.md#statement-of-a-snapshot), if the log has the snapshot and, in a logical
 * environment, those of its members.
 *
 * @returns null if the log does not have a snapshot yet
 */
async function summarizeSnapshot(
  services: Reading,
  place: StatementPlace,
  { found, content, subjects, pieces }: RunningSubjects,
  piece: number,
): Promise<Summary | null> {
  const [policies, proved] = await Promise.all([
    policiesOf(services, place, content),
    provedLinks(services, place, found),
  ]);
  if (!proved) return null;
  const { inputs } = proved;
  const { name, index, at, state } = proved.own;
  const [only, ...others] = policies;
  return {
    kind: 'snapshot',
    subjects: subjectsOf(subjects, piece),
    uri: addressOf(place, 'snapshots', `${name}/${index}`),
    passed: state === true,
    policy: only && others.length === 0 ? only : { uri: addressOf(place, 'environments', name) },
    policies,
    inputs,
    at,
    part: { piece, pieces },
  };
}

const PolicyText = z.object({ body: PolicyVersionItem.shape.body });

/** The versions of policies that were in force, with the SHA-256 of their texts. */
async function policiesOf({ table }: Reading, place: StatementPlace, { policies }: ShownContent): Promise<Resource[]> {
  const keyOf = ({ id, version }: ShownContent['policies'][number]) => policyVersionKey(place.org.id, id, version);
  const found = await table.getMany(policies.map(keyOf));
  return policies.map((policy) => {
    const { name, version } = policy;
    const item = found.get(keyText(keyOf(policy)));
    if (!item) throw new Error(`Policy ${name} has no version ${version}`);
    const { digest } = PolicyText.parse(item).body;
    return { uri: addressOf(place, 'policies', name), sha256: Buffer.from(digest).toString('hex') };
  });
}

/**
 * The snapshot as the log has it, and its link; in a logical environment also the links of the snapshots of its members. Names of
 * environments are those that the snapshots have. Null if the log does not have one of the snapshots yet.
 */
async function provedLinks(
  services: Reading,
  place: StatementPlace,
  { head, parts }: FoundSnapshot,
): Promise<{ own: Snapshot; inputs: Resource[] } | null> {
  const { objects } = services;
  const members = (await openContent(objects, place.org.id, parts.content))?.members ?? {};
  const places = placesOf(members).filter(({ index }) => index > 0);
  const here = { environment: head.id, index: parts.summary.index };
  const proved = await proveSnapshots(services, place.org.id, [here, ...places]);
  const [own] = proved ?? [];
  return proved && own ? { own, inputs: proved.map((snapshot) => linkOf(place, snapshot)) } : null;
}

const linkOf = (place: StatementPlace, { name, index, hash }: Snapshot): Resource => ({
  uri: addressOf(place, 'receipts', `environments/${name}/${index}`),
  sha256: Buffer.from(hash).toString('hex'),
});

/**
 * Reads snapshots and requires that the log has exactly them, with their contents (rules/log.md#proved-records). One batch, and one
 * read for each content in the bucket.
 *
 * @returns in the order of `places`; null if the log does not have one of them yet
 * @throws RecordGone if a snapshot or its content is missing
 * @throws ServiceError `broken` if a snapshot or its content is not what the log has
 */
async function proveSnapshots(
  services: Reading,
  org: OrganizationId,
  places: readonly SnapshotPlace[],
): Promise<Snapshot[] | null> {
  const keys = places.map(({ environment, index }) => ({
    summary: snapshotKey(org, environment, index),
    content: snapshotContentKey(org, environment, index),
    claim: claimKey(org, { kind: 'environment', environment, number: index }),
  }));
  const items = await services.table.getMany(keys.flatMap((of) => [of.summary, of.content, of.claim]));
  const proved = await Promise.all(
    places.map(async ({ environment, index }, i) => {
      const of = keys[i];
      const [summary, content, claimed] = of
        ? [of.summary, of.content, of.claim].map((key) => items.get(keyText(key)))
        : [];
      if (!summary) throw new RecordGone(snapshotOf(environment, index));
      const claim = claimOf(claimed);
      if (!claim) return null;
      const snapshot = storedSnapshot(summary);
      const entry = snapshotEntry(org, environment, snapshot);
      const isLogged = [claim.hash, snapshot.hash].every((hash) => entryHash(entry).equals(hash));
      if (!isLogged) throw recordDiffers({ index: claim.index });
      const openings = await snapshotOpenings(services, org, environment, snapshot, content);
      requireOpenings(hexOf(snapshot.pledges), openings, claim.index);
      return snapshot;
    }),
  );
  return proved.every((snapshot) => snapshot !== null) ? proved : null;
}

const hexOf = (pledges: Readonly<Record<string, Uint8Array>>): Record<string, string> =>
  Object.fromEntries(Object.entries(pledges).map(([name, pledge]) => [name, Buffer.from(pledge).toString('hex')]));
