import * as z from 'zod';
import { EnvironmentId, FlowId } from '#shared/base/ids.ts';
import { AnyEnvironmentName, AnyFlowName } from '#shared/base/names.ts';
import { DAY, MINUTE, SECOND } from '#shared/base/texts/durations.ts';
import { type Duration, latestOf, type Micros, plus, StoredMicros } from '#shared/base/time.ts';
import { nameMatching } from '#shared/evidence/rules/shared-fields.ts';

/** The kinds of expectations (rules/expectations.md#kinds). */
export const KINDS = ['reports', 'evidence', 'activity', 'completion', 'decision'] as const;
type Kind = (typeof KINDS)[number];
/** What the scope of each kind consists of. */
export const SCOPE_OF = {
  reports: 'environments',
  evidence: 'flows',
  activity: 'flows',
  completion: 'flows',
  decision: 'environments',
} as const satisfies Record<Kind, 'environments' | 'flows'>;
/** By what an expectation of the kind `evidence` selects attestations. */
export const SELECTORS = ['name', 'type', 'control'] as const;
export const PER = ['flow', 'scope'] as const;
export const SEVERITIES = ['info', 'warning', 'critical'] as const;

/** Name of an expectation, as names of policies are (rules/requests.md#names). */
export const ExpectationName = nameMatching(String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_]*$`);

/** Limits (rules/expectations.md#limits). */
export const MOST_EXPECTATIONS = 1_000;
export const MOST_SUBJECTS = 10_000;
export const MOST_NAMED = 100;
export const MOST_SCOPE_TAGS = 20;
export const EVERY = { least: MINUTE, most: 400 * DAY };
export const GRACE = { least: 0, most: 30 * DAY };
export const DUE_SOON = { least: MINUTE, most: 400 * DAY };

/** Which environments or flows an expectation is about: those that it names by id, or those that have all of its tags. */
const Scope = z.union([
  z.object({
    /** With the names that the environments had when this version was saved. */
    environments: z.array(z.object({ id: EnvironmentId, name: AnyEnvironmentName })),
  }),
  /** With the names that the flows had then. */
  z.object({ flows: z.array(z.object({ id: FlowId, name: AnyFlowName })) }),
  /** Sorted by name. */
  z.object({ tags: z.array(z.object({ name: z.string(), value: z.string() })) }),
]);
export type Scope = z.infer<typeof Scope>;

/** A version of an expectation as it is stored. The expectation itself is a copy of its newest version. */
export const Expectation = z.object({
  v: z.literal(1),
  id: z.string(),
  name: z.string(),
  /** From 1 without gaps. A write is conditional on it. */
  version: z.int(),
  kind: z.enum(KINDS),
  scope: Scope,
  /** Of `evidence`: which attestations count. */
  evidence: z.object({ by: z.enum(SELECTORS), value: z.string() }).optional(),
  /** Of `evidence`: whether each flow needs the attestation, or one flow of the scope. */
  per: z.enum(PER).optional(),
  /** Of `decision`: identifier of the control. */
  control: z.string().optional(),
  /** Microseconds, like `grace`. */
  every: z.int(),
  grace: z.int(),
  /** How long before a subject is due somebody is told; absent = not at all. */
  dueSoon: z.int().optional(),
  startsAt: StoredMicros,
  /** A person or a team; null = nobody was named. */
  owner: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  archived: z.boolean(),
  createdAt: StoredMicros,
  /** Name of the creator. */
  createdBy: z.string(),
  /** When this version was saved, and by whom. */
  changedAt: StoredMicros,
  changedBy: z.string(),
});
export type Expectation = z.infer<typeof Expectation>;

/** Returns the grace of an expectation that names none: a tenth of `every` in whole seconds, within its limits, at least a minute. */
export const usualGrace = (every: Duration): Duration =>
  Math.min(GRACE.most, Math.max(MINUTE, Math.floor(every / 10 / SECOND) * SECOND));

/** `late`: `every` has passed, and `grace` has not. `unknown`: the stored time of the last report cannot be read. */
export const SUBJECT_STATES = ['met', 'late', 'missed', 'unknown'] as const;
export type SubjectState = (typeof SUBJECT_STATES)[number];

/** An environment as an expectation sees it. */
export interface SubjectTimes {
  /** When the environment was made. */
  created: Micros;
  /** When its last report arrived; 0 = never. */
  reported: Micros;
}

/**
 * Says whether an environment reported in time (rules/expectations.md#due). An environment without a report counts from its
 * creation. Nothing before `startsAt` counts.
 *
 * @returns the state at `now`, and the instant after which the environment is missed
 */
export function judgeReports(
  { every, grace, startsAt }: Pick<Expectation, 'every' | 'grace' | 'startsAt'>,
  { created, reported }: SubjectTimes,
  now: Micros,
): { state: 'met' | 'late' | 'missed'; due: Micros } {
  const expected = plus(latestOf(created, reported, startsAt), every);
  const due = plus(expected, grace);
  if (now > due) return { state: 'missed', due };
  return { state: now > expected ? 'late' : 'met', due };
}
