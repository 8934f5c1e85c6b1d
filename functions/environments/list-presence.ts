import * as z from 'zod';
import { type Micros, secondsOf, toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { listPresence as list } from '#shared/environments/presence/list-presence.ts';
import { daysOf } from '#shared/environments/rules/deployment-frequency.ts';
import { reportsOf } from '#shared/environments/rules/reports/presence-day.ts';
import { DAY_STATES, type ShownDay } from '#shared/environments/rules/reports/shown-days.ts';
import { archivedEnvironment, historyOfLogical, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { numberField, pageFields } from '#shared/http/query-fields.ts';

const seconds = (description: string) => z.number().nullable().meta({ description });

const PresenceDayOut = z
  .object({
    date: z.string().describe('The day in UTC, for example `2026-11-21`'),
    timestamp: z.number().describe('Beginning of the day in seconds since the epoch'),
    state: z.enum(DAY_STATES).meta({
      description:
        '`reported`: reports were counted; `silent`: none arrived; `unknown`: reports may have arrived that nobody counted',
    }),
    running: z.boolean().describe('Whether the day is not over'),
    counted_from: seconds(
      'If the count began within the day, the last report before it began, in seconds since the epoch; else null',
    ),
    reports: z.int().nullable().meta({ description: 'Reports of the day, unchanged ones too; null if unknown' }),
    hours: z.array(z.int()).nullable().meta({ description: 'Reports in each of the 24 hours; null if unknown' }),
    first_at: seconds('When the first report arrived, in seconds since the epoch; null if none is known'),
    last_at: seconds('When the last report arrived, in seconds since the epoch; null if none is known'),
    longest_silence: z
      .object({
        from: z.number().describe('The report before the silence, in seconds since the epoch'),
        until: z.number().describe('The report after it, in seconds since the epoch'),
        seconds: z.number().describe('How long it lasted'),
      })
      .nullable()
      .meta({
        description:
          'The longest time between two reports of the day that followed each other; null if none took more than 2 minutes',
      }),
    last_before_at: seconds(
      'When the last report before the first one of the day arrived, in seconds since the epoch; null if there was none',
    ),
  })
  .meta({ id: 'PresenceDay' });

/** GET /environments/{org}/{env_name}/presence: what came on each day (rules/environments.md#presence). */
export const listPresence = endpoint({
  operation: 'listPresence',
  method: 'GET',
  path: '/environments/{org}/{env_name}/presence',
  summary: 'List what came from the reporters of an environment on each day',
  description:
    'Newest day first, the running one included. Days are in UTC, and each day counts as a whole, at most 366; the default is the last 28 days. Days before the environment was made are left out.',
  access: 'reader',
  query: z.object({
    ...pageFields({ perPage: 31 }),
    from: numberField({ min: 0 }).optional().meta({
      description: 'Seconds since the epoch: an instant of the first day. Default: 27 days before the last day',
    }),
    until: numberField({ min: 0 }).optional().meta({
      description: 'Seconds since the epoch: an instant of the last day. Default: now',
    }),
  }),
  success: {
    200: flatPageSchema('days', PresenceDayOut, 'The days of the page, newest first')
      .extend({ environment: z.string().describe('Name of the environment') })
      .meta({ id: 'PresencePage' }),
  },
  errors: [unknownEnvironment, archivedEnvironment, historyOfLogical],
  checks: [({ query, refused }, { clock }) => refused.has('until') || presenceDays(query, clock.now())],
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { params, query, org } = request;
    const page = { page: query.page, perPage: query.per_page };
    const days = presenceDays(query, stores.clock.now());
    const found = await list(stores, org, params.env_name, days, page);
    const shown = { ...page, total: found.total, items: found.days.map(dayOut) };
    return pageAnswer(request, shown, { ...flatPage('days', request, shown), environment: found.environment });
  },
});

const presenceDays = ({ from, until }: { from?: number | undefined; until?: number | undefined }, now: Micros) =>
  daysOf({ start_ts: from, end_ts: until }, now, { start: 'from', end: 'until' });

function dayOut({ date, at, state, isRunning, presence }: ShownDay): z.input<typeof PresenceDayOut> {
  const begun = presence && presence.before >= at ? presence.before : null;
  const silence = presence?.silence;
  return {
    date,
    timestamp: toSeconds(at),
    state,
    running: isRunning,
    counted_from: begun && toSeconds(begun),
    reports: presence ? reportsOf(presence) : state === 'silent' ? 0 : null,
    hours: presence?.hours ?? (state === 'silent' ? Array.from({ length: 24 }, () => 0) : null),
    first_at: presence ? toSeconds(presence.first) : null,
    last_at: presence ? toSeconds(presence.last) : null,
    longest_silence: silence
      ? {
          from: toSeconds(silence.from),
          until: toSeconds(silence.until),
          seconds: secondsOf(silence.until - silence.from),
        }
      : null,
    last_before_at: presence?.before ? toSeconds(presence.before) : null,
  };
}
