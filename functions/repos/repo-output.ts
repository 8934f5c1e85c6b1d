import * as z from 'zod';
import { secondsOrNull, toSeconds } from '#shared/base/time.ts';
import type { ListedRepo, RepoRecord } from '#shared/evidence/repos/read-repos.ts';

/** A repository as clients read it (rules/lookups.md#repository-record). */
export const RepoOut = z
  .object({
    id: z.string().meta({ description: 'Internal id; it never changes.' }),
    repo_id: z.string().meta({ description: 'Id at the provider.' }),
    name: z.string().describe('Present name of the repository'),
    url: z.string().describe('Address of the repository'),
    provider: z.string().nullable().describe('Provider of the repository, for example `github`'),
    description: z.string().nullable().describe('Description of the repository at its provider'),
    tags: z.record(z.string(), z.string()).describe('Tags by name'),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    last_modified_at: z.number().describe('When the record changed last, in seconds since the epoch'),
    latest_activity: z
      .number()
      .nullable()
      .describe('When the repository was reported last, in seconds since the epoch; null if unknown'),
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
  latest_activity: secondsOrNull(activity),
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
