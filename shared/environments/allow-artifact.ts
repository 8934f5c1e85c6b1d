import { type Fingerprint, newId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import type { Caller, Organization } from '#shared/callers/caller.ts';
import type { Services } from '#shared/http/services.ts';
import { claimAlone } from '#shared/http/written.ts';
import type { Appended, EarlierRequest } from '#shared/table/idempotency.ts';
import type { Write } from '#shared/table/table.ts';
import { readNewestContent } from './newest.ts';
import { runningRows } from './next-content.ts';
import { allowedWrites, readAllowedEntry } from './records/allowed.ts';
import { headWrites } from './records/environment-head.ts';
import { type AllowedItem, type EnvironmentHead, SHOWN_ALLOWED } from './records/environment-records.ts';
import { reevaluate } from './reevaluate.ts';
import { sealSnapshot } from './seal-snapshot.ts';

export interface Allowance {
  fingerprint: Fingerprint;
  name: string;
  /** The reason. */
  description: string;
  by: Caller;
}

type Store = Pick<Services, 'table' | 'objects' | 'clock'>;
type Outcome = 'done' | 'again' | EarlierRequest;

/**
 * Puts a fingerprint on an environment's allow-list, or replaces the name and the reason of its entry
 * (rules/environments.md#allow-list). If the fingerprint runs and its verdict changes, the same transaction stores a
 * snapshot with the new verdict. Otherwise it raises the head's `rev`. A report that read the list before then fails at
 * its commit and reads again.
 * @param extraWrites returns further writes of the transaction; `replaced` is the entry in force before, or null;
 *   `covers` is what the change leaves behind
 * @param claim returns the writes that claim the idempotency key; they store the answer, which depends on `isNew` and on
 *   the stored snapshot
 * @returns `isNew`: whether an entry was stored; `appended`: the stored snapshot, if one was stored; outcome `again` if another writer was first
 */
export async function allowArtifact(
  store: Store,
  org: Organization,
  head: EnvironmentHead,
  allowance: Allowance,
  extraWrites: (replaced: AllowedItem | null, covers: readonly Cover[]) => Write[],
  claim: (isNew: boolean, appended?: Appended) => Write<EarlierRequest>[],
): Promise<{ outcome: Outcome; isNew: boolean; appended?: Appended | undefined }> {
  const { table } = store;
  const { fingerprint, name, description } = allowance;
  const [present, draft] = await Promise.all([
    readAllowedEntry(table, org.id, head.id, fingerprint),
    draftSnapshot(store, org, head, fingerprint),
  ]);
  if (present?.name === name && present.description === description) {
    return { outcome: await claimAlone(table, claim(false)), isNew: false };
  }
  const settings = present === null ? { allowed: head.allowed + 1 } : {};
  const sealed = draft && sealSnapshot(store, org, head, draft, again, { settings });
  const appended = sealed?.appended;
  await sealed?.upload();
  const next = draft && sealed && { at: sealed.at, index: sealed.index, state: draft.state };
  const entry = entryOf(store, head, allowance, present === null, next);
  const writes = sealed?.writes ?? headWrites(org.id, head, { settings }, again);
  const outcome = await table.transact<Outcome>([
    ...claim(true, appended),
    ...writes,
    ...allowedWrites(org.id, entry),
    ...extraWrites(present, [coverOf('allow-lists/allowed', undefined, lineOf(SHOWN_ALLOWED, entry))]),
  ]);
  return { outcome, isNew: true, appended };
}

/** Drafts the snapshot that the entry causes; null if it changes no verdict of what runs. */
async function draftSnapshot(store: Store, org: Organization, head: EnvironmentHead, fingerprint: Fingerprint) {
  if (head.kind === 'logical') return null;
  const content = await readNewestContent(store, org, head);
  const flips = (row: { fingerprint: string; compliant: boolean | null }) =>
    row.fingerprint === fingerprint && row.compliant !== true;
  if (!content || !runningRows(content).some(flips)) return null;
  return reevaluate(store, org, head, content, { allowed: [fingerprint], field: 'artifact_fingerprint' });
}

function entryOf(
  { clock }: Store,
  { id: environment, index, state }: EnvironmentHead,
  { fingerprint, name, description, by }: Allowance,
  added: boolean,
  next: Pick<AllowedItem, 'at' | 'index' | 'state'> | null,
): AllowedItem {
  const at = next?.at ?? clock.now();
  return {
    id: newId(at),
    environment,
    fingerprint,
    name,
    description,
    at,
    added,
    by: { id: by.id, name: by.name },
    ...(next ? { index: next.index, state: next.state } : { index, state }),
  };
}
