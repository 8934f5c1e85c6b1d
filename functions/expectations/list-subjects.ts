import * as z from 'zod';
import { type Micros, toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { listSubjects, readSubjectCursor } from '#shared/expectations/list-subjects.ts';
import { SUBJECT_STATES } from '#shared/expectations/rules/expectation.ts';
import { unknownExpectation } from '#shared/expectations/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders } from '#shared/http/paging.ts';
import { cursorFields, placeBefore } from '#shared/http/query-fields.ts';
import { SubjectCounts } from './expectation-forms.ts';

const STATES =
  '`met`; `late`: `every` has passed, `grace` has not; `missed`: both have passed; `unknown`: the time of the last report cannot be read';

const SubjectOut = z
  .object({
    environment: z.string().describe('Name of the environment'),
    state: z.enum(SUBJECT_STATES).meta({ description: STATES }),
    last_reported_at: z.number().nullable().meta({
      description: 'When the last report arrived, in seconds since the epoch; null if none did, or for `unknown`',
    }),
    due_at: z.number().nullable().meta({
      description: 'The next report is missed after this time, in seconds since the epoch; null for `unknown`',
    }),
  })
  .meta({ id: 'ExpectationSubject' });

/** GET …/subjects: the environments of an expectation, and which of them are silent (rules/expectations.md#subjects). */
export const listExpectationSubjects = endpoint({
  operation: 'listExpectationSubjects',
  method: 'GET',
  path: '/expectations/{org}/{name}/subjects',
  summary: 'List the environments of an expectation: which reported in time, and which are silent',
  description:
    'By name, as of now. An archived expectation has none. Send `next_cursor` as `cursor` to get the next page; it is null on the last page.',
  access: 'reader',
  query: z.object({
    state: z.enum(SUBJECT_STATES).optional().meta({ description: 'Only environments in this state' }),
    ...cursorFields('Environments'),
  }),
  success: {
    200: z
      .object({
        subjects: z.array(SubjectOut).meta({ description: 'The environments of the page, by name' }),
        counts: SubjectCounts.meta({ description: 'All environments of the expectation, by state' }),
        next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
      })
      .meta({ id: 'ExpectationSubjectsPage' }),
  },
  errors: [unknownExpectation],
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { org, params, query } = request;
    const after = placeBefore(query.cursor, (given) => readSubjectCursor(org.id, params.name, given));
    const page = await listSubjects(stores, org, params.name, { after, limit: query.per_page, state: query.state });
    const subjects = page.subjects.map(({ environment, state, reported, due }) => ({
      environment,
      state,
      last_reported_at: secondsOf(reported),
      due_at: secondsOf(due),
    }));
    return {
      status: 200,
      headers: cursorHeaders(request, page.next),
      body: { subjects, counts: page.counts, next_cursor: page.next },
    };
  },
});

/** Seconds since the epoch; null for an instant that there is not. */
const secondsOf = (at: Micros | null): number | null => (at === null || at === 0 ? null : toSeconds(at));
