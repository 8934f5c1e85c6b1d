import { type Fingerprint, newId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import type { Caller, Organization } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { claimAlone } from '#shared/http/written.ts';
import type { EarlierRequest } from '#shared/table/idempotency.ts';
import type { Write } from '#shared/table/table.ts';
import { readNewestContent } from './newest.ts';
import { runningRows } from './next-content.ts';
import { allowedWrites, readAllowedEntry } from './records/allowed.ts';
import { headUpdate } from './records/environment-head.ts';
import type { AllowedItem, EnvironmentHead } from './records/environment-records.ts';
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
 * Puts a fingerprint on an environment's allow-list, or gives it another reason there (semantics §5.7). Where it runs and
 * its verdict flips, the snapshot that says so is stored with the entry (semantics §5.3). The list counts as a setting:
 * a report that read it without the entry reads again.
 * @param beside what else is written with a new entry, given the one that it replaces; null = none
 * @param claim the idempotency claim of the answer that says whether there is a new entry
 * @returns `again` when another writer was first
 */
export async function allowArtifact(
  store: Store,
  org: Organization,
  head: EnvironmentHead,
  allowance: Allowance,
  beside: (replaced: AllowedItem | null) => Write[],
  claim: (isNew: boolean) => Write<EarlierRequest>[],
): Promise<{ outcome: Outcome; isNew: boolean }> {
  const { table } = store;
  const { fingerprint, name, description } = allowance;
  const [present, next] = await Promise.all([
    readAllowedEntry(table, org.id, head.id, fingerprint),
    snapshotWith(store, org, head, fingerprint),
  ]);
  if (present?.name === name && present.description === description) {
    return { outcome: await claimAlone(table, claim(false)), isNew: false };
  }
  await next?.sealed.upload();
  const entry = entryOf(store, head, allowance, present === null, next);
  const writes = next?.sealed.writes ?? [headUpdate(org.id, head, { settings: {} }, again)];
  const outcome = await table.transact<Outcome>([
    ...claim(true),
    ...writes,
    ...allowedWrites(org.id, entry),
    ...beside(present),
  ]);
  return { outcome, isNew: true };
}

/** The snapshot that the entry makes; null where it makes no difference to what runs. */
async function snapshotWith(store: Store, org: Organization, head: EnvironmentHead, fingerprint: Fingerprint) {
  if (head.kind === 'logical') return null;
  const content = await readNewestContent(store, org, head);
  const flips = (row: { fingerprint: string; compliant: boolean | null }) =>
    row.fingerprint === fingerprint && row.compliant !== true;
  if (!content || !runningRows(content).some(flips)) return null;
  const draft = await reevaluate(store, org, head, content, { allowed: [fingerprint] });
  return { draft, sealed: sealSnapshot(store, org, head, draft, again, { settings: {} }) };
}

function entryOf(
  { clock }: Store,
  { id: environment, index, state }: EnvironmentHead,
  { fingerprint, name, description, by }: Allowance,
  added: boolean,
  next: Awaited<ReturnType<typeof snapshotWith>>,
): AllowedItem {
  const at = next?.sealed.at ?? clock.now();
  return {
    ...{ id: newId(at), environment, fingerprint, name, description, at, added },
    by: { id: by.id, name: by.name },
    ...(next ? { index: next.sealed.index, state: next.draft.state } : { index, state }),
  };
}
