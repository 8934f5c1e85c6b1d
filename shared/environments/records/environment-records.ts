import * as z from 'zod';
import {
  EnvironmentId,
  FlowId,
  type OrganizationId,
  PolicyId,
  PrincipalId,
  RunningFingerprint,
  StoredFingerprint,
} from '#shared/base/ids.ts';
import { AnyEnvironmentName, AnyFlowName, AnyTrailName } from '#shared/base/names.ts';
import { StoredMicros } from '#shared/base/time.ts';
import { StoredBody } from '#shared/bodies/bodies.ts';
import { EnvironmentName } from '#shared/evidence/rules/shared-fields.ts';
import { NamedRecords } from '#shared/table/named-records.ts';
import type { Item } from '#shared/table/table.ts';
import { RunChange } from '../rules/changes/runs.ts';
import type { EnvironmentKind } from '../rules/environment-kinds.ts';
import { COUNTED, PresenceDay } from '../rules/reports/presence-day.ts';
import { environmentHeadKey, environmentNameKey } from './keys.ts';

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const Kind = z.custom<EnvironmentKind>((value) => typeof value === 'string');

/**
 * The item of an environment that every report reads (rules/environments.md#stored-items). Updates change single
 * attributes and never replace the item: requests change settings (guarded by `rev`), reports change snapshots (guarded
 * by `index`), only the relay changes `mark`.
 */
export const EnvironmentHead = z.object({
  id: EnvironmentId,
  /** The present name. Aliases are name items that hold the id. */
  name: AnyEnvironmentName,
  kind: Kind,
  created: StoredMicros,
  by: z.string(),
  archived: StoredMicros.nullable(),
  /** Counts the changes of settings. A writer states the value that it read. */
  rev: z.number(),
  /** Ids of the attached policies, ascending. */
  policies: z.array(PolicyId),
  /** Ids of the members; empty unless the environment is logical. */
  members: z.array(EnvironmentId),
  /** Number of fingerprints on the allow-list. With 0, an evaluation need not read the list. */
  allowed: z.number(),

  /** Number of the newest snapshot; 0 = none yet. */
  index: z.number(),
  /** Time of the newest snapshot; 0 = none yet. */
  at: StoredMicros,
  /** Digest of its running set (`runningSetDigest`); empty before the first snapshot. */
  digest: z.string(),
  /** Hash of the newest snapshot in the environment's chain (rules/environments.md#hash-chain). */
  hash: Bytes,
  /** State of the newest snapshot; null = unknown (rules/environments.md#verdicts). */
  state: z.boolean().nullable(),
  /** Time of the snapshot with which the state began; 0 = no snapshot yet. */
  since: StoredMicros,
  /** The last state that was not unknown; null = there was none (rules/environments.md#transitions). */
  known: z.boolean().nullable(),
  /** Number of running artifacts by verdict. Absent in heads that earlier releases wrote; null if nobody counted. */
  counts: z.object({ true: z.number(), false: z.number(), null: z.number() }).nullish(),
  /** Numbers of events that snapshots have reserved so far. */
  events: z.number(),
  /** Counts changes that may change verdicts of what runs; only the relay raises it (rules/environments.md#marks). */
  mark: z.number(),
  /** The mark that the last evaluation read before it read the evidence. */
  evaluatedMark: z.number(),
  /** Time of the last evaluation. A report evaluates at least once a day. */
  evaluatedAt: StoredMicros,
  /**
   * The last instant at which age alone changes no verdict of what runs; 0 or absent = age changes none
   * (rules/policies.md#max-age). A later report evaluates.
   */
  freshUntil: StoredMicros.optional(),
});
export type EnvironmentHead = z.infer<typeof EnvironmentHead>;

/** How environments are found by name. An archived environment keeps its names until others take them. */
export const namedEnvironments = new NamedRecords<EnvironmentId, EnvironmentName, EnvironmentHead>({
  kind: 'environment',
  id: EnvironmentId,
  head: EnvironmentHead,
  nameKey: environmentNameKey,
  headKey: environmentHeadKey,
  isName: (name) => EnvironmentName.safeParse(name).success,
  keepsName: ({ archived }) => archived === null,
});

export const environmentHeadsIn = (
  org: OrganizationId,
  ids: readonly EnvironmentId[],
  found: ReadonlyMap<string, Item>,
): Map<EnvironmentId, EnvironmentHead> => namedEnvironments.headsIn(org, ids, found);

/** Facts that only readers need. */
export const EnvironmentFacts = z.object({ description: z.string(), requireProvenance: z.boolean() });
export type EnvironmentFacts = z.infer<typeof EnvironmentFacts>;

/** The links of an environment as lists read them: a copy of the head's. Written whenever one of them changes. */
export const EnvironmentLinks = z.object({ policies: z.array(PolicyId), members: z.array(EnvironmentId) });
export type EnvironmentLinks = z.infer<typeof EnvironmentLinks>;

