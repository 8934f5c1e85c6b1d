import type { EnvironmentName } from '#shared/base/names.ts';
import { again, retrying } from '#shared/base/retry.ts';
import type { Duration, Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type Reading, readPresences } from '#shared/evidence/flow-verdicts.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import type { Appended } from '#shared/table/idempotency.ts';
import { parallelCount } from '#shared/table/meter.ts';
import type { Item, Table, Write } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { readAttachedPolicies } from './attached-policies.ts';
import { evaluateWithEvidence, evaluationLimits, fingerprintsOf } from './evaluate.ts';
import { nextSnapshot, type SnapshotDraft } from './next-content.ts';
import { presentEnvironment } from './present-environment.ts';
import { readAllowed } from './records/allowed.ts';
import { freshnessChange, headWrites } from './records/environment-head.ts';
import type { EnvironmentHead } from './records/environment-records.ts';
import { type EntryOfReport, reportWrites, type Uncounted } from './records/report-counts.ts';
import { openContent, readNewestSealed, type SealedContent } from './records/snapshots.ts';
import type { SnapshotContent } from './rules/content.ts';
import type { ReportKind } from './rules/environment-kinds.ts';
import { type RunningArtifact, runningSetDigest } from './rules/running.ts';
import { reportOfOtherKind, reportToLogical } from './rules/sentences.ts';
import { ENVIRONMENTS } from './rules/series-kinds.ts';
import { sealSnapshot } from './seal-snapshot.ts';

/** A report evaluates at least once a day, even if no mark was raised (rules/environments.md#unchanged-report). */
const LONGEST_WITHOUT_EVALUATION: Duration = 24 * 3600 * 1_000_000;

export const STORE_REPORT: Uses = {
  writes: ['ENV', 'SNAPSHOT', 'CATALOGUE', 'PRESENCE', 'BODY', 'AUDIT'],
  bucket: ['bodies:read', 'bodies:write'],
};

/** A report of everything that runs in an environment. */
interface Report {
  /** Name of the environment, present or former. */
  environment: EnvironmentName;
  kind: ReportKind;
  running: readonly RunningArtifact[];
}

/**
 * Stores a report of what runs in an environment. An unchanged report costs one read and one write
 * (rules/environments.md#unchanged-report). Any other report reads the evidence and stores a snapshot if it differs
 * (rules/environments.md#new-snapshot).
 *
 * @returns the stored snapshot; null if none was stored
 * @throws ServiceError `not-found` if the environment does not exist or is archived, `invalid` if it takes no reports or
 *   reports of another kind
 * @throws Contention if other writers are in the way for 20 seconds
 */
export async function storeReport(
  stores: Stores,
  by: Author<Appended | null>,
  { environment, kind, running }: Report,
): Promise<Appended | null> {
  const { table, clock } = stores;
  const { org, caller } = by;
  const digest = runningSetDigest(running);
  /** Hashes of the snapshots that were tried to be stored: a transaction may succeed although its answer got lost. */
  const attempted: Uint8Array[] = [];
  return retrying(async () => {
    const head = await reportedEnvironment(table, org, environment);
    if (head.kind !== kind) throw reportOfOtherKind({ env: head.name, type: head.kind, given: kind });
    if (attempted.some((hash) => Buffer.compare(hash, head.hash) === 0)) {
      return { first: head.index, hashes: [head.hash] };
    }
    if (isUnchanged(head, digest, clock.now()))
      return nullIfDone(await recordReport(stores, org, head, by.claim(null)));
    const next = await evaluate(stores, org, head, running);
    const { draft: found, entry } = next;
    if (!found.needed) return nullIfDone(await recordEvaluation(stores, org, head, next, by.claim(null)));
    const { identity } = caller;
    const draft = identity ? { ...found, content: { ...found.content, identity } } : found;
    const sealed = sealSnapshot(stores, org, head, draft, again, { entry: 'apart' });
    await sealed.upload();
    attempted.push(sealed.hash);
    const writes = [...by.claim(sealed.appended), ...sealed.writes];
    const done = await countReport(stores, org, head, { changes: sealed.entry, others: writes, seen: entry });
    if (done === 'again') return done;
    sealed.remember();
    return sealed.appended;
  });
}

const nullIfDone = (outcome: 'done' | 'again') => (outcome === 'again' ? outcome : null);

/**
 * Refuses a report whose kind does not exist (rules/environments.md#refused-reports).
 *
 * @param given the word of the request
 * @throws ServiceError `not-found` if the environment does not exist or is archived, else `invalid`
 */
export async function refuseReport(
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  environment: EnvironmentName,
  given: string,
): Promise<never> {
  const { name, kind } = await reportedEnvironment(table, org, environment);
  throw reportOfOtherKind({ env: name, type: kind, given });
}

