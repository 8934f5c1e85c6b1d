import {
  area,
  code,
  type FileText,
  line,
  pairsProblem,
  pairsText,
  programsText,
  readPairs,
  readPrograms,
  type Write,
  write,
} from '../parts/form/model/forms.ts';
import { archiveType, type CustomType, createType } from './operations.ts';

/** Writes about custom types of attestations (rules/attestations.md#create-a-type). */

interface Given {
  description: string;
  type_schema: string;
  /** The jq rules, by the field of the API that holds them. */
  evaluator: string;
  summary: string;
}

const fieldsOf = ({ description, type_schema, evaluator, summary }: Given) => ({
  description: area('Description', { isOptional: true, initial: description }),
  type_schema: code('Schema', {
    isOptional: true,
    initial: type_schema,
    note: 'JSON Schema of the data. Without it, any JSON is accepted.',
  }),
  evaluator: area('Rules', {
    isOptional: true,
    initial: evaluator,
    note: 'jq, one rule per line, such as .critical == 0. All must be true of the data. An indented line continues the rule above.',
  }),
  summary: area('Summary', {
    isOptional: true,
    initial: summary,
    note: 'What pages show of the data first. One per line: name = jq expression, such as Critical = .critical.',
  }),
});

const check = ({ summary }: { summary: string }): Record<string, string> => {
  const problem = pairsProblem(summary);
  return problem === undefined ? {} : { summary: problem };
};

const filesOf = (schema: string): Readonly<Record<string, FileText>> =>
  schema.trim() === '' ? {} : { type_schema: { name: 'schema.json', text: schema } };

const sent = (name: string, { description, type_schema: schema, evaluator, summary }: Given, isNew: boolean) => {
  const programs = readPrograms(evaluator);
  return {
    part: 'data_json',
    body: {
      name,
      // An empty text clears the description. A new type has none, which is null.
      description: description === '' && isNew ? null : description,
      ...(programs.length > 0 && { evaluator: { content_type: 'jq' as const, rules: programs } }),
      ...(summary.trim() !== '' && {
        summary: Object.entries(readPairs(summary)).map(([label, expression]) => ({ name: label, expression })),
      }),
    },
    files: filesOf(schema),
  };
};

export const newType = (org: string): Write =>
  write({
    button: 'New type',
    does: 'Create the type',
    doing: 'create types',
    operation: createType,
    fields: {
      name: line('Name', {
        note: 'Letters, digits and - _ . ~, such as load-test. Attestations name it as custom:load-test.',
      }),
      ...fieldsOf({ description: '', type_schema: '', evaluator: '', summary: '' }),
    },
    check,
    request: ({ name, ...given }) => ({ params: { org }, ...sent(name.trim(), given, true) }),
    opens: ({ name }) => ({ page: 'type', params: { org, type: name.trim() } }),
  });

/** What the page of a type offers. An archived type takes no changes. */
export function typeWrites(org: string, { name, description, versions, archived }: CustomType): Write[] {
  const [newest] = versions;
  if (archived || !newest) return [];
  const { type_schema: schema, evaluator, summary } = newest;
  const given: Given = {
    description: description ?? '',
    type_schema: schema === null ? '' : JSON.stringify(schema, null, 2),
    evaluator: evaluator.content_type === 'default' ? '' : programsText(evaluator.rules),
    summary: pairsText(Object.fromEntries((summary ?? []).map(({ name: label, expression }) => [label, expression]))),
  };
  return [
    write({
      button: 'Edit',
      does: `Edit ${name}`,
      sends: 'Save',
      doing: 'edit the type',
      operation: createType,
      about:
        'Another schema, rule or summary makes the next version. Attestations keep the version that they were reported with.',
      fields: fieldsOf(given),
      check,
      request: (values) => ({ params: { org }, ...sent(name, values, false) }),
    }),
    write({
      button: 'Archive',
      isRare: true,
      does: `Archive ${name}`,
      doing: 'archive it',
      operation: archiveType,
      about: 'Attestations of this type are refused from then on. Those that were reported are kept.',
      isDanger: true,
      fields: {},
      request: () => ({ params: { org, name } }),
      done: 'Archived.',
    }),
  ];
}