/** Entry of the catalogue: lists filter and sort by it. It is the only item that an unchanged report writes. */
export const EnvironmentEntry = z.object({
  /** Name. */
  n: z.string(),
  /** Kind. */
  k: Kind,
  /** Time of the last change of settings. */
  m: StoredMicros,
  /** Time of the last accepted report; 0 = never. */
  r: StoredMicros,
  /**
   * Times of the four reports before that one, from the newest to the oldest; 0 = never. Absent in entries without a report
   * since an earlier release (rules/environments.md#silence).
   */
  r1: StoredMicros.optional(),
  r2: StoredMicros.optional(),
  r3: StoredMicros.optional(),
  r4: StoredMicros.optional(),
  ...COUNTED,
  /** Time of the newest snapshot; 0 = none. */
  c: StoredMicros,
  /** State of the newest snapshot; absent in entries that earlier releases wrote. */
  s: z.boolean().nullish(),
  /** Copy of `freshUntil` of the head. */
  f: StoredMicros.optional(),
  /** The id of the last gap that was found while reports were missing. The stream brings the entry to the relay while it is there. */
  openGap: z.string().optional(),
});
export type EnvironmentEntry = z.infer<typeof EnvironmentEntry>;

/** A snapshot without its content. Each item is a link of the environment's chain. */
export const SnapshotItem = z.object({
  sk: z.string(),
  at: StoredMicros,
  /** The environment's name when the snapshot was taken. */
  name: z.string(),
  /** Null = unknown. */
  state: z.boolean().nullable(),
  /** The last state before this snapshot that was not unknown; null = there was none. */
  known: z.boolean().nullable(),
  compliant: z.boolean(),
  /** How many event numbers it reserved. */
  events: z.number(),
  /** The number before the first of them. */
  eventsBefore: z.number(),
  salt: Bytes,
  pledges: z.record(z.string(), Bytes),
  previous: Bytes,
  hash: Bytes,
});
export type SnapshotItem = z.infer<typeof SnapshotItem>;

export const SnapshotContentItem = z.object({ body: StoredBody });

export const EnvironmentEventItem = z.object({
  sk: z.string(),
  index: z.number(),
  at: StoredMicros,
  type: z.string(),
  description: z.string(),
  name: z.string(),
  fingerprint: RunningFingerprint,
  compliant: z.boolean().nullable(),
  state: z.boolean().nullable(),
  /** Names of the flows at the time, the primary one first. */
  flows: z.array(AnyFlowName),
  /** Id of the artifact's report in the primary flow. */
  report: z.string().nullable(),
  /** Where the report was made: the primary flow's id, the trail and the commit. Null without provenance. */
  origin: z.object({ flow: FlowId, trail: AnyTrailName, commit: z.string() }).nullable(),
  /** Of a start: time of the report's commit in seconds; null if the report does not tell. */
  committed: z.number().nullable(),
  /** Id of the report of the artifact that this one replaced, and its commit. */
  previous: z.string().nullable(),
  previousCommit: z.string().nullable(),
  /** Instances after the event, or before an exit; absent in events that are older than this field. */
  instances: z.int().optional(),
});
export type EnvironmentEventItem = z.infer<typeof EnvironmentEventItem>;

/** Whether a fingerprint runs in an environment (rules/environments.md#running). */
export const RunningItem = z.object({
  sk: z.string(),
  environment: EnvironmentId,
  /** The snapshot in which it started or stopped last. */
  index: z.number(),
  at: StoredMicros,
  running: z.boolean(),
  /** Number of the event of the last start. Absent if the relay recorded a stop before the start. */
  start: z.number().optional(),
  /** The snapshot in which it had started before it stopped, and its time; absent while it runs. */
  startIndex: z.number().optional(),
  startAt: StoredMicros.optional(),
});
export type RunningItem = z.infer<typeof RunningItem>;

/** What a snapshot changed about a fingerprint in an environment (rules/environments.md#history-of-running). */
export const RunningPastItem = RunChange.extend({ environment: EnvironmentId });
export type RunningPastItem = z.infer<typeof RunningPastItem>;

/** An entry of an allow-list, with the state of its environment at the time, which notifications show. */
export const AllowedItem = z.object({
  id: z.string(),
  environment: EnvironmentId,
  fingerprint: StoredFingerprint,
  name: z.string(),
  /** The reason. */
  description: z.string(),
  at: StoredMicros,
  by: z.object({ id: PrincipalId, name: z.string() }),
  /** True if the fingerprint was not on the list before; false if the entry only changes the name or the reason. */
  added: z.boolean(),
  /** Number of the newest snapshot, which may be the one that the entry caused; 0 = none. */
  index: z.number(),
  /** State of that snapshot. */
  state: z.boolean().nullable(),
  /** Id of the request that wrote the entry; absent in entries of earlier releases. */
  request: z.string().optional(),
});
export type AllowedItem = z.infer<typeof AllowedItem>;

/** The stored facts. A writer's condition names the `rev` that it read. */
export const FactsItem = z.object({ facts: StoredBody, rev: z.number() });
export type FactsItem = z.infer<typeof FactsItem>;

/** How exports show what came on a day (rules/environments.md#presence). */
export const SHOWN_DAY = { item: 'day', schema: PresenceDay };
/** How exports show environments and their facts. */
export const SHOWN_ENVIRONMENT = { item: 'environment', schema: EnvironmentHead };
export const SHOWN_FACTS = { item: 'facts', schema: FactsItem };
/** How exports show the entries of allow-lists. */
export const SHOWN_ALLOWED = { item: 'allowed', schema: AllowedItem.omit({ request: true }) };
