import { type AccessPattern, BATCH, patternsOf } from '#shared/table/access-patterns.ts';
import { CATALOGUE_SHARDS } from '#shared/table/keys.ts';
import * as keys from './repo-keys.ts';

const ORG = '{org}';
/** Ids end in a random digit, which says in which of several partitions they lie. */
const ID_ENDING_IN_5 = '{repo id}5';

const rows = patternsOf(keys);

/** Access patterns of what people say of repositories. */
export const REPO_PATTERNS: readonly AccessPattern[] = rows(
  'Repositories',
  ['Which tags has a repository?', 'repoTagsKey', keys.repoTagsKey(ORG, '{repo id}'), BATCH],
  [
    'Which repositories have a tag of this name?',
    'repoTagPartition',
    keys.repoTagPartition(ORG, '{tag}', 5),
    `${CATALOGUE_SHARDS} Queries at once: 1 unit per 4 KB of those that have it`,
  ],
  [
    'Has a repository this tag?',
    'repoTagKey',
    keys.repoTagKey(ORG, '{tag}', '{value}', ID_ENDING_IN_5),
    'Put and Delete with the tags',
  ],
);
