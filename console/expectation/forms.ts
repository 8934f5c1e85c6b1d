import { call } from '../client/call.ts';
import { area, choice, line, names, pairsText, type Write, write } from '../parts/form/model/forms.ts';
import { INSTANT_NOTE } from '../parts/form/model/instants.ts';
import { refuseTaken } from '../parts/form/model/taken.ts';
import { flowNames, physicalNames } from '../parts/form/suggestions.ts';
import { dryRunLines } from './model/dry-run.ts';
import { durationText } from './model/durations.ts';
import {
  bodyOf,
  checkValues,
  errorPlace,
  evidenceOf,
  hasField,
  type Kind,
  kindOf,
  severityOf,
  startText,
} from './model/form.ts';
import { subjectText } from './model/gaps.ts';
import {
  archiveExpectation,
  dryRunExpectation,
  type Expectation,
  excuseGap,
  type Gap,
  putExpectation,
} from './operations.ts';

/** Writes about expectations (rules/expectations.md#save). */

const DURATION = 'A number with min, h, d or w, such as 20 min, 36 h or 90 d.';

/** Plays what a form holds over the last 90 days, and stores nothing (rules/expectations.md#dry-run). */
const played = async (org: string, body: ReturnType<typeof bodyOf>): Promise<string[]> =>
  dryRunLines(await call(dryRunExpectation, { org }, {}, body));

const TRY = 'Try it on the last 90 days';

/** The fields of an expectation, with the values of a present one. A form shows those of its kind. */
function fieldsOf(org: string, given?: Expectation) {
  const evidence = evidenceOf(given);
  return {
    environments: names('Environments', {
      isOptional: true,
      initial: given?.scope.environments ?? [],
      suggest: physicalNames(org),
      note: 'Each of them is expected. They are found again after a rename.',
    }),
    flows: names('Flows', {
      isOptional: true,
      initial: given?.scope.flows ?? [],
      suggest: flowNames(org),
      note: 'Each of them is expected. They are found again after a rename.',
    }),
    tags: area('Or all that have these tags', {
      isOptional: true,
      initial: pairsText(given?.scope.tags ?? {}),
      note: 'One per line: tier = 1. All of them have to be there. What is new is expected from its first minute on.',
    }),
    evidence_by: choice(
      'Attestations by',
      [
        ['name', 'name'],
        ['type', 'type'],
        ['control', 'control'],
      ],
      { initial: evidence.by },
    ),
    evidence: line('Name, type or control', {
      initial: evidence.value,
      note: 'Such as pentest, snyk, custom:coverage or RCTL-1. Only compliant attestations count.',
    }),
    per: choice(
      'Needed in',
      [
        ['flow', 'each flow of the scope'],
        ['scope', 'one flow of the scope'],
      ],
      { initial: given?.per === 'scope' ? 'scope' : 'flow' },
    ),
    control: line('Control', {
      initial: given?.control ?? '',
      note: 'Identifier of the control that the decisions are about, such as RCTL-1.',
    }),
    every: line('At least every', {
      initial: given ? durationText(given.every) : '',
      note: `${DURATION} Of trails and artifacts: how long it may take. A report that changes nothing counts.`,
    }),
    grace: line('Grace', {
      isOptional: true,
      initial: given ? durationText(given.grace) : '',
      note: 'How late it may be before it is missed. Empty: a tenth of the interval.',
    }),
    due_soon: line('Tell before it is missed', {
      isOptional: true,
      initial: given?.due_soon ? durationText(given.due_soon) : '',
      note: `${DURATION} Notifications of «due soon» are sent that long before. Empty: not at all.`,
    }),
    starts_at: line('Counts from', {
      isOptional: true,
      initial: given ? startText(given) : '',
      note: `${INSTANT_NOTE} Silence before it does not count. Empty: from now on.`,
    }),
    owner: line('Owner', {
      isOptional: true,
      initial: given?.owner ?? '',
      note: 'A person or a team that looks after it.',
    }),
    severity: choice(
      'Severity',
      [
        ['warning', 'warning'],
        ['critical', 'critical'],
        ['info', 'info'],
      ],
      { initial: severityOf(given) },
    ),
  };
}

