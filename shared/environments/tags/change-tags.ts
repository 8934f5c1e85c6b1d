import { invalid } from '#shared/base/errors.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again, retrying } from '#shared/base/retry.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { auditOf } from '#shared/organizations/records/audit.ts';
import { partsOf, readStoredTags, SHOWN_TAGS, type StoredTags, tagWrites } from '#shared/series/tag-items.ts';
import { applied, stepsOf, type TagChange, type TagStep, tooMuch } from '#shared/series/tags.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { FIND, type Tagged, type TaggedKind } from './tagged-resources.ts';

export type { TaggedKind };

/** What changing the tags of flows, environments and repositories writes. */
export const TAG_RESOURCE: Uses = {
  writes: ['FLOW', 'FLOWTAG', 'ENV', 'REPOID', 'REPOTAG', 'AUDIT'],
  removes: ['FLOWTAG', 'REPOTAG'],
};
/** What changing the tags of controls writes. */
export const TAG_CONTROL: Uses = { writes: ['CONTROL', 'CONTROLTAG', 'AUDIT'], removes: ['CONTROLTAG'] };

/**
 * Changes the tags of a resource: sets tags, then removes tags, and leaves the other tags unchanged
 * (rules/tags.md#change-of-tags). A change that is too large for one transaction takes several
 * (rules/tags.md#stored-tags). A reader may see such a change half done. A repeated request completes an interrupted one.
 *
 * @param name the name, identifier or id of the resource
 * @throws ServiceError `not-found` if the resource does not exist, `invalid` if it would have too many tags
 */
export async function changeTags(
  { table }: Pick<Stores, 'table'>,
  by: Author<void>,
  kind: TaggedKind,
  name: string,
  change: TagChange,
) {
  const tagged = await FIND[kind](table, by.org, name);
  await retrying(async () => {
    let stored = await readStoredTags(table, tagged.place);
    const steps = stepsOf(stored.tags, change);
    const problem = tooMuch(applied(stored.tags, steps));
    if (problem !== undefined) throw invalid({ set_tags: problem });
    const parts = partsOf(tagged.place, steps);
    if (parts.length === 0) return storeClaim(table, by.claim());
    for (const [i, part] of parts.entries()) {
      const { after, writes } = tagWrites(tagged.place, stored, part, again);
      const claim = i === parts.length - 1 ? by.claim() : [];
      const audit = auditOf(by, { ...tagsChanged(kind, tagged, part), covers: coversOf(tagged, stored, after) });
      const done = await table.transact<'again'>([...claim, ...writes, audit]);
      if (done !== 'done') return done;
      stored = after;
    }
    return 'done';
  });
}

/** What one part of a change leaves behind (rules/organizations.md#covers). */
function coversOf({ line }: Tagged, before: StoredTags, after: StoredTags): Cover[] {
  if (!line) return [];
  const shown = (tags: StoredTags) => lineOf(SHOWN_TAGS, tags, line.key);
  return [coverOf(line.name, before.rev === 0 ? undefined : shown(before), shown(after))];
}

/** Makes the audit entry of one part of a change: the changed tags as `name=value`, before and after. */
function tagsChanged(kind: TaggedKind, { id, name }: Tagged, steps: readonly TagStep[]) {
  const facts = (side: 'before' | 'after') =>
    steps.flatMap((step) => (step[side] === undefined ? [] : [`${step.name}=${step[side]}`]));
  return {
    kind: `${kind}.tags_changed` as const,
    subject: { type: kind, id, name },
    before: { tags: facts('before') },
    after: { tags: facts('after') },
  };
}
