import { area, pairsProblem, pairsText, readPairs, tagChange, type Write, write } from '../form/model/forms.ts';
import { tagControl, tagResource } from './operations.ts';

type Tags = Readonly<Record<string, string>>;

interface Tagged {
  type: 'environment' | 'flow';
  name: string;
  tags: Tags;
}

/** All tags of a record at once: what is left out is removed (rules/tags.md#change-of-tags). */
const allTags = (name: string, tags: Tags) => ({
  button: 'Tags',
  isRare: true,
  does: `Tags of ${name}`,
  sends: 'Save',
  doing: 'tag it',
  fields: {
    tags: area('Tags', {
      isOptional: true,
      initial: pairsText(tags),
      note: 'One per line: name = value. A line that you take away removes the tag.',
    }),
  },
  check: (values: { tags: string }): Record<string, string> => {
    const problem = pairsProblem(values.tags);
    return problem === undefined ? {} : { tags: problem };
  },
  errorPlace: () => ({ field: 'tags' }),
});

export const tagsForm = (org: string, { type, name, tags }: Tagged): Write =>
  write({
    ...allTags(name, tags),
    operation: tagResource,
    request: (values) => ({
      params: { org, resource_type: type, resource_id: name },
      body: tagChange(tags, readPairs(values.tags)),
    }),
  });

/** The same for a control, which only administrators tag (rules/controls.md#tags-of-a-control). */
export const controlTagsForm = (org: string, identifier: string, tags: Tags): Write =>
  write({
    ...allTags(identifier, tags),
    operation: tagControl,
    request: (values) => ({ params: { org, resource_id: identifier }, body: tagChange(tags, readPairs(values.tags)) }),
  });
