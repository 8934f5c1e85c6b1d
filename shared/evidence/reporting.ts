import { again } from '#shared/base/retry.ts';
import type { Caller, Organization } from '#shared/callers/caller.ts';
import type { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import type { Answer } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { appendingAnswer, ok } from '#shared/http/written.ts';
import type { EarlierRequest, IdempotencyClaim } from '#shared/table/idempotency.ts';
import type { Write } from '#shared/table/table.ts';
import { eventRepoOf, findRepos, planRepo, type Repo } from './records/repos.ts';
import { loadTemplate } from './records/templates.ts';
import { type Commit, commitToTrail, type Plan, type PreparedCommit, prepareCommit } from './records/trail-commit.ts';
import type { Situation } from './records/trails.ts';
import type { EventRepo } from './rules/events.ts';
import { unknownFlow } from './rules/sentences.ts';
import { type CommitInfo, commitOf, type RepoInfo, usableRepo } from './rules/shared-fields.ts';
import type { SlotChange, TrailState } from './rules/trail-state.ts';

/**
 * Outcomes of a report's transaction besides success. `again`: another writer was first. `seen`: an earlier attempt,
 * whose answer was lost, has stored the record. {@link EarlierRequest}: the same `Idempotency-Key` was answered before.
 */
export type Refusal = 'again' | 'seen' | EarlierRequest;

/** The answer to every report. */
export type ReportAnswer = Answer<'OK'>;

/** The caller of a report, its organization and its idempotency claim. */
export interface Reporter {
  org: Organization;
  caller: Caller;
  idempotency?: IdempotencyClaim;
}

export interface ReportPlan extends Plan<Refusal> {
  answer: ReportAnswer;
}

/**
 * Applies a report to a trail and returns the answer.
 *
 * @param decide plans the moments; runs again after each lost race
 * @param options `fields` reads the trail's own fields as well
 * @throws ServiceError `not-found` if the flow is archived: its long name can be read, but takes no reports
 *   (rules/flows.md#archive)
 */
export async function report(
  services: Services,
  { org, caller, idempotency }: Reporter,
  target: { flow: string; trail: string },
  decide: (situation: Situation) => Promise<ReportPlan>,
  options: { fields?: boolean } = {},
): Promise<ReportAnswer> {
  const { clock } = services;
  let answer = appendingAnswer(ok(201), idempotency, () => clock.now());
  let attempts = 0;
  const outcome = await commitToTrail<Refusal>(
    commitOfReporter(services, { org, caller }),
    target,
    async (situation) => {
      if (situation.flow && situation.flow.archived !== null) throw unknownFlow({ flow: target.flow, org: org.name });
      const plan = await decide(situation);
      answer = appendingAnswer(plan.answer, idempotency, () => clock.now());
      attempts += 1;
      return { ...plan, claim: answer.claim };
    },
    options,
  );
  if (outcome === 'again') throw new Error('A commit ended with `again`, which it retries itself');
  if (outcome !== 'seen') return answer.written(outcome);
  const { appended, ...rest } = answer.written('done');
  // After several attempts it is not known which one stored the moments of the record.
  return attempts === 1 ? { ...rest, appended } : rest;
}

/** Returns what a commit to a trail needs of the services and of the caller. */
export const commitOfReporter = (
  { table, objects, clock }: Services,
  { org, caller }: Pick<Reporter, 'org' | 'caller'>,
): Commit => ({
  table,
  objects,
  clock,
  org: org.id,
  author: { id: caller.id, name: caller.name, ...identityOf(caller) },
  loadTemplate: (digest) => loadTemplate(table, objects, org.id, digest),
});

/** The identity of a caller as a field of a record; none if no issuer proved one (rules/identities.md#evidence-says-who). */
export const identityOf = ({ identity }: Pick<Caller, 'identity'>): { identity?: VerifiedIdentity } =>
  identity ? { identity } : {};

/**
 * Starts a read immediately. The first call of the returned function gets this result; each later call reads again, as
 * a retry after a lost race needs fresh data. A failed read rejects when the function is called, not before: an
 * unhandled rejection would end the process.
 */
export function startFirstRead<T>(read: () => Promise<T>): () => Promise<T> {
  let early: Promise<PromiseSettledResult<T>[]> | undefined = Promise.allSettled([read()]);
  return async () => {
    const started = early;
    early = undefined;
    const [outcome] = (await started) ?? [];
    if (!outcome) return read();
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  };
}

/**
 * Starts work immediately. Every call of the returned function gets the same result. A failure rejects when the
 * function is called, not before.
 */
export function startOnce<T>(work: () => Promise<T>): () => Promise<T> {
  const started = Promise.allSettled([work()]);
  return async () => {
    const [outcome] = await started;
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  };
}

/**
 * Starts reading the repository that a report names (rules/lookups.md#repository-capture). The returned function plans
 * how the repository and the trail change; without a usable block it returns a plan without changes.
 */
export function startRepo(services: Services, org: Organization, info: RepoInfo | null | undefined) {
  const usable = usableRepo(info);
  const read = usable && startFirstRead(() => findRepos(services.table, org.id, usable.id));
  return async (state: TrailState | undefined): Promise<ReportedRepo> => {
    if (!usable || !read) return { repo: null, event: undefined, changes: [], writes: [] };
    const { repo, writes } = planRepo<'again'>(org.id, await read(), usable, services.clock.now(), again);
    const known = state?.repos.includes(repo.id) ?? false;
    return { repo, event: eventRepoOf(repo), changes: known ? [] : [{ kind: 'repo', id: repo.id }], writes };
  };
}

export interface ReportedRepo {
  repo: Repo | null;
  event: EventRepo | undefined;
  /** Adds the repository to the trail's list if the trail does not have it yet. */
  changes: SlotChange[];
  writes: Write<'again'>[];
}

/** Prepares the commit that a report names, for the list of events of its trail. */
export function reportedCommit(
  services: Services,
  org: Organization,
  target: { flow: string; trail: string },
  info: CommitInfo | null | undefined,
): PreparedCommit | undefined {
  const commit = commitOf(info);
  return commit ? prepareCommit(services.objects, org.id, target, JSON.stringify(commit)) : undefined;
}
