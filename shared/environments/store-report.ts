import { again, retrying } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import { type Reading, readPresences } from '#shared/evidence/flow-verdicts.ts';
import type { Services } from '#shared/http/services.ts';
import type { Appended, EarlierRequest } from '#shared/table/idempotency.ts';
import { parallelCount } from '#shared/table/meter.ts';
import type { Write } from '#shared/table/table.ts';
import { readAttachedPolicies } from './attached-policies.ts';
import { evaluateWithEvidence, evaluationLimits, fingerprintsOf } from './evaluate.ts';
import { readNewestSealed } from './newest.ts';
import { nextSnapshot } from './next-content.ts';
import { readAllowed } from './records/allowed.ts';
import { entryUpdate, headWrites } from './records/environment-head.ts';
import type { EnvironmentHead } from './records/environment-records.ts';
import { openContent, type SealedContent } from './records/snapshots.ts';
import type { SnapshotContent } from './rules/content.ts';
import { type RunningArtifact, runningSetDigest } from './rules/running.ts';
import { sealSnapshot } from './seal-snapshot.ts';

/** A report evaluates at least once a day, even if no mark was raised (rules/environments.md#unchanged-report). */
const LONGEST_WITHOUT_EVALUATION: Micros = 24 * 3600 * 1_000_000;

type Store = Pick<Services, 'table' | 'objects' | 'clock'>;
type Outcome = 'done' | EarlierRequest;

export interface Report {
  /**
   * Reads the environment's head. Called again if another writer was first.
   * @throws ServiceError if the environment takes no such report
   */
  find(): Promise<EnvironmentHead>;
  running: readonly RunningArtifact[];
  /** What an issuer proved about the reporter. */
  identity?: VerifiedIdentity | undefined;
  /**
   * Returns the writes that claim the idempotency key. They store the answer, which depends on the stored snapshot; null
   * if none was stored.
   */
  claim(appended: Appended | null): Write<EarlierRequest>[];
}

/**
 * Stores a report of what runs in an environment. An unchanged report costs one read and one write
 * (rules/environments.md#unchanged-report). Any other report reads the evidence and stores a snapshot if it differs
 * (rules/environments.md#new-snapshot).
 * @returns `appended`: the stored snapshot, null if none was stored; `outcome`: the outcome of the idempotency claim
 * @throws Contention if other writers are in the way for 20 seconds
 */
export async function storeReport(
  store: Store,
  org: Organization,
  { find, running, identity, claim }: Report,
): Promise<{ outcome: Outcome; appended: Appended | null }> {
  const digest = runningSetDigest(running);
  /** Hashes of the snapshots that were tried to be stored: a transaction may succeed although its answer got lost. */
  const attempted: Uint8Array[] = [];
  return retrying(async () => {
    const head = await find();
    if (attempted.some((hash) => Buffer.compare(hash, head.hash) === 0)) {
      return { outcome: 'done', appended: { first: head.index, hashes: [head.hash] } };
    }
    if (isUnchanged(head, digest, store.clock.now())) {
      return storedOutcome(await recordReport(store, org, head, claim(null)), null);
    }
    const next = await evaluate(store, org, head, running);
    if (!next.needed) return storedOutcome(await recordEvaluation(store, org, head, claim(null)), null);
    const entry = { r: store.clock.now() };
    const draft = identity ? { ...next, content: { ...next.content, identity } } : next;
    const sealed = sealSnapshot<Outcome | 'again'>(store, org, head, draft, again, { entry });
    await sealed.upload();
    attempted.push(sealed.hash);
    const outcome = await store.table.transact<Outcome | 'again'>([...claim(sealed.appended), ...sealed.writes]);
    if (outcome === 'done') sealed.remember();
    return storedOutcome(outcome, sealed.appended);
  });
}

const storedOutcome = (outcome: Outcome | 'again', appended: Appended | null) =>
  outcome === 'again' ? outcome : { outcome, appended };

/** Whether a report needs no evaluation. */
export const isUnchanged = (
  { digest: known, mark, evaluatedMark, evaluatedAt }: EnvironmentHead,
  digest: string,
  now: Micros,
): boolean => known === digest && mark === evaluatedMark && now - evaluatedAt < LONGEST_WITHOUT_EVALUATION;

/**
 * Evaluates what runs and compares it with the newest snapshot. Takes two round trips for any number of artifacts: the
 * first reads what the head and the report name, the second what the results of the first name.
 */
async function evaluate(
  reading: Reading,
  org: Organization,
  head: EnvironmentHead,
  running: readonly RunningArtifact[],
) {
  const fingerprints = fingerprintsOf(running);
  const first = parallelCount();
  const [sealed, presences, policies, allowed] = await Promise.all([
    first(() => readNewestSealed(reading, org, head)),
    first(() => readPresences(reading, org, fingerprints)),
    first(() => readAttachedPolicies(reading, org, head.policies)),
    first(() => readAllowed(reading.table, org.id, head, fingerprints)),
  ]);
  const [before, evaluated] = await Promise.all([
    sealed && previousContent(reading, org, sealed),
    evaluateWithEvidence(reading, org, running, { presences, policies, allowed }, evaluationLimits('artifacts')),
  ]);
  return nextSnapshot(before, evaluated, policies);
}

/** Content of the newest snapshot. If it was erased, nothing counts as having run before. */
const previousContent = async (
  { objects }: Reading,
  org: Organization,
  sealed: SealedContent,
): Promise<SnapshotContent> => (await openContent(objects, org.id, sealed)) ?? { rows: [], policies: [] };

/** The one write of an unchanged report. It fails if the environment has no entry, because it was archived meanwhile. */
async function recordReport(
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

/** The writes of an evaluation that found no difference: the next report with the same mark need not evaluate. */
function recordEvaluation(
  { table, clock }: Store,
  org: Organization,
  head: EnvironmentHead,
  claim: Write<EarlierRequest>[],
): Promise<Outcome | 'again'> {
  const now = clock.now();
  const snapshot = { evaluatedMark: head.mark, evaluatedAt: now };
  return table.transact<Outcome | 'again'>([
    ...claim,
    ...headWrites(org.id, head, { snapshot }, again),
    entryUpdate(org.id, head.id, { r: now }, again),
  ]);
}
