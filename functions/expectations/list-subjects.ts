import * as z from 'zod';
import { type Micros, toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { listSubjects, readSubjectCursor } from '#shared/expectations/list-subjects.ts';
import { SUBJECT_STATES } from '#shared/expectations/rules/expectation.ts';
import { unknownExpectation } from '#shared/expectations/rules/sentences.ts';
import type { JudgedSubject } from '#shared/expectations/subjects/subject.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders } from '#shared/http/paging.ts';
import { cursorFields, placeBefore } from '#shared/http/query-fields.ts';
import { SubjectCounts } from './expectation-forms.ts';
import { SubjectNameOut } from './subject-names.ts';

const STATES =
  '`met`; `late`: `every` has passed, `grace` has not; `missed`: both have passed; `unknown`: the time of the last report cannot be read';

const SubjectOut = z
  .object({
    environment: z
      .string()
      .optional()
      .meta({ description: 'Name of the environment; present for the kind `reports` only' }),
    subject: SubjectNameOut.optional().meta({
      description: 'What the expectation is about; absent for the kind `reports`',
    }),
    state: z.enum(SUBJECT_STATES).meta({ description: STATES }),
    last_reported_at: z.number().nullable().optional().meta({
      description:
        'When the last report arrived, in seconds since the epoch; null if none did, or for `unknown`. Present for the kind `reports` only',
    }),
    last_met_at: z.number().nullable().optional().meta({
      description:
        'When the last trail began or the last attestation arrived; for `completion` and `decision` when the subject was met first. Seconds since the epoch; null if it never was. Absent for the kind `reports`',
    }),
    due_at: z.number().nullable().meta({
      description:
        'The subject is missed after this time, in seconds since the epoch; null for `unknown`, and if nothing is missing any more',
    }),
  })
  .meta({ id: 'ExpectationSubject' });

/** GET …/subjects: the subjects of an expectation, and what is missing (rules/expectations.md#subjects). */
export const listExpectationSubjects = endpoint({
  operation: 'listExpectationSubjects',
  method: 'GET',
  path: '/expectations/{org}/{name}/subjects',
  summary: 'List the subjects of an expectation: where everything came in time, and where something is missing',
  description:
    'As of now. Environments and flows come by name, trails and artifacts newest first. An archived expectation has none. Send `next_cursor` as `cursor` to get the next page; it is null on the last page. A page of trails or artifacts can be short or empty and still have a next page.',
  access: 'reader',
  query: z.object({
    state: z.enum(SUBJECT_STATES).optional().meta({ description: 'Only subjects in this state' }),
    ...cursorFields('Subjects'),
  }),
  success: {
    200: z
      .object({
        subjects: z.array(SubjectOut).meta({ description: 'The subjects of the page' }),
        counts: SubjectCounts.nullable().meta({
          description:
            'All subjects of the expectation, by state; null for `completion` and `decision`, whose subjects are not counted',
        }),
        open_gaps: z.int().optional().meta({
          description: 'Gaps in the state `open`; only of the kinds `completion` and `decision`',
        }),
        next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
      })
      .meta({ id: 'ExpectationSubjectsPage' }),
  },
  errors: [unknownExpectation],
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { org, params, query } = request;
    const after = placeBefore(query.cursor, (given) => readSubjectCursor(org.id, params.name, given));
    const page = await listSubjects(stores, org, params.name, { after, limit: query.per_page, state: query.state });
    const subjects = page.subjects.map((one) => subjectOut(page.kind, one));
    return {
      status: 200,
      headers: cursorHeaders(request, page.next),
      body: {
        subjects,
        counts: page.counts,
        ...(page.openGaps !== undefined && { open_gaps: page.openGaps }),
        next_cursor: page.next,
      },
    };
  },
});

/** The kind `reports` has answers of its own, which are older than the other kinds. */
function subjectOut(kind: string, { subject, state, met, due }: JudgedSubject): z.input<typeof SubjectOut> {
  if (kind === 'reports' && subject.type === 'environment') {
    const { environment } = subject;
    return { environment, state, last_reported_at: secondsOf(met), due_at: secondsOf(due) };
  }
  return { subject, state, last_met_at: secondsOf(met), due_at: secondsOf(due) };
}

/** Seconds since the epoch; null for an instant that there is not. */
const secondsOf = (at: Micros | null): number | null => (at === null || at === 0 ? null : toSeconds(at));
