import { again, retrying } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import type { StoredBody } from '#shared/bodies/bodies.ts';
import { type Reading, readPresences } from '#shared/evidence/flow-verdicts.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import type { EarlierRequest } from '#shared/table/idempotency.ts';
import type { Write } from '#shared/table/table.ts';
import { readAttachedPolicies } from './attached-policies.ts';
import { fingerprintsOf, judgeArtifacts } from './evaluate.ts';
import { readNewestBody } from './newest.ts';
import { nextSnapshot } from './next-content.ts';
import { readAllowed } from './records/allowed.ts';
import { entryUpdate, headUpdate } from './records/environment-head.ts';
import type { EnvironmentHead } from './records/environment-records.ts';
import { openContent } from './records/snapshots.ts';
import type { SnapshotContent } from './rules/content.ts';
import { type RunningArtifact, runningSetDigest } from './rules/running.ts';
import { sealSnapshot } from './seal-snapshot.ts';

/** Once a day a report evaluates, even where nothing says that it would find anything new (design §5). */
const EVALUATED_ANYWAY: Micros = 24 * 3600 * 1_000_000;

type Store = Pick<Services, 'table' | 'objects' | 'clock'>;
type Outcome = 'done' | EarlierRequest;

export interface Report {
  /** The environment as it is now: called again when another writer was first. @throws ApiError where it is not there */
  find(): Promise<EnvironmentHead>;
  running: readonly RunningArtifact[];
  /** The idempotency claim of the answer that says whether a snapshot was stored. */
  claim(stored: boolean): Write<EarlierRequest>[];
}

/**
 * Takes in what runs in an environment (semantics §5.2, §5.3). Where nothing changed that is one read and one write,
 * else the evidence is read, and a snapshot is stored if it makes a difference (design §5, «The unchanged report»).
 * @returns whether a snapshot was stored, and the outcome of the idempotency claim
 * @throws Contention when other writers are in the way for too long
 */
export async function storeReport(
  store: Store,
  org: Organization,
  { find, running, claim }: Report,
): Promise<{ outcome: Outcome; stored: boolean }> {
  const digest = runningSetDigest(running);
  /** Hashes of attempts that nobody heard of any more. */
  const attempted: Uint8Array[] = [];
  return retrying(async () => {
    const head = await find();
    if (attempted.some((hash) => Buffer.compare(hash, head.hash) === 0)) return { outcome: 'done', stored: true };
    if (isUnchanged(head, digest, store.clock.now())) {
      return told(await noteReport(store, org, head, claim(false)), false);
    }
    const next = await evaluate(store, org, head, running);
    if (!next.needed) return told(await noteEvaluation(store, org, head, claim(false)), false);
    const entry = { r: store.clock.now() };
    const sealed = sealSnapshot<Outcome | 'again'>(store, org, head, next, again, { entry });
    await sealed.upload();
    attempted.push(sealed.hash);
    const outcome = await store.table.transact<Outcome | 'again'>([...claim(true), ...sealed.writes]);
    if (outcome === 'done') sealed.remember();
    return told(outcome, true);
  });
}

const told = (outcome: Outcome | 'again', stored: boolean) => (outcome === 'again' ? outcome : { outcome, stored });

/** Whether a report needs no look at the evidence. */
export const isUnchanged = (
  { digest: known, mark, evaluatedMark, evaluatedAt }: EnvironmentHead,
  digest: string,
  now: Micros,
): boolean => known === digest && mark === evaluatedMark && now - evaluatedAt < EVALUATED_ANYWAY;

/**
 * What runs now beside what ran before. Two trips, whatever their size: first what the head and the report name, then
 * what that leads to.
 */
async function evaluate(
  reading: Reading,
  org: Organization,
  head: EnvironmentHead,
  running: readonly RunningArtifact[],
) {
  const fingerprints = fingerprintsOf(running);
  const [body, presences, policies, allowed] = await Promise.all([
    readNewestBody(reading, org, head),
    readPresences(reading, org, fingerprints),
    readAttachedPolicies(reading, org, head.policies),
    readAllowed(reading.table, org.id, head.id, fingerprints),
  ]);
  const [before, evaluated] = await Promise.all([
    body && contentBefore(reading, org, body),
    judgeArtifacts(reading, org, running, { presences, policies, allowed }),
  ]);
  return nextSnapshot(before, evaluated, policies);
}

/** After an erasure nothing is known to have run before, so that everything starts anew. */
const contentBefore = async ({ objects }: Reading, org: Organization, body: StoredBody): Promise<SnapshotContent> =>
  (await openContent(objects, org.id, body)) ?? { rows: [], policies: [] };

/** The one write of an unchanged report; an environment without an entry was archived meanwhile. */
async function noteReport(
  { table, clock }: Store,
  org: Organization,
  head: EnvironmentHead,
  claim: Write<EarlierRequest>[],
): Promise<Outcome | 'again'> {
  const write = entryUpdate(org.id, head.id, { r: clock.now() }, again);
  if (claim.length > 0) return table.transact<Outcome | 'again'>([...claim, write]);
  const { update: key, refused, ...update } = write;
  return (await table.update(key, update)) ? 'done' : refused();
}

/** Nothing differs by the evidence either: that mark needs no second look. */
function noteEvaluation(
  { table, clock }: Store,
  org: Organization,
  head: EnvironmentHead,
  claim: Write<EarlierRequest>[],
): Promise<Outcome | 'again'> {
  const now = clock.now();
  const snapshot = { evaluatedMark: head.mark, evaluatedAt: now };
  return table.transact<Outcome | 'again'>([
    ...claim,
    headUpdate(org.id, head, { snapshot }, again),
    entryUpdate(org.id, head.id, { r: now }, again),
  ]);
}
