import {
  area,
  choice,
  line,
  names,
  pairsProblem,
  pairsText,
  readPairs,
  type Write,
  write,
} from '../parts/form/model/forms.ts';
import { flowNames, signerNames } from '../parts/form/suggestions.ts';
import { controlTagsForm } from '../parts/tags/forms.ts';
import { requirementPlace } from './model/controls.ts';
import { archiveControl, type Control, createControl, unarchiveControl, updateControl } from './operations.ts';

/** Writes about controls (rules/controls.md#create). */

const LINKS_NOTE = 'One per line: text = address, such as Handbook = https://example.com/reviews.';
const checkLinks = ({ links }: { links: string }): Record<string, string> => {
  const problem = pairsProblem(links);
  return problem === undefined ? {} : { links: problem };
};

/** The fields about which decisions count (rules/controls.md#requirements). */
const requirementFields = (
  org: string,
  { flows = [], signed_by = [], grade }: NonNullable<Control['requires']> = {},
) => ({
  flows: names('Flows whose decisions count', {
    isOptional: true,
    initial: flows,
    suggest: flowNames(org),
    note: 'Without any, decisions of every flow do.',
  }),
  signed_by: names('Signers', {
    isOptional: true,
    initial: signed_by,
    suggest: signerNames(org),
    note: 'One of them has to have signed.',
  }),
  grade: choice('Least grade', GRADES, { isOptional: true, initial: grade ?? '' }),
});

const GRADES = [
  ['', 'every grade'],
  ['identified', 'identified'],
  ['signed', 'signed'],
  ['logged', 'logged'],
  ['observed', 'observed'],
] as const;

type RequirementValues = { flows: readonly string[]; signed_by: readonly string[]; grade: string };

/** Without anything, every decision counts. */
const readRequirements = ({ flows, signed_by, grade }: RequirementValues) => ({
  ...(flows.length > 0 && { flows: [...flows] }),
  ...(signed_by.length > 0 && { signed_by: [...signed_by] }),
  // The options of the field are grades.
  ...(grade !== '' && { grade: grade as NonNullable<NonNullable<Control['requires']>['grade']> }),
});

export const newControl = (org: string): Write =>
  write({
    button: 'New control',
    does: 'Create the control',
    doing: 'create controls',
    operation: createControl,
    fields: {
      identifier: line('Identifier', { note: 'Such as RCTL-1. It belongs to this control for ever.' }),
      name: line('Name', { note: 'The rule in one sentence: Every change is reviewed.' }),
      description: area('Description', { isOptional: true }),
      links: area('Links', { isOptional: true, note: LINKS_NOTE }),
      ...requirementFields(org),
    },
    check: checkLinks,
    errorPlace: requirementPlace,
    request: ({ identifier, name, description, links, ...asked }) => ({
      params: { org },
      body: {
        identifier: identifier.trim(),
        name: name.trim(),
        ...(description !== '' && { description }),
        ...(links.trim() !== '' && { links: readPairs(links) }),
        requires: readRequirements(asked),
      },
    }),
    opens: ({ identifier }) => ({ page: 'control', params: { org, control: identifier.trim() } }),
  });

/** What the pages of a control offer. An archived control only comes back. */
export function controlWrites(
  org: string,
  { identifier, name, description, links, archived, tags, requires }: Control,
): Write[] {
  const params = { org, identifier };
  if (archived) {
    return [
      write({
        button: 'Unarchive',
        does: `Unarchive ${identifier}`,
        doing: 'unarchive it',
        operation: unarchiveControl,
        about: 'It is in force and in the list again.',
        fields: {},
        request: () => ({ params }),
        done: 'In force again.',
      }),
    ];
  }
  return [
    write({
      button: 'Edit',
      does: `Edit ${identifier}`,
      sends: 'Save',
      doing: 'edit the control',
      operation: updateControl,
      about: 'A change makes the next version. Versions before it are kept.',
      fields: {
        name: line('Name', { initial: name }),
        description: area('Description', { isOptional: true, initial: description ?? '' }),
        links: area('Links', { isOptional: true, initial: pairsText(links), note: LINKS_NOTE }),
        ...requirementFields(org, requires),
      },
      check: checkLinks,
      errorPlace: requirementPlace,
      request: ({ name: called, description: text, links: addresses, ...asked }) => ({
        params,
        body: {
          name: called.trim(),
          description: text,
          links: readPairs(addresses),
          requires: readRequirements(asked),
        },
      }),
    }),
    controlTagsForm(org, identifier, tags),
    write({
      button: 'Archive',
      isRare: true,
      does: `Archive ${identifier}`,
      doing: 'archive it',
      operation: archiveControl,
      about: 'It leaves the list. Its decisions and versions are kept, and it can be unarchived.',
      isDanger: true,
      fields: {},
      request: () => ({ params }),
      done: 'Archived.',
    }),
  ];
}