const kindField = choice<Kind>('What is expected', [
  ['reports', 'reports: each environment reports'],
  ['evidence', 'evidence: flows get an attestation again and again'],
  ['activity', 'activity: each flow begins trails'],
  ['completion', 'completion: each trail becomes compliant in time'],
  ['decision', 'decision: each artifact that starts has a decision in time'],
]);

/** A name for a dry run whose expectation has none yet. It is stored nowhere. */
const UNNAMED = 'dry-run';

export const newExpectation = (org: string, taken: readonly Pick<Expectation, 'name'>[]): Write =>
  write({
    button: 'New expectation',
    does: 'Create the expectation',
    doing: 'create expectations',
    operation: putExpectation,
    about: 'It says what has to come at least every so often, so that silence is noticed.',
    fields: {
      name: line('Name', { note: 'Letters, digits and - _ . such as prod-reports.' }),
      kind: kindField,
      ...fieldsOf(org),
    },
    isShown: (field, { kind }) => hasField(kind, field),
    check: ({ name, kind, ...values }): Record<string, string> => ({
      ...checkValues(kind, values),
      ...refuseTaken('an expectation', name, taken, 'for the next version'),
    }),
    errorPlace,
    request: ({ name, kind, ...values }) => ({ params: { org }, body: bodyOf({ name: name.trim(), kind }, values) }),
    trial: {
      button: TRY,
      leavesOut: ['name'],
      run: ({ name, kind, ...values }) => played(org, bodyOf({ name: name.trim() || UNNAMED, kind }, values)),
    },
    opens: ({ name }) => ({ page: 'expectation', params: { org, expectation: name.trim() } }),
  });

/** What the page of an expectation offers. An archived one only comes back. */
export function expectationWrites(org: string, given: Expectation): Write[] {
  const { name } = given;
  const kind = kindOf(given);
  const put = (labels: Pick<Write, 'button' | 'does' | 'doing' | 'about' | 'sends' | 'done'>): Write =>
    write({
      ...labels,
      operation: putExpectation,
      fields: fieldsOf(org, given),
      isShown: (field) => hasField(kind, field),
      check: (values) => checkValues(kind, values),
      errorPlace,
      request: (values) => ({ params: { org }, body: bodyOf({ name, kind }, values, given) }),
      trial: { button: TRY, run: (values) => played(org, bodyOf({ name, kind }, values, given)) },
    });
  if (given.archived) {
    return [
      put({
        button: 'Expect it again',
        does: `Expect ${name} again`,
        doing: 'expect it again',
        about: 'It makes the next version, with what the expectation said before it was archived.',
        done: 'It counts again.',
      }),
    ];
  }
  return [
    put({
      button: 'Edit',
      does: `Edit ${name}`,
      sends: 'Save',
      doing: 'edit the expectation',
      about: 'A change makes the next version. Versions before it are kept.',
    }),
    write({
      button: 'Archive',
      isRare: true,
      does: `Archive ${name}`,
      doing: 'archive it',
      operation: archiveExpectation,
      about: 'It expects nothing any more. Its versions are kept, and it can come back.',
      isDanger: true,
      fields: {},
      request: () => ({ params: { org, name } }),
      done: 'Archived.',
    }),
  ];
}

/** What the page of a gap offers: an explanation, once. Time in which the service did not run needs none. */
export const excuseForms = (org: string, gap: Gap): Write[] =>
  gap.state === 'excused' || gap.state === 'unknown'
    ? []
    : [
        write({
          button: 'Excuse',
          does: `Excuse the gap of ${subjectText(gap.subject)}`,
          doing: 'excuse gaps',
          operation: excuseGap,
          about: 'The interval stays as it is, and your name and the explanation stand beside it for ever.',
          fields: { text: area('Why nobody has to worry', { note: 'Such as: maintenance of the cluster, CHG-4711.' }) },
          request: ({ text }) => ({ params: { org, gap_id: gap.id }, body: { text: text.trim() } }),
          done: 'Excused.',
        }),
      ];
