import { again } from '#shared/base/retry.ts';
import type { Caller, Organization } from '#shared/http/endpoint.ts';
import { answerOf } from '#shared/http/idempotency.ts';
import type { Services } from '#shared/http/services.ts';
import type { IdempotencyClaim } from '#shared/table/idempotency.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import type { Write } from '#shared/table/table.ts';
import { findRepos, planRepo, type Repo, repoOfTrail } from './records/repos.ts';
import { loadTemplate } from './records/templates.ts';
import { type Commit, commitToTrail, type NamedCommit, namedCommit, type Plan } from './records/trail-commit.ts';
import type { Situation } from './records/trails.ts';
import type { EventRepo } from './rules/events.ts';
import { unknownFlow } from './rules/sentences.ts';
import { type CommitInfo, commitOf, type RepoInfo, usableRepo } from './rules/shared-fields.ts';
import type { SlotChange, TrailState } from './rules/trail-state.ts';

/**
 * Outcomes of a report's transaction beside success: tried again, done by an attempt whose answer was lost, or answered
 * before under the same key.
 */
export type Refusal = 'again' | 'seen' | EarlierRequest;

/** Every report is answered with the same word. */
export interface ReportAnswer {
  status: number;
  body: 'OK';
}

/** Who reports, to which organization, under which claim. */
export interface Reporter {
  org: Organization;
  caller: Caller;
  idempotency?: IdempotencyClaim;
}

export interface ReportPlan extends Plan<Refusal> {
  answer: ReportAnswer;
}

/**
 * Changes a trail by a report and gives the answer. An archived flow is found under its long name, but takes no more
 * reports (wire flows §3 F5).
 */
export async function report(
  services: Services,
  { org, caller, idempotency }: Reporter,
  target: { flow: string; trail: string },
  decide: (situation: Situation) => Promise<ReportPlan>,
  options: { fields?: boolean } = {},
): Promise<ReportAnswer> {
  const { table, objects, clock } = services;
  const commit: Commit = {
    ...{ table, objects, clock, org: org.id, author: { id: caller.id, name: caller.name } },
    loadTemplate: (digest) => loadTemplate(table, objects, org.id, digest),
  };
  let answer: ReportAnswer = { status: 201, body: 'OK' };
  const outcome = await commitToTrail<Refusal>(
    commit,
    target,
    async (situation) => {
      if (situation.flow && situation.flow.archived !== null) throw unknownFlow({ flow: target.flow, org: org.name });
      const plan = await decide(situation);
      answer = plan.answer;
      return { ...plan, writes: [...(plan.writes ?? []), ...claimWrites(idempotency, answer, clock.now())] };
    },
    options,
  );
  if (outcome === 'done' || outcome === 'seen') return answer;
  if (outcome === 'again') throw new Error('A commit ended undecided');
  return { status: answerOf(outcome).status, body: 'OK' };
}

/**
 * A read that starts now, for the first time that it is asked for; whoever decides anew reads anew. A fault waits until
 * somebody asks, so that it cannot end the process before.
 */
export function startedEarly<T>(read: () => Promise<T>): () => Promise<T> {
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

/** Work that starts now and is done once, however often it is asked for. A fault waits until somebody asks. */
export function startedOnce<T>(work: () => Promise<T>): () => Promise<T> {
  const started = Promise.allSettled([work()]);
  return async () => {
    const [outcome] = await started;
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  };
}

/** The repository that a report names, read before anything is decided; undefined where the block is not usable. */
export function startRepo(services: Services, org: Organization, info: RepoInfo | null | undefined) {
  const usable = usableRepo(info);
  const read = usable && startedEarly(() => findRepos(services.table, org.id, usable.id));
  return async (state: TrailState | undefined): Promise<ReportedRepo> => {
    if (!usable || !read) return { repo: null, event: undefined, changes: [], writes: [] };
    const { repo, writes } = planRepo<'again'>(org.id, await read(), usable, services.clock.now(), again);
    const known = state?.repos.includes(repo.id) ?? false;
    return { repo, event: repoOfTrail(repo), changes: known ? [] : [{ kind: 'repo', id: repo.id }], writes };
  };
}

export interface ReportedRepo {
  repo: Repo | null;
  event: EventRepo | undefined;
  /** The trail's list of repositories grows by it. */
  changes: SlotChange[];
  writes: Write<'again'>[];
}

/** The commit that a report names, for the trail's list of events. */
export function commitNamed(
  services: Services,
  org: Organization,
  info: CommitInfo | null | undefined,
): NamedCommit | undefined {
  const commit = commitOf(info);
  return commit ? namedCommit(services.objects, org.id, JSON.stringify(commit)) : undefined;
}
