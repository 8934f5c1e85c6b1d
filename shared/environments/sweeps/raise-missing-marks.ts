import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import type { EffectsContext, MarkNews } from '../effects-context.ts';
import { affectedEnvironments } from '../raise-marks.ts';
import type { EnvironmentHead } from '../records/environment-records.ts';
import { readEnvironmentHeads } from '../records/environments.ts';
import { raiseMark } from '../records/marks.ts';

const WIDTH = 16;
/**
 * An evaluation that ends this long after a change has certainly read the change: a request takes at most 30 seconds from
 * its time to its commit, and an evaluation at most 30 seconds from its reads to its end.
 */
const CERTAINLY_READ: Micros = 60_000_000;

/**
 * Raises the marks that the relay may not have raised, for changes that have settled (rules/environments.md#marks). An
 * environment whose mark waits for a report, or that was evaluated a minute after the change, needs none. The sweep cannot
 * tell whether an earlier evaluation read the change; then the mark is raised a second time.
 * @param changedAt time of the latest change of a flow or a policy
 * @returns how many marks were raised
 */
export async function raiseMissingMarks(context: EffectsContext, news: MarkNews, changedAt: Micros): Promise<number> {
  if (news.moments.length + news.flows.size + news.policies.size === 0) return 0;
  const { table } = context.services;
  const affected = await affectedEnvironments(context, news);
  const heads = await readEnvironmentHeads(table, news.org, [...affected.keys()]);
  const missing = [...heads.values()].filter((head) => mayMiss(head, Math.max(changedAt, affected.get(head.id) ?? 0)));
  await inParallel(missing, WIDTH, ({ id }) => raiseMark(table, news.org, id));
  return missing.length;
}

const mayMiss = ({ kind, archived, mark, evaluatedMark, evaluatedAt }: EnvironmentHead, at: Micros): boolean =>
  kind !== 'logical' && archived === null && mark === evaluatedMark && evaluatedAt < at + CERTAINLY_READ;
