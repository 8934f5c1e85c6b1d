import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import type { ListedRepo, RepoRecord } from '#shared/evidence/repos/read-repos.ts';

/** A repository as clients read it (rules/lookups.md#repository-record). */
export const RepoOut = z
  .object({
    id: z.string().meta({ description: 'Internal id; it never changes.' }),
    repo_id: z.string().meta({ description: 'Id at the provider.' }),
    name: z.string(),
    url: z.string(),
    provider: z.string().nullable(),
    description: z.string().nullable(),
    tags: z.record(z.string(), z.string()),
    created_at: z.number(),
    last_modified_at: z.number(),
    latest_activity: z.number().nullable(),
    unreadable: z.literal(true).optional().meta({
      description:
        'Set in lists if the record could not be read. Ids, name and provider are then correct; the other fields are empty.',
    }),
  })
  .meta({ id: 'Repo' });
export type RepoOut = z.input<typeof RepoOut>;

export const repoOut = ({ repo, tags, activity }: RepoRecord): RepoOut => ({
  id: repo.id,
  repo_id: repo.externalId,
  name: repo.name,
  url: repo.url,
  provider: repo.provider,
  description: repo.description,
  tags,
  created_at: toSeconds(repo.created),
  last_modified_at: toSeconds(repo.modified),
  latest_activity: activity === null ? null : toSeconds(activity),
});

/**
 * The placeholder that a list shows for a repository whose record cannot be read (rules/lists.md#unreadable-records).
 */
export const unreadableRepo = ({ id, externalId, name, provider }: ListedRepo): RepoOut => ({
  id,
  repo_id: externalId,
  name,
  provider,
  url: '',
  description: null,
  tags: {},
  created_at: 0,
  last_modified_at: 0,
  latest_activity: null,
  unreadable: true,
});
