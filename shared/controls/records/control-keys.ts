import type { Id } from '#shared/base/ids.ts';
import { family, sequence } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

/** Keys of controls; `control-patterns.ts` says what they answer. */

export const controlPartition = (org: Id, identifier: string): string => family(org, 'CONTROL', identifier);
/** The control as it is now. */
export const controlHeadKey = (org: Id, identifier: string): Key => ({
  pk: controlPartition(org, identifier),
  sk: 'HEAD',
});
export const controlVersionKey = (org: Id, identifier: string, version: number): Key => ({
  pk: controlPartition(org, identifier),
  sk: `V#${sequence(version)}`,
});
export const controlTagsKey = (org: Id, identifier: string): Key => ({
  pk: controlPartition(org, identifier),
  sk: 'TAGS',
});
