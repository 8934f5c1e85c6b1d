import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { type AllowedEntries, listAllowed as list } from '#shared/environments/list-allowed.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { Fingerprint } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders } from '#shared/http/paging.ts';
import { cursorFields } from '#shared/http/query-fields.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';

const AllowedEntry = z
  .object({
    artifact_fingerprint: z.string().describe('SHA-256 of the artifact that the attestation is about'),
    artifact_name: z.string().describe('Name of the artifact'),
    description: z.string().meta({ description: 'The reason' }),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    created_by: z.string().meta({ description: 'Name of the user or service account that made the entry' }),
    unreadable: z.literal(true).optional().meta({ description: 'Set if the entry could not be read' }),
  })
  .meta({ id: 'AllowedEntry' });

/** GET /allowlists/{org}/{env_name}: the entries of an allow-list that are in force (rules/environments.md#read-the-allow-list). */
export const listAllowed = endpoint({
  operation: 'listAllowedArtifacts',
  method: 'GET',
  path: '/allowlists/{org}/{env_name}',
  summary: 'List the allow-list of an environment',
  description:
    'The entries in force, by fingerprint. Send `next_cursor` as `cursor` to get the next page; it is null on the last page. A page can be short and still have a next one.',
  access: 'reader',
  query: z.object({
    fingerprint: Fingerprint.optional().meta({ description: 'Only the entry of this artifact; full SHA-256' }),
    ...cursorFields('Entries'),
  }),
  success: {
    200: z
      .object({
        entries: z.array(AllowedEntry).describe('The entries of the page, newest first'),
        next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
      })
      .meta({ id: 'AllowedEntriesPage' }),
  },
  errors: [unknownEnvironment, archivedEnvironment],
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const { params, query, org } = request;
    const { cursor, fingerprint, per_page: perPage } = query;
    const found = await list(stores, org, params.env_name, { fingerprint, cursor, perPage });
    const entries = found.entries.map((entry) => {
      if (!('unreadable' in entry)) return entryOut(entry);
      logUnreadable('allowlists', request, `allowed artifact ${entry.fingerprint}`, entry.unreadable);
      return unreadableEntry(entry.fingerprint);
    });
    return {
      status: 200,
      headers: cursorHeaders(request, found.next),
      body: { entries, next_cursor: found.next },
    };
  },
});

type Entry = Exclude<AllowedEntries['entries'][number], { unreadable: unknown }>;

const entryOut = ({ fingerprint, name, description, at, by }: Entry): z.input<typeof AllowedEntry> => ({
  artifact_fingerprint: fingerprint,
  artifact_name: name,
  description,
  created_at: toSeconds(at),
  created_by: by.name,
});

const unreadableEntry = (fingerprint: string): z.input<typeof AllowedEntry> => ({
  artifact_fingerprint: fingerprint,
  artifact_name: '',
  description: '',
  created_at: 0,
  created_by: '',
  unreadable: true,
});
