import { hash } from 'node:crypto';
import * as z from 'zod';
import {
  EnvironmentId,
  type Fingerprint,
  FlowId,
  type Id,
  preciseIdOf,
  StoredFingerprint,
  storedFingerprint,
  storedId,
  TrailId,
} from '#shared/base/ids.ts';
import { AnyEnvironmentName, AnyFlowName, AnyTrailName } from '#shared/base/names.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import { KINDS, SEVERITIES } from '../expectation.ts';
import { UnknownTime } from './unknown-time.ts';

/** Intervals in which subjects were not what expectations ask for (rules/expectations.md#gaps). */

const Environment = z.object({ id: EnvironmentId, name: AnyEnvironmentName });
const Flow = z.object({ id: FlowId, name: AnyFlowName });

/** What a gap is about. Ids count; the names are those of the time when the gap was found. */
export const GapSubject = z.discriminatedUnion('type', [
  Environment.extend({ type: z.literal('environment') }),
  Flow.extend({ type: z.literal('flow') }),
  /** All that the expectation is about, together. */
  z.object({ type: z.literal('scope') }),
  z.object({ type: z.literal('trail'), flow: Flow, id: TrailId, name: AnyTrailName }),
  z.object({
    type: z.literal('artifact'),
    environment: Environment,
    fingerprint: StoredFingerprint,
    name: z.string(),
  }),
]);
export type GapSubject = z.infer<typeof GapSubject>;

/** Names a subject among those of an organization. The text can stand in a key. */
export function subjectKey(subject: GapSubject): string {
  switch (subject.type) {
    case 'environment':
    case 'flow':
      return `${subject.type}:${subject.id}`;
    case 'scope':
      return 'scope';
    case 'trail':
      return trailSubjectKey(subject.flow.id, subject.id);
    case 'artifact':
      return `artifact:${subject.environment.id}:${subject.fingerprint}`;
  }
}

/** Returns the key of a trail as a subject. */
export const trailSubjectKey = (flow: FlowId, trail: TrailId): string => `trail:${flow}:${trail}`;

/** Reads the id of an environment or a flow from the key of its subject; null if the subject is another one. */
export function idInSubjectKey<I extends EnvironmentId | FlowId>(type: 'environment' | 'flow', key: string): I | null {
  const prefix = `${type}:`;
  return key.startsWith(prefix) ? storedId<I>(key.slice(prefix.length)) : null;
}

/** Reads the id of the flow or the environment from the key of a trail or an artifact; null if the subject is another one. */
export function placeInSubjectKey<I extends EnvironmentId | FlowId>(type: 'trail' | 'artifact', key: string): I | null {
  const [found, place = ''] = key.split(':');
  return found === type ? storedId<I>(place) : null;
}

/** Reads the fingerprint from the key of an artifact; null if the subject is another one. */
export function fingerprintInSubjectKey(key: string): Fingerprint | null {
  const [type, , fingerprint = ''] = key.split(':');
  return type === 'artifact' ? storedFingerprint(fingerprint) : null;
}

/** Something that came, and where it is shown. */
export const Arrival = z.object({
  at: StoredMicros,
  /** A snapshot of the subject's environment, or a moment of a trail; null = there is no address. */
  shown: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('snapshot'), index: z.int() }),
      z.object({ type: z.literal('moment'), flow: Flow, trail: AnyTrailName, number: z.int() }),
    ])
    .nullable(),
});
export type Arrival = z.infer<typeof Arrival>;

/**
 * `open`: found, and the subject still is not what is asked for. `closed`: ended. `unknown`: no gap without the minutes in
 * which the service itself did not run, or in which it was late.
 */
const STORED_STATES = ['open', 'closed', 'unknown'] as const;
/** States as answers show them: an explained gap is `excused`, whether it lasts or not. */
export const GAP_STATES = ['open', 'closed', 'excused', 'unknown'] as const;
export type GapState = (typeof GAP_STATES)[number];

/**
 * Why a gap ended: something came; the expectation has another version; the environment or the flow was archived; the subject left the
 * scope.
 */
export const GAP_ENDS = ['arrived', 'changed', 'archived', 'left'] as const;
export type GapEnd = (typeof GAP_ENDS)[number];

const Explanation = z.object({ text: z.string(), by: z.string(), at: StoredMicros });

/** A gap as it is stored. */
export const Gap = z.object({
  v: z.literal(1),
  /** Made from `from`, the expectation and the subject, so that no gap is stored twice. Sorts by `from`. */
  id: z.string(),
  /** Counts the changes. A writer states the value that it read. */
  rev: z.int(),
  expectation: z.object({ id: z.string(), name: z.string(), version: z.int() }),
  kind: z.enum(KINDS),
  severity: z.enum(SEVERITIES),
  owner: z.string().nullable(),
  subject: GapSubject,
  /** Of the version, in microseconds. */
  every: z.int(),
  grace: z.int(),
  /** From when on the silence counts: the last arrival, the creation of the subject, or `starts_at`. */
  since: StoredMicros,
  state: z.enum(STORED_STATES),
  /** Present if a gap in the state `unknown` was open before: what was missing had come in time, and the service saw it late. */
  wasOpen: z.literal(true).optional(),
  from: StoredMicros,
  detectedAt: StoredMicros,
  /** Time of the last change. Each change is later than the one before, whatever the clocks of two processes say. */
  changedAt: StoredMicros,
  until: StoredMicros.nullable(),
  ended: z.enum(GAP_ENDS).nullable(),
  lastBefore: Arrival.nullable(),
  firstAfter: Arrival.nullable(),
  /** The unknown time between `since` and the end, or the last look at an open gap. */
  unknown: z.array(UnknownTime),
  explanation: Explanation.nullable(),
});
export type Gap = z.infer<typeof Gap>;

/** The name of a gap: the same expectation, subject and `from` always have the same. */
export const gapId = (expectation: string, subject: GapSubject, from: Micros): Id =>
  preciseIdOf(from, hash('sha256', `${expectation}#${subjectKey(subject)}`, 'hex'));

/** Returns the state that answers show. */
export const shownState = ({ state, explanation }: Gap): GapState =>
  explanation !== null && state !== 'unknown' ? 'excused' : state;
