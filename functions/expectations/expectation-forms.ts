import * as z from 'zod';
import { durationText } from '#shared/base/texts/durations.ts';
import { secondsOrNull, toSeconds } from '#shared/base/time.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { ABOUT } from '#shared/expectations/kind-request.ts';
import type { ListedExpectation, UnreadableExpectation } from '#shared/expectations/read-expectations.ts';
import type { Expectation } from '#shared/expectations/rules/expectation.ts';

/** Answers about expectations (rules/expectations.md#record). */

const ScopeOut = z.object({
  environments: z
    .array(z.string())
    .optional()
    .meta({ description: `${ABOUT.environments}; absent in other scopes` }),
  flows: z
    .array(z.string())
    .optional()
    .meta({ description: `${ABOUT.flows}; absent in other scopes` }),
  tags: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: `${ABOUT.tags}; absent in a scope of names` }),
});

/** How many subjects of an expectation are in each state (rules/expectations.md#due). */
export const SubjectCounts = z
  .object({
    met: z.int().describe('Subjects in the state `met`'),
    late: z.int().describe('Subjects in the state `late`'),
    missed: z.int().describe('Subjects in the state `missed`'),
    unknown: z.int().describe('Subjects in the state `unknown`'),
  })
  .meta({ id: 'ExpectationCounts' });

/** An expectation, or one of its versions, in answers (rules/expectations.md#record). */
export const ExpectationOut = z
  .object({
    name: z.string().describe('Name of the expectation'),
    kind: z.string().describe(ABOUT.kind),
    scope: ScopeOut.describe(ABOUT.scope),
    evidence: z
      .object({
        name: z.string().optional().describe('Name of the attestations'),
        type: z.string().optional().describe('Type of the attestations'),
        control: z.string().optional().describe('Identifier of the control'),
      })
      .optional()
      .meta({ description: `${ABOUT.evidence}; absent in expectations of other kinds than \`evidence\`` }),
    per: z
      .string()
      .optional()
      .meta({ description: `${ABOUT.per}; absent in expectations of other kinds than \`evidence\`` }),
    control: z
      .string()
      .optional()
      .meta({ description: `${ABOUT.control}; absent in expectations of other kinds than \`decision\`` }),
    every: z.string().describe(ABOUT.every),
    grace: z.string().describe(ABOUT.grace),
    due_soon: z
      .string()
      .nullable()
      .meta({ description: `${ABOUT.due_soon}; null if nobody is told before` }),
    starts_at: z.number().describe(ABOUT.starts_at),
    owner: z.string().nullable().describe(`${ABOUT.owner}; null if nobody was named`),
    severity: z.string().describe(ABOUT.severity),
    archived: z.boolean().describe('Whether the record is archived'),
    version: z.int().describe('Number of the version, from 1 on'),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    created_by: z.string().describe('Name of the user or service account that made the record'),
    changed_at: z.number().describe('When this version was saved, in seconds since the epoch'),
    changed_by: z.string().describe('Name of the user or service account that saved this version'),
    counts: SubjectCounts.optional().describe(
      'Subjects by state, as of now; only with `include=counts`, not of the kinds `completion` and `decision`',
    ),
    next_due_at: z.number().nullable().optional().meta({
      description:
        'The earliest time, in seconds since the epoch, after which a subject that is not missed will be; null if there is none. Only with `include=counts`, not of the kinds `completion` and `decision`',
    }),
    open_gaps: z.int().optional().meta({
      description:
        'Gaps in the state `open`: trails or artifacts of which something is missing. Only with `include=counts`, of the kinds `completion` and `decision`, whose subjects nobody counts',
    }),
    html_url: z.string().describe('Address of the page of the expectation'),
    unreadable: z.literal(true).optional().meta({
      description: 'Present in lists if the record cannot be read: then only `name` and `version` are valid.',
    }),
  })
  .meta({ id: 'Expectation' });
/** Where the service answers, and for which organization. */
type Place = Parameters<typeof pageUrl>[0];

export type ExpectationOut = z.input<typeof ExpectationOut>;

export const expectationOut = (one: Expectation, at: Place): ExpectationOut => ({
  name: one.name,
  kind: one.kind,
  scope: scopeOut(one.scope),
  ...(one.evidence && { evidence: { [one.evidence.by]: one.evidence.value } }),
  ...(one.per && { per: one.per }),
  ...(one.control !== undefined && { control: one.control }),
  every: durationText(one.every),
  grace: durationText(one.grace),
  due_soon: one.dueSoon === undefined ? null : durationText(one.dueSoon),
  starts_at: toSeconds(one.startsAt),
  owner: one.owner,
  severity: one.severity,
  archived: one.archived,
  version: one.version,
  created_at: toSeconds(one.createdAt),
  created_by: one.createdBy,
  changed_at: toSeconds(one.changedAt),
  changed_by: one.changedBy,
  html_url: pageOf(one, at),
});

/** Where the page of an expectation is. */
const pageOf = ({ name }: { name: string }, at: Place): string =>
  pageUrl(at, '/{org}/expectations/{expectation}', { expectation: name });

/** An expectation in a list, with what was asked for beside it. */
export const listedExpectationOut = ({ summary, ...one }: ListedExpectation, at: Place): ExpectationOut => ({
  ...expectationOut(one, at),
  ...(summary && summaryOut(summary)),
});

function summaryOut(summary: NonNullable<ListedExpectation['summary']>) {
  if ('openGaps' in summary) return { open_gaps: summary.openGaps };
  return { counts: summary.counts, next_due_at: secondsOrNull(summary.nextDue) };
}

function scopeOut(scope: Expectation['scope']): z.input<typeof ScopeOut> {
  if ('tags' in scope) return { tags: Object.fromEntries(scope.tags.map(({ name, value }) => [name, value])) };
  return 'flows' in scope
    ? { flows: scope.flows.map(({ name }) => name) }
    : { environments: scope.environments.map(({ name }) => name) };
}

/** The placeholder for an expectation or a version that cannot be read (rules/lists.md#unreadable-records). */
export const unreadableExpectation = ({ name, version }: UnreadableExpectation, at: Place): ExpectationOut => ({
  name,
  kind: '',
  scope: {},
  every: '',
  grace: '',
  due_soon: null,
  starts_at: 0,
  owner: null,
  severity: '',
  archived: false,
  version,
  created_at: 0,
  created_by: '',
  changed_at: 0,
  changed_by: '',
  html_url: pageOf({ name }, at),
  unreadable: true,
});
