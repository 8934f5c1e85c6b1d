import * as z from 'zod';
import { EnvironmentId, PolicyId, PrincipalId, RunningFingerprint, StoredFingerprint } from '#shared/base/ids.ts';
import { StoredBody } from '#shared/bodies/bodies.ts';
import type { EnvironmentKind } from '../rules/environment-kinds.ts';

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const Kind = z.custom<EnvironmentKind>((value) => typeof value === 'string');

/**
 * What reports need of an environment. It is changed attribute by attribute, never put over: settings by people
 * (guarded by `rev`), snapshots by reports (guarded by `index`), `mark` by the relay alone.
 */
export const EnvironmentHead = z.object({
  id: EnvironmentId,
  /** The present one; aliases are name items that hold the id. */
  name: z.string(),
  kind: Kind,
  created: z.number(),
  by: z.string(),
  archived: z.number().nullable(),
  /** Counts the changes of settings: writers state the one they saw. */
  rev: z.number(),
  /** Ids of the attached policies, ascending. */
  policies: z.array(PolicyId),
  /** Ids of the members, of a logical environment alone. */
  members: z.array(EnvironmentId),

  /** Number of the newest snapshot; 0 = none yet. */
  index: z.number(),
  /** When it was made; 0 = never. */
  at: z.number(),
  /** Digest of the running set in it (`runningSetDigest`); empty before the first. */
  digest: z.string(),
  /** Hash of the newest snapshot in the environment's chain (design §2.4). */
  hash: Bytes,
  /** State of the newest snapshot, and the last known state up to it; null = unknown (semantics §5.6, §10.2). */
  state: z.boolean().nullable(),
  known: z.boolean().nullable(),
  /** Numbers of events that snapshots have reserved so far. */
  events: z.number(),
  /** Counts what may change the verdict of what runs; only the relay increases it (design §5). */
  mark: z.number(),
  /** The mark that the last evaluation had read before it read evidence. */
  evaluatedMark: z.number(),
  /** When that was: once a day a report evaluates anyway. */
  evaluatedAt: z.number(),
});
export type EnvironmentHead = z.infer<typeof EnvironmentHead>;

/** What only readers need. */
export const EnvironmentFacts = z.object({ description: z.string(), requireProvenance: z.boolean() });
export type EnvironmentFacts = z.infer<typeof EnvironmentFacts>;

/** The entry of the catalogue: what lists filter and sort by, and the one item that an unchanged report writes. */
export const EnvironmentEntry = z.object({
  /** Name. */
  n: z.string(),
  /** Kind. */
  k: Kind,
  /** When its settings changed last. */
  m: z.number(),
  /** Last accepted report; 0 = never. */
  r: z.number(),
  /** Newest snapshot; 0 = none. */
  c: z.number(),
});
export type EnvironmentEntry = z.infer<typeof EnvironmentEntry>;

/** One snapshot without its content: a link of the environment's chain. */
export const SnapshotItem = z.object({
  sk: z.string(),
  at: z.number(),
  /** Null = unknown. `known`: the last known state before this snapshot. */
  state: z.boolean().nullable(),
  known: z.boolean().nullable(),
  compliant: z.boolean(),
  /** How many events it reserved, and the number before the first of them. */
  events: z.number(),
  eventsBefore: z.number(),
  salt: Bytes,
  pledges: z.record(z.string(), Bytes),
  previous: Bytes,
  hash: Bytes,
});
export type SnapshotItem = z.infer<typeof SnapshotItem>;

export const SnapshotContentItem = z.object({ body: StoredBody });

/** An event of an environment: which row of which snapshot, so that its text is made when it is read. */
export const EnvironmentEventItem = z.object({
  sk: z.string(),
  index: z.number(),
  at: z.number(),
  type: z.string(),
  description: z.string(),
  name: z.string(),
  fingerprint: RunningFingerprint,
  compliant: z.boolean().nullable(),
  state: z.boolean().nullable(),
  /** Names of the flows at the time, the primary one first. */
  flows: z.array(z.string()),
  /** Id of the artifact's report in the primary flow. */
  report: z.string().nullable(),
  /** The report of what it took the place of. */
  previous: z.string().nullable(),
});
export type EnvironmentEventItem = z.infer<typeof EnvironmentEventItem>;

/** Where a fingerprint runs, or ran last. */
export const RunningItem = z.object({
  sk: z.string(),
  environment: EnvironmentId,
  /** The snapshot in which it started or stopped last. */
  index: z.number(),
  at: z.number(),
  running: z.boolean(),
  /** The snapshot in which it had started before it stopped, and its time; absent while it runs. */
  startIndex: z.number().optional(),
  startAt: z.number().optional(),
});
export type RunningItem = z.infer<typeof RunningItem>;

/** An entry of an allow-list: itself, and what notifications say of its environment at the time. */
export const AllowedItem = z.object({
  id: z.string(),
  environment: EnvironmentId,
  fingerprint: StoredFingerprint,
  name: z.string(),
  /** The reason. */
  description: z.string(),
  at: z.number(),
  by: z.object({ id: PrincipalId, name: z.string() }),
  /** Whether it put the fingerprint on the list; otherwise it gives another reason or name to one that was there. */
  added: z.boolean(),
  /** Number of the newest snapshot, with the one that the entry itself made; 0 = none. State as in that one. */
  index: z.number(),
  state: z.boolean().nullable(),
});
export type AllowedItem = z.infer<typeof AllowedItem>;
