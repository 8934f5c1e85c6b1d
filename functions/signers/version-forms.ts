import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import type { Unreadable } from '#shared/signers/read-signers.ts';
import type { Versioned } from '#shared/signers/rules/recall-records.ts';

/** What answers about trust roots, signers and recalls have in common (rules/verified-evidence.md#signers). */

export const VERSION_FIELDS = {
  deleted: z.boolean().describe('Whether the record is deleted: then it has no effect any more'),
  version: z.int().describe('Number of the version, from 1 on'),
  created_at: z.number().describe('When the record was made, in seconds since the epoch'),
  created_by: z.string().describe('Name of the user or service account that made the record'),
  changed_at: z.number().describe('When this version was saved, in seconds since the epoch'),
  changed_by: z.string().describe('Name of the user or service account that saved this version'),
  unreadable: z.literal(true).optional().meta({
    description: 'Present in lists if the record cannot be read: then only `name` and `version` are valid.',
  }),
};

export const versionOut = (one: Versioned) => ({
  deleted: one.deleted,
  version: one.version,
  created_at: toSeconds(one.createdAt),
  created_by: one.createdBy,
  changed_at: toSeconds(one.changedAt),
  changed_by: one.changedBy,
});

/** The placeholder for a record or a version that cannot be read (rules/lists.md#unreadable-records). */
export const unreadableOut = ({ name, version }: Unreadable) => ({
  name,
  deleted: false,
  version,
  created_at: 0,
  created_by: '',
  changed_at: 0,
  changed_by: '',
  unreadable: true as const,
});
