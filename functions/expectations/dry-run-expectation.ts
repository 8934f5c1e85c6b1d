import * as z from 'zod';
import { fromSeconds, secondsOf, secondsOrNull, toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { checkBegin, dryRunExpectation as dryRun } from '#shared/expectations/dry-run/dry-run-expectation.ts';
import { ExpectationRequest, givenExpectation } from '#shared/expectations/expectation-request.ts';
import { tooManyFlows, tooManySubjects, tooManyToPlay, tooMuchToPlay } from '#shared/expectations/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { SubjectNameOut } from './subject-names.ts';

const DryRunRequest = ExpectationRequest.extend({
  from: z
    .number()
    .min(0)
    .nullish()
    .describe('Begin of the period in seconds since the epoch, at most 90 days ago. Absent = 90 days ago'),
}).meta({ id: 'ExpectationDryRunRequest', description: 'The body of a PUT, and the begin of the period.' });

const GapOut = z
  .object({
    subject: SubjectNameOut.describe('What would have had the gap'),
    certainty: z.enum(['exact', 'at_least']).meta({
      description:
        '`exact`: both instants are known; `at_least`: the gap contains this interval, and may have begun earlier and ended later',
    }),
    from: z.number().describe('When something was expected, in seconds since the epoch'),
    until: z.number().nullable().meta({ description: 'What would have ended it; null if nothing has come' }),
    seconds: z.number().describe('How long it would have been; until now, if it is open'),
  })
  .meta({ id: 'DryRunGap' });

const UnknownOut = z
  .object({
    subject: SubjectNameOut.describe('What may have had further gaps'),
    from: z.number().describe('Begin of the interval in seconds since the epoch'),
    until: z.number().describe('End of the interval in seconds since the epoch'),
    because: z.enum(['not_counted', 'hours_only']).meta({
      description: '`not_counted`: nobody counted the reports; `hours_only`: only the reports of each hour are known',
    }),
  })
  .meta({ id: 'DryRunUnknown' });

/** POST /expectations/{org}/dry-run: plays an expectation over the past (rules/expectations.md#dry-run). */
export const dryRunExpectation = endpoint({
  operation: 'dryRunExpectation',
  method: 'POST',
  path: '/expectations/{org}/dry-run',
  summary: 'Play an expectation over the past, without storing it',
  description:
    'Says which gaps there would have been in the last 90 days at most, and what nobody knows. The terms count from the begin of the period, whatever `starts_at` says.',
  access: 'member',
  body: { kind: 'json', schema: DryRunRequest },
  success: {
    200: z
      .object({
        from: z.number().describe('Begin of the period in seconds since the epoch'),
        until: z.number().describe('End of the period: now'),
        subjects: z.int().describe('Subjects of the expectation'),
        subjects_with_gaps_at_least: z.int().describe('Subjects that certainly would have had a gap'),
        exact: z.boolean().describe('Whether all gaps of the period are known, all of them exactly'),
        gaps_at_least: z.int().describe('Gaps that there certainly would have been'),
        messages_at_least: z
          .object({
            missed: z.int().describe('Messages that something is missed: one for each gap'),
            met_again: z.int().describe('Messages that it came again: one for each gap that ended'),
          })
          .describe('Messages that there certainly would have been'),
        gaps: z.array(GapOut).describe('The newest 500 of them, newest first'),
        unknown_intervals: z.int().describe('Intervals in which there may have been further gaps'),
        unknown: z.array(UnknownOut).describe('The newest 500 of them, newest first'),
      })
      .meta({ id: 'ExpectationDryRun' }),
  },
  errors: [tooManySubjects, tooManyFlows, tooMuchToPlay, tooManyToPlay],
  checks: [({ body, refused }, { clock }) => refused.has('from') || checkBegin(beginOf(body), body?.from, clock.now())],
  handler: async ({ body, org }, stores: Pick<Stores, 'table' | 'clock'>) => {
    const played = await dryRun(stores, org, givenExpectation(body), beginOf(body));
    const { gaps, open, unknown } = played.counts;
    return {
      status: 200,
      body: {
        from: toSeconds(played.from),
        until: toSeconds(played.until),
        subjects: played.subjects,
        subjects_with_gaps_at_least: played.subjectsWithGaps,
        exact: played.isExact,
        gaps_at_least: gaps,
        messages_at_least: { missed: gaps, met_again: gaps - open },
        gaps: played.gaps.map(({ subject, from, until, length, isExact }) => ({
          subject,
          certainty: isExact ? ('exact' as const) : ('at_least' as const),
          from: toSeconds(from),
          until: secondsOrNull(until),
          seconds: secondsOf(length),
        })),
        unknown_intervals: unknown,
        unknown: played.unknown.map(({ subject, from, until, because }) => ({
          subject,
          from: toSeconds(from),
          until: toSeconds(until),
          because,
        })),
      },
    };
  },
});

const beginOf = (body: { from?: number | null | undefined } | undefined) =>
  body?.from === undefined || body.from === null ? undefined : fromSeconds(body.from);