/** @throws ServiceError `not-found` if the environment does not exist or is archived, `invalid` if it is logical */
async function reportedEnvironment(table: Table, org: Organization, name: EnvironmentName): Promise<EnvironmentHead> {
  const head = await presentEnvironment(table, org, name);
  if (head.kind === 'logical') throw reportToLogical({ env: head.name });
  return head;
}

/** Whether a report needs no evaluation. */
const isUnchanged = (
  { digest: known, mark, evaluatedMark, evaluatedAt, freshUntil }: EnvironmentHead,
  digest: string,
  now: Micros,
): boolean =>
  known === digest &&
  mark === evaluatedMark &&
  now - evaluatedAt < LONGEST_WITHOUT_EVALUATION &&
  (!freshUntil || now <= freshUntil);

/** What an evaluation found, and the entry of the environment: it says how the transaction has to count the report. */
interface Evaluated {
  draft: SnapshotDraft & { needed: boolean };
  entry: Item | undefined;
}

/**
 * Evaluates what runs and compares it with the newest snapshot. Takes two round trips for any number of artifacts: the
 * first reads what the head and the report name, the second what the results of the first name.
 */
async function evaluate(
  reading: Reading & Pick<Stores, 'clock'>,
  org: Organization,
  head: EnvironmentHead,
  running: readonly RunningArtifact[],
): Promise<Evaluated> {
  const fingerprints = fingerprintsOf(running);
  const at = reading.clock.now();
  const first = parallelCount();
  const [sealed, presences, policies, allowed, entry] = await Promise.all([
    first(() => readNewestSealed(reading, org, head)),
    first(() => readPresences(reading, org, fingerprints)),
    first(() => readAttachedPolicies(reading, org, head.policies)),
    first(() => readAllowed(reading.table, org.id, head, fingerprints)),
    first(() => reading.table.get(catalogueKey(org.id, ENVIRONMENTS.name, head.id))),
  ]);
  const [before, evaluated] = await Promise.all([
    sealed && previousContent(reading, org, sealed),
    evaluateWithEvidence(reading, org, running, { presences, policies, allowed, at }, evaluationLimits('artifacts')),
  ]);
  return { draft: nextSnapshot(before, evaluated, policies), entry };
}

/** Content of the newest snapshot. If it was erased, nothing counts as having run before. */
const previousContent = async (
  { objects }: Reading,
  org: Organization,
  sealed: SealedContent,
): Promise<SnapshotContent> => (await openContent(objects, org.id, sealed)) ?? { rows: [], policies: [] };

/** The one write of an unchanged report. */
const recordReport = (
  stores: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  head: EnvironmentHead,
  claim: readonly Write[],
): Promise<'done' | 'again'> => countReport(stores, org, head, { changes: {}, others: claim, seen: undefined });

/** The writes of an evaluation that found no difference: the next report with the same mark need not evaluate. */
function recordEvaluation(
  stores: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  head: EnvironmentHead,
  { draft, entry }: Evaluated,
  claim: readonly Write[],
): Promise<'done' | 'again'> {
  const fresh = freshnessChange(head, draft.freshUntil);
  const snapshot = { evaluatedMark: head.mark, evaluatedAt: stores.clock.now(), ...fresh.snapshot };
  const others = [...claim, ...headWrites(org.id, head, { snapshot }, again)];
  return countReport(stores, org, head, { changes: fresh.entry, others, seen: entry });
}

/** Reports at the same time refuse each other's writes. After so many attempts the report begins again. */
const MOST_ATTEMPTS = 5;

/**
 * Stores a report and counts it (rules/environments.md#count-of-reports). Fails if the environment has no entry, because it was
 * archived meanwhile.
 *
 * @param others what the transaction writes besides. A report without other writes needs no transaction
 * @param seen the entry if it was read anyway: then the first report of a day and the end of a long silence need no second attempt
 */
async function countReport(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  head: EnvironmentHead,
  {
    changes,
    others,
    seen: read,
  }: { changes: EntryOfReport; others: readonly Write<'again'>[]; seen: Item | undefined },
): Promise<'done' | 'again'> {
  const reported = { org: org.id, environment: head.id, changes, now: clock.now() };
  let seen = read;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const writes = reportWrites(reported, seen);
    const isAlone = others.length === 0 && writes.others.length === 0;
    const outcome: 'done' | 'again' | Uncounted = isAlone
      ? await table.writeAlone(writes.entry)
      : await table.transact([...others, writes.entry, ...writes.others]);
    if (typeof outcome === 'string') return outcome;
    seen = outcome.seen;
  }
  return 'again';
}
