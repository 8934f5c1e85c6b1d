import * as z from 'zod';
import {
  type EnvironmentId,
  type FlowId,
  firstIdAt,
  type OrganizationId,
  storedId,
  timeOfId,
} from '#shared/base/ids.ts';
import type { WorkerLog } from '#shared/base/log-lines.ts';
import { AnyTrailName } from '#shared/base/names.ts';
import { Contention } from '#shared/base/retry.ts';
import { minus } from '#shared/base/time.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { EVALUATIONS } from '#shared/evaluations/records/evaluations.ts';
import { evaluationKey } from '#shared/evaluations/records/keys.ts';
import { AuditRecord } from '#shared/organizations/records/audit.ts';
import { auditPartition } from '#shared/organizations/records/keys.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { firstEntries, monthsBetween } from '#shared/series/series-entries.ts';
import type { Item } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { endsOfEnvironments, endsOfTrails, type MissingEnds, missingEnds } from './chain-ends.ts';
import { integrate, readLogs } from './integrate.ts';
import { readLink } from './missing-links.ts';
import { type BackfillPlace, readBackfill, storeBackfill, storeBackfilled } from './records/backfill.ts';
import { withoutEntry } from './records/claims.ts';
import { readHead } from './records/log-state.ts';
import type { AppendServices } from './services.ts';

/** What a backfill writes: it appends to the log. */
export const BACKFILL_LOG: Uses = { writes: ['LOG', 'LOGGED'], bucket: ['log:read'] };

/** Trails or environments of one portion. Each can have many links, of which up to 500 are read at a time. */
const CHAINS = 20;
const AUDIT_ENTRIES = 200;
const EVALUATIONS_AT_ONCE = 100;

interface BackfillOptions {
  log: WorkerLog;
  isTime: () => boolean;
}

interface Backfilled {
  /** Entries that were appended in this call; other writers may have appended some of them. */
  appended: number;
  /** Whether everything that was written before is in the log. Otherwise the next call continues. */
  isDone: boolean;
}

interface Backfill extends BackfillOptions {
  services: AppendServices;
  org: OrganizationId;
}

/** What a portion found, and where the next one begins; null behind the last one. */
interface Portion {
  missing: MissingEnds;
  next: BackfillPlace | null;
}

/**
 * Appends everything to a log that was written before the log existed, or whose message was lost
 * (rules/log.md#backfill): trails in the order of their series, then environments, the audit log and evaluations. Stores its place
 * after each portion, so it can be interrupted and repeated, also beside live traffic.
 *
 * @returns `busy` if other writers were in the way for 20 seconds
 * @throws LogBehind, LogDiffers
 */
export async function backfillLog(
  services: AppendServices,
  org: OrganizationId,
  options: BackfillOptions,
): Promise<Backfilled | 'busy'> {
  try {
    return await appendMissing(services, org, options);
  } catch (error) {
    if (error instanceof Contention) return 'busy';
    throw error;
  }
}

async function appendMissing(
  services: AppendServices,
  org: OrganizationId,
  options: BackfillOptions,
): Promise<Backfilled> {
  const backfill: Backfill = { services, org, ...options };
  const { table, clock } = services;
  let appended = 0;
  let place: BackfillPlace | null = (await readBackfill(table, org)) ?? { stage: 'trails', after: '' };
  while (place && options.isTime()) {
    const { missing, next }: Portion = await PORTIONS[place.stage](backfill, place.after);
    if (missing.entries.length > 0) {
      const { head, size } = await integrated(backfill, missing);
      appended += size;
      if (head > 0) await storeBackfilled(table, org, { index: head, at: clock.now() });
    }
    await storeBackfill(table, org, next);
    place = next;
  }
  return { appended, isDone: place === null };
}

async function integrated(
  { services, org, log }: Backfill,
  { entries, trails }: MissingEnds,
): Promise<{ head: number; size: number }> {
  const before = await readHead(services.table, org);
  const incoming = { org, entries, trails };
  const readOf = await readLogs(services.table, [incoming]);
  const { head } = await integrate(services, incoming, readOf(org), { log });
  const size = head?.range.size ?? 0;
  return { head: size, size: size - (before?.range.size ?? 0) };
}

const PORTIONS: Record<BackfillPlace['stage'], (backfill: Backfill, after: string) => Promise<Portion>> = {
  trails: trailsPortion,
  environments: environmentsPortion,
  audit: auditPortion,
  evaluations: evaluationsPortion,
};

