import { area, choice, line, names, pairsText, type Write, write } from '../parts/form/model/forms.ts';
import { physicalNames } from '../parts/form/suggestions.ts';
import { durationText } from './model/durations.ts';
import { bodyOf, checkValues, errorPlace, severityOf, startText } from './model/form.ts';
import { subjectText } from './model/gaps.ts';
import { archiveExpectation, type Expectation, excuseGap, type Gap, putExpectation } from './operations.ts';

/** Writes about expectations (rules/expectations.md#save). */

const DURATION = 'A number with min, h, d or w, such as 20 min, 36 h or 90 d.';

/** The fields of an expectation, with the values of a present one. */
const fieldsOf = (org: string, given?: Expectation) => ({
  environments: names('Environments', {
    isOptional: true,
    initial: given?.scope.environments ?? [],
    suggest: physicalNames(org),
    note: 'Each of them has to report. They are found again after a rename.',
  }),
  tags: area('Or every environment with these tags', {
    isOptional: true,
    initial: pairsText(given?.scope.tags ?? {}),
    note: 'One per line: tier = 1. It has to have all of them. New environments are expected from their first minute on.',
  }),
  every: line('A report at least every', {
    initial: given ? durationText(given.every) : '',
    note: `${DURATION} A report that changes nothing counts.`,
  }),
  grace: line('Grace', {
    isOptional: true,
    initial: given ? durationText(given.grace) : '',
    note: 'How late a report may be before it is missed. Empty: a tenth of the interval.',
  }),
  starts_at: line('Counts from', {
    isOptional: true,
    initial: given ? startText(given) : '',
    note: 'In UTC, such as 2026-07-01 or 2026-07-01T12:00Z. Silence before it does not count. Empty: from now on.',
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
});

export const newExpectation = (org: string, taken: readonly Pick<Expectation, 'name'>[]): Write =>
  write({
    button: 'New expectation',
    does: 'Create the expectation',
    doing: 'create expectations',
    operation: putExpectation,
    about: 'It says how often reports have to come, so that a reporter that stopped is noticed.',
    fields: {
      name: line('Name', { note: 'Letters, digits and - _ . such as prod-reports.' }),
      ...fieldsOf(org),
    },
    // The API would make a new version of that expectation.
    check: ({ name, ...values }): Record<string, string> => ({
      ...checkValues(values),
      ...(taken.some((one) => one.name === name.trim()) && {
        name: `There is an expectation ${name.trim()}. Its page has a form for the next version.`,
      }),
    }),
    errorPlace,
    request: ({ name, ...values }) => ({ params: { org }, body: bodyOf(name.trim(), values) }),
    opens: ({ name }) => ({ page: 'expectation', params: { org, expectation: name.trim() } }),
  });

/** What the page of an expectation offers. An archived one only comes back. */
export function expectationWrites(org: string, given: Expectation): Write[] {
  const { name } = given;
  // The form has the fields of reports only. Expectations of other kinds lie in files beside the pipelines.
  const forReports = given.kind === 'reports' ? [given] : [];
  if (given.archived) {
    return forReports.map(() =>
      write({
        button: 'Expect it again',
        does: `Expect ${name} again`,
        doing: 'expect it again',
        operation: putExpectation,
        about: 'It makes the next version, with what the expectation said before it was archived.',
        fields: fieldsOf(org, given),
        check: checkValues,
        errorPlace,
        request: (values) => ({ params: { org }, body: bodyOf(name, values, given) }),
        done: 'It counts again.',
      }),
    );
  }
  return [
    ...forReports.map(() =>
      write({
        button: 'Edit',
        does: `Edit ${name}`,
        sends: 'Save',
        doing: 'edit the expectation',
        operation: putExpectation,
        about: 'A change makes the next version. Versions before it are kept.',
        fields: fieldsOf(org, given),
        check: checkValues,
        errorPlace,
        request: (values) => ({ params: { org }, body: bodyOf(name, values, given) }),
      }),
    ),
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
