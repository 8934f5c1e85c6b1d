import { invalid } from '#shared/base/errors.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again, retrying } from '#shared/base/retry.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import type { Answer, Request } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { claimAlone, ok, written } from '#shared/http/written.ts';
import { auditOf } from '#shared/organizations/records/audit.ts';
import { partsOf, readStoredTags, SHOWN_TAGS, type StoredTags, tagWrites } from '#shared/series/tag-items.ts';
import { applied, stepsOf, type TagChange, type TagStep, tooMuch } from '#shared/series/tags.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import { FIND, type Tagged, type TaggedKind } from './kinds.ts';

type TagRequest = Pick<Request, 'org' | 'caller' | 'idempotency' | 'receivedAt'> & { body: TagChange };

/**
 * Changes the tags of a resource: sets tags, then removes tags, and leaves the other tags unchanged
 * (rules/tags.md#change-of-tags). A change that is too large for one transaction takes several
 * (rules/tags.md#stored-tags). A reader may see such a change half done. A repeated request completes an interrupted one.
 *
 * @param name the name, identifier or id of the resource in the path
 * @throws ServiceError 404 if the resource does not exist, 400 if it would have too many tags
 */
export async function changeTags(
  kind: TaggedKind,
  name: string,
  request: TagRequest,
  { table, clock }: Services,
): Promise<Answer<'OK'>> {
  const { org, body, idempotency } = request;
  const answer = ok(200);
  const tagged = await FIND[kind](table, org, name);
  const outcome = await retrying(async (): Promise<'done' | 'again' | EarlierRequest> => {
    let stored = await readStoredTags(table, tagged.place);
    const steps = stepsOf(stored.tags, body);
    const problem = tooMuch(applied(stored.tags, steps));
    if (problem !== undefined) throw invalid({ set_tags: problem });
    const claim = claimWrites(idempotency, answer, clock.now());
    const parts = partsOf(tagged.place, steps);
    if (parts.length === 0) return claimAlone(table, claim);
    for (const [i, part] of parts.entries()) {
      const { after, writes } = tagWrites(tagged.place, stored, part, again);
      const claimed = i === parts.length - 1 ? claim : [];
      const covers = coversOf(tagged, stored, after);
      const audit = auditOf(request, { ...tagsChanged(kind, tagged, part), covers });
      const done = await table.transact<'again' | EarlierRequest>([...claimed, ...writes, audit]);
      if (done !== 'done') return done;
      stored = after;
    }
    return 'done';
  });
  return written(answer, outcome);
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