/** The clocks of two functions differ by less. */
const CLOCK_ERROR = 3_600_000_000;

/** The first id to read: behind the last one, or from the beginning of the organization on. */
const behind = (org: OrganizationId, after: string): string =>
  after === '' ? firstIdAt(minus(timeOfId(org), CLOCK_ERROR)) : `${after}\0`;

const ListedTrail = z.object({ id: z.string(), f: z.string(), t: AnyTrailName });

async function trailsPortion({ services, org, log }: Backfill, after: string): Promise<Portion> {
  const { table, clock } = services;
  const from = behind(org, after);
  const months = monthsBetween(timeOfId(from), clock.now());
  const listed = await firstEntries(table, org, 'trails', months, from, CHAINS);
  const trails = listed.map((entry) => ListedTrail.parse(entry));
  const ends = await endsOfTrails(
    table,
    org,
    trails.map(({ f, t }) => ({ flow: storedId<FlowId>(f), trail: t })),
  );
  // Live traffic begins trails all the time. Reading until no trail follows might never end.
  const last = trails.length === CHAINS ? trails.at(-1) : undefined;
  return {
    missing: await missingEnds({ table, org, log }, ends),
    next: last ? { stage: 'trails', after: last.id } : { stage: 'environments', after: '' },
  };
}

async function environmentsPortion({ services, org, log }: Backfill, after: string): Promise<Portion> {
  const { table } = services;
  const listed = [...(await readCatalogue(table, org, ENVIRONMENTS)).keys()];
  const ids = listed
    .filter((id) => id > after)
    .sort()
    .slice(0, CHAINS);
  const last = ids.at(-1);
  return {
    missing: await missingEnds({ table, org, log }, await endsOfEnvironments(table, org, ids)),
    next: last ? { stage: 'environments', after: last } : { stage: 'audit', after: '' },
  };
}

/** Appends a page of the audit log. An archived environment is in no catalogue, so it is found here. */
async function auditPortion({ services, org, log }: Backfill, after: string): Promise<Portion> {
  const { table } = services;
  const items = await auditItems(services, org, after);
  const last = items.at(-1);
  if (!last) return { missing: { entries: [], trails: new Map() }, next: { stage: 'evaluations', after: '' } };
  const unlogged = await withoutEntry(table, org, items, ({ sk: entry }) => ({ kind: 'audit', entry }));
  const entries = unlogged.flatMap((item) => readLink({ org, log }, item));
  const archived = items.flatMap((item) => {
    const { data } = AuditRecord.safeParse(item);
    return data?.kind === 'environment.archived' && data.subject.id !== null
      ? [storedId<EnvironmentId>(data.subject.id)]
      : [];
  });
  const ends = await endsOfEnvironments(table, org, archived);
  const { entries: links, trails } = await missingEnds({ table, org, log }, ends);
  return { missing: { entries: [...entries, ...links], trails }, next: { stage: 'audit', after: last.sk } };
}

async function auditItems({ table, clock }: AppendServices, org: OrganizationId, after: string): Promise<Item[]> {
  const from = behind(org, after);
  for (const month of monthsBetween(timeOfId(from), clock.now())) {
    const items = await table.query({ pk: auditPartition(org, month), from, limit: AUDIT_ENTRIES });
    if (items.length > 0) return items;
  }
  return [];
}

/** Appends a page of evaluations. Those that are still pending get their entry when they end. */
async function evaluationsPortion({ services, org, log }: Backfill, after: string): Promise<Portion> {
  const { table, clock } = services;
  const from = behind(org, after);
  const months = monthsBetween(timeOfId(from), clock.now());
  const listed = await firstEntries(table, org, EVALUATIONS, months, from, EVALUATIONS_AT_ONCE);
  const ids = listed.map(({ r }) => String(r));
  const unlogged = await withoutEntry(table, org, ids, (evaluation) => ({ kind: 'evaluation', evaluation }));
  const items = await table.getMany(unlogged.map((id) => evaluationKey(org, id)));
  const last = listed.length === EVALUATIONS_AT_ONCE ? listed.at(-1) : undefined;
  return {
    missing: { entries: [...items.values()].flatMap((item) => readLink({ org, log }, item)), trails: new Map() },
    next: last ? { stage: 'evaluations', after: last.id } : null,
  };
}
