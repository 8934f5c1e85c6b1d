import type { Id, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { snapshotKey } from '#shared/environments/records/keys.ts';
import { evaluationKey } from '#shared/evaluations/records/keys.ts';
import { momentKey } from '#shared/evidence/records/keys.ts';
import type { Moment } from '#shared/evidence/records/moments.ts';
import { auditKey } from '#shared/organizations/records/keys.ts';
import type { Queue } from '#shared/queues/queue.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { type AsideContext, setItemAside } from '#shared/sweeps/set-aside.ts';
import { type Item, type Key, keyText } from '#shared/table/table.ts';
import { type ChainEnd, missingEnds } from '../chain-ends.ts';
import { entryOfItem } from '../item-entries.ts';
import { readClaims } from '../records/claims.ts';
import { statementKey } from '../records/keys.ts';
import { StatementItem } from '../records/statements.ts';
import type { Subject } from '../rules/entry.ts';
import { type LogEntries, sendLogEntries } from '../send-entries.ts';

export interface MissingEntries extends AsideContext {
  services: AsideContext['services'] & { logEntries: Queue };
}

interface Link {
  subject: Subject;
  key: Key;
}

/**
 * Sends the entries of moments that are not in the log to the integrator (`rules/log.md#missing-links`).
 * @returns how many entries were sent
 */
export const sendMissingMoments = (
  context: MissingEntries,
  org: OrganizationId,
  moments: readonly Moment[],
): Promise<number> =>
  sendMissing(
    context,
    org,
    moments.map(({ flow, trail, name, number }) => ({
      subject: { kind: 'trail', flow, trail, number },
      key: momentKey(org, flow, name, number),
    })),
  );

/** Does the same as {@link sendMissingMoments} for the newest snapshots of environments. */
export const sendMissingSnapshots = (
  context: MissingEntries,
  org: OrganizationId,
  heads: readonly Pick<EnvironmentHead, 'id' | 'index'>[],
): Promise<number> =>
  sendMissing(
    context,
    org,
    heads.map(({ id: environment, index: number }) => ({
      subject: { kind: 'environment', environment, number },
      key: snapshotKey(org, environment, number),
    })),
  );

/** Does the same as {@link sendMissingMoments} for entries of the audit log. */
export const sendMissingAudit = (context: MissingEntries, org: OrganizationId, ids: readonly Id[]): Promise<number> =>
  sendMissing(
    context,
    org,
    ids.map((entry) => ({ subject: { kind: 'audit', entry }, key: auditKey(org, monthOf(entry), entry) })),
  );

/** Does the same as {@link sendMissingMoments} for evaluations. One that is still pending has no entry yet. */
export const sendMissingEvaluations = (
  context: MissingEntries,
  org: OrganizationId,
  ids: readonly Id[],
): Promise<number> =>
  sendMissing(
    context,
    org,
    ids.map((evaluation) => ({ subject: { kind: 'evaluation', evaluation }, key: evaluationKey(org, evaluation) })),
  );

/** Does the same as {@link sendMissingMoments} for statements that were sent to the log before an instant. */
export async function sendMissingStatements(
  context: MissingEntries,
  org: OrganizationId,
  items: readonly Item[],
  before: Micros,
): Promise<number> {
  const links: Link[] = [];
  for (const item of items) {
    const { data, error } = StatementItem.safeParse(item);
    if (!data) await setItemAside(context, item, null, error);
    else if (data.sent <= before) {
      const digest = Buffer.from(data.digest).toString('hex');
      links.push({ subject: { kind: 'statement', digest }, key: statementKey(org, data.sk) });
    }
  }
  return sendMissing(context, org, links);
}

/** Does the same as {@link sendMissingMoments} for the newest links of chains. The integrator adds those before them. */
export async function sendMissingEnds(
  { services, log }: MissingEntries,
  org: OrganizationId,
  ends: readonly ChainEnd[],
): Promise<void> {
  const { entries, trails } = await missingEnds({ table: services.table, org, log }, ends);
  await sendLogEntries(services, { org, entries: entries.map(({ bytes }) => bytes), trails });
}

async function sendMissing(context: MissingEntries, org: OrganizationId, links: readonly Link[]): Promise<number> {
  const { table } = context.services;
  const claims = await readClaims(
    table,
    org,
    links.map(({ subject }) => subject),
  );
  const missing = links.filter((_, i) => !claims[i]);
  const items = await table.getMany(missing.map(({ key }) => key));
  const news: LogEntries = { org, entries: [], trails: new Map() };
  for (const { key } of missing) {
    const item = items.get(keyText(key));
    if (!item) continue;
    try {
      const entry = entryOfItem(item);
      if (!entry) continue;
      news.entries.push(entry.bytes);
      if (entry.trail) news.trails.set(entry.trail.id, entry.trail.name);
    } catch (error) {
      // Errors of reading are values here, so that an unsound item does not keep the sweep from those behind it.
      await setItemAside(context, key, null, error);
    }
  }
  await sendLogEntries(context.services, news);
  return news.entries.length;
}
