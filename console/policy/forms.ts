import { area, code, line, type Write, write } from '../parts/form/model/forms.ts';
import { refuseTaken } from '../parts/form/model/taken.ts';
import { type Policy, putPolicy } from './operations.ts';

/** Writes about policies (rules/policies.md#save-a-policy). */

const EXAMPLE = `_schema: https://evidence.example.com/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
  trail-compliance:
    required: true
`;
const fileOf = (text: string) => ({ policy_file: { name: 'policy.yml', text } });
/** Errors have the names of places in the file. */
const inFile = {
  errorPlace: (error: string) =>
    error === 'description' || error === 'comment' || error === 'name' ? undefined : { field: 'policy_file' },
};

export const newPolicy = (org: string, taken: readonly { name: string }[]): Write =>
  write({
    button: 'New policy',
    does: 'Create the policy',
    doing: 'create policies',
    operation: putPolicy,
    about: 'It judges nothing until it is attached to an environment.',
    fields: {
      name: line('Name', { note: 'Letters, digits and - _ . such as strict.' }),
      description: area('Description', { isOptional: true }),
      policy_file: code('Policy', { initial: EXAMPLE, note: 'YAML: what an artifact must have to be compliant.' }),
    },
    check: ({ name }) => refuseTaken('a policy', name, taken, 'for the next version'),
    request: ({ name, description, policy_file: text }) => ({
      params: { org },
      part: 'payload',
      body: { name: name.trim(), ...(description !== '' && { description }) },
      files: fileOf(text),
    }),
    ...inFile,
    opens: ({ name }) => ({ page: 'policy', params: { org, policy: name.trim() } }),
  });

export const nextVersion = (org: string, { name, description, versions }: Policy): Write =>
  write({
    button: 'Edit',
    does: `Edit ${name}`,
    sends: 'Save',
    doing: 'edit the policy',
    operation: putPolicy,
    about:
      'Another text makes the next version, which judges environments that use the policy from their next report on. Versions before it are kept.',
    fields: {
      policy_file: code('Policy', { initial: versions.at(-1)?.policy_yaml ?? '' }),
      comment: line('Comment on the version', { isOptional: true, note: 'Why it changed.' }),
      description: area('Description of the policy', { isOptional: true, initial: description }),
    },
    request: (values) => ({
      params: { org },
      part: 'payload',
      body: { name, description: values.description, ...(values.comment !== '' && { comment: values.comment }) },
      files: fileOf(values.policy_file),
    }),
    ...inFile,
  });
