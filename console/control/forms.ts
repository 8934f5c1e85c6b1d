import { area, line, pairsProblem, pairsText, readPairs, type Write, write } from '../parts/form/model/forms.ts';
import { controlTagsForm } from '../parts/tags/forms.ts';
import { archiveControl, type Control, createControl, unarchiveControl, updateControl } from './operations.ts';

/** Writes about controls (rules/controls.md#create). */

const LINKS_NOTE = 'One per line: text = address, such as Handbook = https://example.com/reviews.';
const checkLinks = ({ links }: { links: string }): Record<string, string> => {
  const problem = pairsProblem(links);
  return problem === undefined ? {} : { links: problem };
};

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
    },
    check: checkLinks,
    request: ({ identifier, name, description, links }) => ({
      params: { org },
      body: {
        identifier: identifier.trim(),
        name: name.trim(),
        ...(description !== '' && { description }),
        ...(links.trim() !== '' && { links: readPairs(links) }),
      },
    }),
    opens: ({ identifier }) => ({ page: 'control', params: { org, control: identifier.trim() } }),
  });

/** What the pages of a control offer. An archived control only comes back. */
export function controlWrites(org: string, { identifier, name, description, links, archived, tags }: Control): Write[] {
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
      },
      check: checkLinks,
      request: (values) => ({
        params,
        body: { name: values.name.trim(), description: values.description, links: readPairs(values.links) },
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
