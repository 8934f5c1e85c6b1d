import * as z from 'zod';
import { type EnvironmentId, isKnownFingerprint } from '#shared/base/ids.ts';
import { readEnvironmentNames } from '#shared/environments/records/environments.ts';
import { openContent, readSnapshots } from '#shared/environments/records/snapshots.ts';
import { placesOf } from '#shared/environments/rules/logical.ts';
import type { FoundSnapshot } from '#shared/environments/snapshots/find-snapshot.ts';
import { resolveContent, type ShownContent } from '#shared/environments/snapshots/resolve-content.ts';
import type { Services } from '#shared/http/services.ts';
import { policyVersionKey } from '#shared/policies/records/keys.ts';
import { PolicyVersionItem } from '#shared/policies/records/policy-records.ts';
import { keyText } from '#shared/table/table.ts';
import { addressOf, type StatementPlace } from './moment-links.ts';
import { piecesOf, type Resource, type Summary, subjectsOf } from './rules/verification-summary.ts';

type Readers = Pick<Services, 'table' | 'objects'>;

/** A snapshot with what ran. */
export interface RunningSubjects {
  found: FoundSnapshot;
  content: ShownContent;
  /** The running artifacts, each fingerprint once. A snapshot without any is its own subject. */
  subjects: Summary['subjects'];
  pieces: number;
}

/** Reads the subjects of the statements of a snapshot. */
export async function readRunningSubjects(
  services: Readers,
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
  const own = { name: found.head.name, sha256: Buffer.from(found.parts.summary.hash).toString('hex') };
  const subjects = running.size > 0 ? [...running].map(([sha256, name]) => ({ name, sha256 })) : [own];
  return { found, content, subjects, pieces: piecesOf(subjects) };
}

/**
 * Summarizes the verdict on a snapshot (rules/log.md#statement-of-a-snapshot).
 * @param piece number of the piece of subjects, from 1 on
 */
export async function summarizeSnapshot(
  services: Readers,
  place: StatementPlace,
  { found, content, subjects, pieces }: RunningSubjects,
  piece: number,
): Promise<Summary> {
  const { head, parts } = found;
  const { index, at, state } = parts.summary;
  const [policies, inputs] = await Promise.all([
    policiesOf(services, place, content),
    snapshotLinks(services, place, found),
  ]);
  const [only, ...others] = policies;
  return {
    kind: 'snapshot',
    subjects: subjectsOf(subjects, piece),
    uri: addressOf(place, 'snapshots', `${head.name}/${index}`),
    passed: state === true,
    policy: only && others.length === 0 ? only : { uri: addressOf(place, 'environments', head.name) },
    policies,
    inputs,
    at,
    part: { piece, pieces },
  };
}

const PolicyText = z.object({ body: PolicyVersionItem.shape.body });

/** The versions of policies that were in force, with the SHA-256 of their texts. */
async function policiesOf({ table }: Readers, place: StatementPlace, { policies }: ShownContent): Promise<Resource[]> {
  const keys = policies.map(({ id, version }) => policyVersionKey(place.org.id, id, version));
  const found = await table.getMany(keys);
  return policies.map(({ name, version }, i) => {
    const item = found.get(keyText(keys[i] ?? { pk: '', sk: '' }));
    if (!item) throw new Error(`Policy ${name} has no version ${version}`);
    const { digest } = PolicyText.parse(item).body;
    return { uri: addressOf(place, 'policies', name), sha256: Buffer.from(digest).toString('hex') };
  });
}

/** The link of the snapshot and, in a logical environment, those of the snapshots of its members. */
async function snapshotLinks(
  { table, objects }: Readers,
  place: StatementPlace,
  { head, parts }: FoundSnapshot,
): Promise<Resource[]> {
  const { summary } = parts;
  const own = linkOf(place, head.name, summary);
  const members = (await openContent(objects, place.org.id, parts.content))?.members;
  if (!members) return [own];
  const places = placesOf(members).filter(({ index }) => index > 0);
  const ids: EnvironmentId[] = places.map(({ environment }) => environment);
  const [snapshots, names] = await Promise.all([
    readSnapshots(table, place.org.id, places),
    readEnvironmentNames(table, place.org.id, ids),
  ]);
  const links = snapshots.map((snapshot, i) => {
    const id = ids[i];
    if (!snapshot || !id) throw new Error(`A member of environment ${head.id} has no snapshot`);
    return linkOf(place, names.get(id) ?? id, snapshot);
  });
  return [own, ...links];
}

const linkOf = (
  place: StatementPlace,
  environment: string,
  { index, hash }: { index: number; hash: Uint8Array },
): Resource => ({
  uri: addressOf(place, 'receipts', `environments/${environment}/${index}`),
  sha256: Buffer.from(hash).toString('hex'),
});
