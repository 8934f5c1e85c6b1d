import type { FlowName, TrailName } from '#shared/base/names.ts';
import { again } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Caller, Organization } from '#shared/callers/caller.ts';
import type { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import type { Appended } from '#shared/table/idempotency.ts';
import type { Write } from '#shared/table/table.ts';
import { type PreparedCommit, prepareCommit } from './records/commit-texts.ts';
import { eventRepoOf, findRepos, planRepo, type Repo } from './records/repos.ts';
import { loadTemplate } from './records/templates.ts';
import { type Commit, commitToTrail, type Plan } from './records/trail-commit.ts';
import type { EventRepo } from './records/trail-items.ts';
import type { Situation } from './records/trails.ts';
import { unknownFlow } from './rules/sentences.ts';
import { type CommitInfo, commitOf, type RepoInfo, usableRepo } from './rules/shared-fields.ts';
import type { SlotChange, TrailState } from './rules/trail-state.ts';

/**
 * Outcomes of a report's transaction besides success. `again`: another writer was first. `seen`: an earlier attempt,
 * whose answer was lost, has stored the record.
 */
export type Refusal = 'again' | 'seen';

/** What a report did. */
export interface Reported<Made> {
  made: Made;
  /** The moments that the report appended; undefined if none, or if an earlier attempt appended them. */
  appended?: Appended | undefined;
}

/** Who reports. */
export type Reporter = Pick<Author, 'org' | 'caller'>;

export interface ReportPlan<Made> extends Plan<Refusal> {
  made: Made;
}

/**
 * Applies a report to a trail.
 *
 * @param decide plans the moments; runs again after each lost race
 * @param options `fields` reads the trail's own fields as well
 * @throws ServiceError `not-found` if the flow is archived: its long name can be read, but takes no reports
 *   (rules/flows.md#archive)
 */
export async function report<Made>(
  stores: Stores,
  by: Author<Reported<Made>>,
  target: { flow: FlowName; trail: TrailName },
  decide: (situation: Situation) => Promise<ReportPlan<Made>>,
  options: { fields?: boolean } = {},
): Promise<Reported<Made>> {
  /** What each attempt would have done. */
  const attempts: Reported<Made>[] = [];
  const outcome = await commitToTrail<Refusal>(
    commitOfReporter(stores, by),
    target,
    async (situation) => {
      if (situation.flow && situation.flow.archived !== null) {
        throw unknownFlow({ flow: target.flow, org: by.org.name });
      }
      const { made, ...plan } = await decide(situation);
      const claim = (appended?: Appended) => {
        const attempt = { made, appended };
        attempts.push(attempt);
        return by.claim(attempt);
      };
      return { ...plan, claim };
    },
    options,
  );
  const last = attempts.at(-1);
  if (outcome === 'again' || !last) throw new Error('A commit ended without carrying out its plan');
  // After several attempts it is not known which one stored the moments of the record.
  return outcome === 'seen' && attempts.length > 1 ? { made: last.made } : last;
}

/** Returns what a commit to a trail needs of the stores and of the caller. */
export const commitOfReporter = ({ table, objects, clock }: Stores, { org, caller }: Reporter): Commit => ({
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
 * a retry after a lost race needs fresh data.
 */
export function startFirstRead<T>(read: () => Promise<T>): () => Promise<T> {
  let first: (() => Promise<T>) | undefined = startOnce(read);
  return () => {
    const started = first ?? read;
    first = undefined;
    return started();
  };
}

/**
 * Starts work immediately. Every call of the returned function gets the same result. A failure rejects when the
 * function is called, not before: an unhandled rejection would end the process.
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
export function startRepo(
  stores: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  info: RepoInfo | null | undefined,
) {
  const usable = usableRepo(info);
  const read = usable && startFirstRead(() => findRepos(stores.table, org.id, usable.id));
  return async (state: TrailState | undefined): Promise<ReportedRepo> => {
    if (!usable || !read) return { repo: null, event: undefined, changes: [], writes: [] };
    const { repo, writes } = planRepo<'again'>(org.id, await read(), usable, stores.clock.now(), again);
    const known = state?.repos.includes(repo.id) ?? false;
    return { repo, event: eventRepoOf(repo), changes: known ? [] : [{ kind: 'repo', id: repo.id }], writes };
  };
}

interface ReportedRepo {
  repo: Repo | null;
  event: EventRepo | undefined;
  /** Adds the repository to the trail's list if the trail does not have it yet. */
  changes: SlotChange[];
  writes: Write<'again'>[];
}

/** Prepares the commit that a report names, for the list of events of its trail. */
export function reportedCommit(
  { objects }: Pick<Stores, 'objects'>,
  org: Organization,
  target: { flow: FlowName; trail: TrailName },
  info: CommitInfo | null | undefined,
): PreparedCommit | undefined {
  const commit = commitOf(info);
  return commit ? prepareCommit(objects, org.id, target, JSON.stringify(commit)) : undefined;
}
