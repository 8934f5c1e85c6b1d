import { type Fingerprint, newId } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import { again, retrying } from '#shared/base/retry.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Caller, Organization } from '#shared/callers/caller.ts';
import { authored } from '#shared/organizations/records/audit.ts';
import { type Appended, storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { runningRows } from './next-content.ts';
import { presentEnvironment } from './present-environment.ts';
import { allowedWrites, readAllowedEntry } from './records/allowed.ts';
import { headWrites } from './records/environment-head.ts';
import { type AllowedItem, type EnvironmentHead, SHOWN_ALLOWED } from './records/environment-records.ts';
import { readNewestContent } from './records/snapshots.ts';
import { reevaluate } from './reevaluate.ts';
import { sealSnapshot } from './seal-snapshot.ts';

interface Allowance {
  fingerprint: Fingerprint;
  name: string;
  /** The reason. */
  description: string;
}

export interface ArtifactAllowed {
  isNew: boolean;
  /** The stored snapshot; null if none was stored. */
  appended: Appended | null;
}

export const ALLOW_ARTIFACT: Uses = {
  writes: ['ENV', 'SNAPSHOT', 'CATALOGUE', 'BODY', 'ALLOWED', 'AUDIT'],
  bucket: ['bodies:read', 'bodies:write'],
};

/**
 * Puts a fingerprint on an environment's allow-list, or replaces the name and the reason of its entry
 * (rules/environments.md#allow-list). If the fingerprint runs and its verdict changes, the same transaction stores a
 * snapshot with the new verdict. Otherwise it raises the head's `rev`. A report that read the list before then fails at
 * its commit and reads again. Nothing changes if the same entry is in force.
 *
 * @param environment present name or alias
 * @throws ServiceError `not-found` if the environment does not exist or is archived, `invalid` if the evidence takes too
 *   many reads
 */
export async function allowArtifact(
  stores: Stores,
  by: Author<ArtifactAllowed>,
  environment: EnvironmentName,
  allowance: Allowance,
): Promise<ArtifactAllowed> {
  const { table } = stores;
  const { org } = by;
  const { fingerprint, name, description } = allowance;
  return retrying(async () => {
    const head = await presentEnvironment(table, org, environment);
    const [present, draft] = await Promise.all([
      readAllowedEntry(table, org.id, head.id, fingerprint),
      draftSnapshot(stores, org, head, fingerprint),
    ]);
    if (present?.name === name && present.description === description) {
      const unchanged = { isNew: false, appended: null };
      await storeClaim(table, by.claim(unchanged));
      return unchanged;
    }
    const settings = present === null ? { allowed: head.allowed + 1 } : {};
    const sealed = draft && sealSnapshot(stores, org, head, draft, again, { settings });
    await sealed?.upload();
    const next = draft && sealed && { at: sealed.at, index: sealed.index, state: draft.state };
    const entry = entryOf(stores, head, allowance, by.caller, present === null, next);
    const audited = {
      kind: 'environment.artifact_allowed',
      subject: { type: 'environment', id: head.id, name: head.name },
      ...(present && { before: factsOf(present) }),
      after: { fingerprint, name, description },
      covers: [coverOf('allow-lists/allowed', undefined, lineOf(SHOWN_ALLOWED, entry))],
    } as const;
    const outcome = { isNew: true, appended: sealed?.appended ?? null };
    const done = await table.transact<'again'>([
      ...authored(by, audited, outcome),
      ...(sealed?.writes ?? headWrites(org.id, head, { settings }, again)),
      ...allowedWrites(org.id, entry),
    ]);
    return done === 'again' ? done : outcome;
  });
}

const factsOf = ({ fingerprint, name, description }: AllowedItem) => ({ fingerprint, name, description });

/** Drafts the snapshot that the entry causes; null if it changes no verdict of what runs. */
async function draftSnapshot(stores: Stores, org: Organization, head: EnvironmentHead, fingerprint: Fingerprint) {
  if (head.kind === 'logical') return null;
  const content = await readNewestContent(stores, org, head);
  // Age can no longer change the verdict of an artifact that is allowed.
  const flips = (row: { fingerprint: string; compliant: boolean | null }) =>
    row.fingerprint === fingerprint && (row.compliant !== true || Boolean(head.freshUntil));
  if (!content || !runningRows(content).some(flips)) return null;
  return reevaluate(stores, org, head, content, { allowed: [fingerprint], field: 'artifact_fingerprint' });
}

function entryOf(
  { clock }: Pick<Stores, 'clock'>,
  { id: environment, index, state }: EnvironmentHead,
  { fingerprint, name, description }: Allowance,
  by: Caller,
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
