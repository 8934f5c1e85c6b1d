import { area, pairsProblem, pairsText, readPairs, tagChange, type Write, write } from '../form/model/forms.ts';
import { tagResource } from './operations.ts';

interface Tagged {
  type: 'environment' | 'flow';
  name: string;
  tags: Readonly<Record<string, string>>;
}

/** All tags of a record at once: what is left out is removed (rules/tags.md#change-of-tags). */
export const tagsForm = (org: string, { type, name, tags }: Tagged): Write =>
  write({
    button: 'Tags',
    does: `Tags of ${name}`,
    sends: 'Save',
    doing: 'tag it',
    operation: tagResource,
    fields: {
      tags: area('Tags', {
        isOptional: true,
        initial: pairsText(tags),
        note: 'One per line: name = value. A line that you take away removes the tag.',
      }),
    },
    check: (values): Record<string, string> => {
      const problem = pairsProblem(values.tags);
      return problem === undefined ? {} : { tags: problem };
    },
    request: (values) => ({
      params: { org, resource_type: type, resource_id: name },
      body: tagChange(tags, readPairs(values.tags)),
    }),
    errorPlace: () => ({ field: 'tags' }),
  });
