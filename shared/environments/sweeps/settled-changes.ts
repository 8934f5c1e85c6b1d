import * as z from 'zod';
import {
  type FlowId,
  firstIdAt,
  type Id,
  type OrganizationId,
  type PolicyId,
  storedId,
  timeOfId,
} from '#shared/base/ids.ts';
import { EPOCH, latestOf, type Micros, minus } from '#shared/base/time.ts';
import { AuditRecord } from '#shared/organizations/records/audit.ts';
import { auditPartition } from '#shared/organizations/records/keys.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { monthsBetween } from '#shared/series/series-entries.ts';
import type { Item, Table } from '#shared/table/table.ts';

/** Changes that can change verdicts without an event of a trail (rules/environments.md#marks), changes of gaps, and matches of watches. */
interface SettledChanges {
  flows: Set<FlowId>;
  policies: Set<PolicyId>;
  /** Identifiers of controls. */
  controls: Set<string>;
  /** Gaps that were opened, closed or excused. */
  gaps: Set<Id>;
  /** Ids of what watches matched. */
  matches: string[];
  /** Versions of recalls. */
  recalls: { name: string; version: number }[];
  /** Time of the latest change of a flow, a policy or a control; 0 = none. */
  latest: Micros;
  /** Ids of all entries that were read. */
  entries: Id[];
  /** All settled entries of the audit log up to this id, inclusive, were read. */
  upTo: Id;
  /** Whether more entries may have settled after `upTo`. */
  more: boolean;
}

/**
 * Reads the settled changes of flows, policies and controls after an id from the audit log, in which the transaction of each
 * change has an entry. The changes of gaps and the matches of watches come along.
 * @param limit the most entries that are read
 */
export async function settledChanges(table: Table, org: OrganizationId, after: Id, now: Micros, limit: number) {
  const horizon = firstIdAt(minus(now, SETTLING_MICROS));
  const found: Item[] = [];
  for (const month of monthsBetween(timeOfId(after), now)) {
    if (found.length > limit) break;
    found.push(
      ...(await table.query({ pk: auditPartition(org, month), from: after, limit: limit + 1 - found.length })),
    );
  }
  const items = found.filter(({ sk }) => sk > after && sk < horizon).slice(0, limit);
  const changes: SettledChanges = {
    flows: new Set(),
    policies: new Set(),
    controls: new Set(),
    gaps: new Set(),
    matches: [],
    recalls: [],
    latest: EPOCH,
    entries: items.map(({ sk }) => sk),
    upTo: after,
    more: false,
  };
  for (const item of items) {
    // An entry that cannot be read names no subject. Lists of the audit log show it as unreadable.
    const { data } = AuditRecord.safeParse(item);
    if (!data || data.subject.id === null) continue;
    if (data.subject.type === 'flow') changes.flows.add(storedId(data.subject.id));
    else if (data.subject.type === 'policy') changes.policies.add(storedId(data.subject.id));
    else if (data.kind.startsWith('control.')) changes.controls.add(data.subject.name);
    else {
      if (data.subject.type === 'gap') changes.gaps.add(storedId(data.subject.id));
      if (data.subject.type === 'recall') changes.recalls.push(...versionIn(data));
      if (data.kind === 'watch.matched') changes.matches.push(...matchIn(data));
      continue;
    }
    changes.latest = latestOf(changes.latest, data.at);
  }
  const last = items.at(-1)?.sk;
  changes.more = last !== undefined && items.length === limit;
  const end = changes.more && last !== undefined ? last : horizon;
  changes.upTo = end > after ? storedId(end) : after;
  return changes;
}

/** The match that an entry of the audit log is about. */
function matchIn({ after }: AuditRecord): string[] {
  const { data } = z.object({ match: z.string() }).safeParse(after);
  return data ? [data.match] : [];
}

/** The version of a recall that an entry of the audit log is about. */
function versionIn({ subject: { name }, after }: AuditRecord): { name: string; version: number }[] {
  const { data } = z.object({ version: z.int() }).safeParse(after);
  return name === null || !data ? [] : [{ name, version: data.version }];
}
