import { area, code, line, type Write, write } from '../parts/form/model/forms.ts';
import { tagsForm } from '../parts/tags/forms.ts';
import { archiveFlow, type Flow, putFlow, renameFlow } from './operations.ts';

/** Writes about flows (rules/flows.md#create-or-update). */

const EXAMPLE = `version: 1
trail:
  attestations:
    - name: review
      type: generic
  artifacts:
    - name: app
      attestations:
        - name: unit-tests
          type: junit
`;
const TEMPLATE_NOTE =
  'YAML: what evidence each trail must have. Another template judges a trail from its next report on, unless the trail has its own.';
const fileOf = (text: string) => ({ template_file: { name: 'template.yml', text } });

export const newFlow = (org: string): Write =>
  write({
    button: 'New flow',
    does: 'Create the flow',
    doing: 'create flows',
    operation: putFlow,
    fields: {
      name: line('Name', { note: 'Letters, digits and - _ . ~, such as payments.' }),
      description: area('Description', { isOptional: true }),
      template_file: code('Template', {
        isOptional: true,
        initial: EXAMPLE,
        note: 'YAML: what evidence each trail must have. Change the example, or empty the field to ask for nothing.',
      }),
    },
    request: ({ name, description, template_file: text }) => ({
      params: { org },
      part: 'data_json',
      body: { name: name.trim(), ...(description !== '' && { description }) },
      files: text.trim() === '' ? {} : fileOf(text),
    }),
    opens: ({ name }) => ({ page: 'flow', params: { org, flow: name.trim() } }),
  });

/** What the page of a flow offers. An archived flow takes no changes. */
export function flowWrites(org: string, { name, description, template, tags, archived }: Flow): Write[] {
  if (archived) return [];
  // A flow in the deprecated form has names instead of a text. The form leaves that template as it is.
  const text = Array.isArray(template) ? null : template;
  const about = area('Description', { isOptional: true, initial: description });
  const own = { button: 'Edit', does: `Edit ${name}`, sends: 'Save', doing: 'edit the flow', operation: putFlow };
  return [
    text === null
      ? write({
          ...own,
          fields: { description: about },
          request: (values) => ({
            params: { org },
            part: 'data_json',
            body: { name, description: values.description },
          }),
        })
      : write({
          ...own,
          fields: {
            description: about,
            template_file: code('Template', { isOptional: true, initial: text, note: TEMPLATE_NOTE }),
          },
          request: (values) => ({
            params: { org },
            part: 'data_json',
            body: { name, description: values.description },
            // An unchanged template is left out. The service would take it for a new one with other white space.
            files: values.template_file === text ? {} : fileOf(values.template_file),
          }),
        }),
    tagsForm(org, { type: 'flow', name, tags }),
    write({
      button: 'Rename',
      isRare: true,
      does: `Rename ${name}`,
      doing: 'rename it',
      operation: renameFlow,
      about: 'The old name still leads here, for reports and for links.',
      fields: { new_name: line('New name', { initial: name }) },
      request: (values) => ({ params: { org, flow_name: name }, body: { new_name: values.new_name.trim() } }),
      opens: (values) => ({ page: 'flow', params: { org, flow: values.new_name.trim() } }),
    }),
    write({
      button: 'Archive',
      isRare: true,
      does: `Archive ${name}`,
      doing: 'archive it',
      operation: archiveFlow,
      about:
        'It takes no reports any more, and it cannot be brought back. Its trails are kept. Its name is free: a report to the name makes a new flow.',
      isDanger: true,
      fields: {},
      request: () => ({ params: { org, flow: name } }),
      opens: () => ({ page: 'flows', params: { org } }),
    }),
  ];
}
