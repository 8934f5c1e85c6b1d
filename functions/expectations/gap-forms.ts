import * as z from 'zod';
import { secondsOf, secondsOrNull, toSeconds } from '#shared/base/time.ts';
import { pageUrl } from '#shared/console/pages.ts';
import type { UnreadableGap } from '#shared/expectations/gaps/list-gaps.ts';
import {
  type Arrival,
  GAP_ENDS,
  GAP_STATES,
  type Gap,
  type GapSubject,
  shownState,
} from '#shared/expectations/rules/gaps/gap.ts';
import { shownSubject } from '#shared/expectations/rules/gaps/shown-subject.ts';
import { lengthOf } from '#shared/expectations/rules/gaps/unknown-time.ts';

/** Gaps in answers (rules/expectations.md#gap). */

export const STATES =
  '`open`: it lasts; `closed`: it ended; `excused`: somebody explained it; `unknown`: it is no gap without the time in which the service itself did not run';

const ENDS =
  'Why it ended; null while it lasts. `arrived`: something came; `changed`: the expectation was changed or archived; `archived`: the environment was archived; `left`: the subject left the scope';

const SubjectOut = z
  .object({
    type: z.enum(['environment', 'flow', 'scope', 'trail', 'artifact']).describe('What the gap is about'),
    environment: z.string().optional().describe('Name of the environment, for `environment` and `artifact`'),
    flow: z.string().optional().describe('Name of the flow, for `flow` and `trail`'),
    trail: z.string().optional().describe('Name of the trail, for `trail`'),
    fingerprint: z.string().optional().describe('SHA-256 of the artifact in hex, for `artifact`'),
    name: z.string().optional().describe('Name of the artifact, for `artifact`'),
  })
  .meta({ id: 'GapSubject' });

const ArrivalOut = z
  .object({
    at: z.number().describe('When it came, in seconds since the epoch'),
    html_url: z.string().nullable().describe('Address of a page that shows it; null if there is none'),
  })
  .meta({ id: 'GapArrival' });

const ExplanationOut = z
  .object({
    text: z.string().describe('The explanation'),
    by: z.string().describe('Name of the user or service account that gave it'),
    at: z.number().describe('When it was given, in seconds since the epoch'),
  })
  .meta({ id: 'GapExplanation' });

export const GapOut = z
  .object({
    id: z.string().describe('Id of the gap'),
    expectation: z.string().describe('Name of the expectation'),
    expectation_version: z.int().describe('Version of the expectation'),
    kind: z.string().describe('Kind of the expectation'),
    severity: z.string().describe('`info`, `warning` or `critical`, as the version of the expectation said'),
    owner: z.string().nullable().describe('A person or a team; null if nobody was named'),
    subject: SubjectOut.describe('What the gap is about, with present names'),
    state: z.enum(GAP_STATES).describe(STATES),
    from: z.number().describe('From when on something was missing, in seconds since the epoch'),
    detected_at: z.number().describe('When the service found it, in seconds since the epoch'),
    until: z.number().nullable().describe('When it ended, in seconds since the epoch; null while it lasts'),
    ended: z.enum(GAP_ENDS).nullable().describe(ENDS),
    last_before: ArrivalOut.nullable().describe('What came last before the gap; null if nothing ever came'),
    first_after: ArrivalOut.nullable().describe(
      'What came first after the gap; null if it did not end with an arrival',
    ),
    unknown_seconds: z
      .number()
      .describe('For how long the service itself did not run between the last arrival and the end'),
    explanation: ExplanationOut.nullable().describe('Why nobody has to worry; null if nobody explained it'),
    html_url: z.string().nullable().describe('Address of the page of the gap; null if the record cannot be read'),
    unreadable: z.literal(true).optional().meta({
      description: 'Present in lists if the record cannot be read: then only `id` and `from` are valid.',
    }),
  })
  .meta({ id: 'Gap' });
export type GapOut = z.input<typeof GapOut>;

interface Place {
  host: string;
  org: { name: string };
}

export const gapOut = (gap: Gap, place: Place): GapOut => ({
  id: gap.id,
  expectation: gap.expectation.name,
  expectation_version: gap.expectation.version,
  kind: gap.kind,
  severity: gap.severity,
  owner: gap.owner,
  subject: shownSubject(gap.subject),
  state: shownState(gap),
  from: toSeconds(gap.from),
  detected_at: toSeconds(gap.detectedAt),
  until: secondsOrNull(gap.until),
  ended: gap.ended,
  last_before: arrivalOut(gap.lastBefore, gap.subject, place),
  first_after: arrivalOut(gap.firstAfter, gap.subject, place),
  unknown_seconds: secondsOf(lengthOf(gap.unknown)),
  explanation: gap.explanation && { ...gap.explanation, at: toSeconds(gap.explanation.at) },
  html_url: pageUrl(place, '/{org}/gaps/{gap}', { gap: gap.id }),
});

function arrivalOut(arrival: Arrival | null, subject: GapSubject, place: Place): GapOut['last_before'] {
  return arrival && { at: toSeconds(arrival.at), html_url: arrivalUrl(arrival, subject, place) };
}

function arrivalUrl({ shown }: Arrival, subject: GapSubject, place: Place): string | null {
  // What ends the gap of a trail happens in the trail.
  if (!shown && subject.type === 'trail') {
    return pageUrl(place, '/{org}/flows/{flow}/trails/{trail}', { flow: subject.flow.name, trail: subject.name });
  }
  if (!shown) return null;
  if (shown.type === 'moment') {
    return pageUrl(place, '/{org}/flows/{flow}/trails/{trail}', { flow: shown.flow.name, trail: shown.trail });
  }
  if (subject.type !== 'environment') return null;
  const names = { env: subject.name, expression: String(shown.index) };
  return pageUrl(place, '/{org}/environments/{env}/snapshots/{expression}', names);
}

/** The placeholder for a gap that cannot be read (rules/lists.md#unreadable-records). */
export const unreadableGap = ({ id, from }: UnreadableGap): GapOut => ({
  id,
  expectation: '',
  expectation_version: 0,
  kind: '',
  severity: '',
  owner: null,
  subject: { type: 'scope' },
  state: 'unknown',
  from: toSeconds(from),
  detected_at: 0,
  until: null,
  ended: null,
  last_before: null,
  first_after: null,
  unknown_seconds: 0,
  explanation: null,
  html_url: null,
  unreadable: true,
});
