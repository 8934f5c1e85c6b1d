import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { pageUrl } from '#shared/console/pages.ts';
import type { Request } from '#shared/http/request.ts';
import type { PolicyWithTexts } from '#shared/policies/read-policies.ts';

const VersionOut = z
  .object({
    version: z.int().describe('Number of the version, from 1 on'),
    policy_yaml: z.string().meta({ description: 'The text as it was uploaded' }),
    comment: z.string().describe('Why the version was made'),
    timestamp: z.number().describe('When the version was made, in seconds since the epoch'),
    created_by: z.string().describe('Name of the user or service account that made the record'),
  })
  .meta({ id: 'PolicyVersion' });

/** An environment policy as clients read it (`rules/policies.md#policy-record`). */
export const PolicyOut = z
  .object({
    name: z.string().describe('Name of the policy'),
    description: z.string().describe('A text for people'),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    created_by: z.string().describe('Name of the user or service account that made the record'),
    consuming_envs: z.array(z.string()).meta({ description: 'Environments that it is attached to, by name' }),
    html_url: z.string().describe('Address of a page for people'),
    versions: z.array(VersionOut).meta({ description: 'Oldest first' }),
    unreadable: z.literal(true).optional().meta({
      description: 'Set in lists where the record could not be read: only the name is the record’s own then.',
    }),
  })
  .meta({ id: 'Policy' });
export type PolicyOut = z.input<typeof PolicyOut>;

const policyUrl = (at: Pick<Request, 'host' | 'org'>, policy: string) =>
  pageUrl(at, '/{org}/policies/{policy}', { policy });

/** Describes a policy for clients, with the texts of all versions. */
export const policyOut = (
  at: Pick<Request, 'host' | 'org'>,
  { head, versions, environments, texts }: PolicyWithTexts,
): PolicyOut => ({
  name: head.name,
  description: head.description,
  created_at: toSeconds(head.created),
  created_by: head.by,
  consuming_envs: environments.toSorted(),
  html_url: policyUrl(at, head.name),
  versions: versions.map(({ number, comment, at, by }, n) => ({
    version: number,
    policy_yaml: texts[n] ?? '',
    comment,
    timestamp: toSeconds(at),
    created_by: by,
  })),
});

/** The placeholder that a list shows for a policy that cannot be read (`rules/policies.md#policy-record`). */
export const unreadablePolicy = (at: Pick<Request, 'host' | 'org'>, name: string): PolicyOut => ({
  name,
  description: '',
  created_at: 0,
  created_by: '',
  consuming_envs: [],
  html_url: policyUrl(at, name),
  versions: [],
  unreadable: true,
});
