import * as z from 'zod';
import { RawJson } from '#shared/base/json-text.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { CustomType, TypeHead, TypeVersion, VersionOutline } from '#shared/evidence/types/read-types.ts';

const VersionOut = z
  .object({
    version: z.int().describe('Number of the version, from 1 on'),
    timestamp: z.number().describe('When the version was made, in seconds since the epoch'),
    created_by: z.string().describe('Name of the user or service account that made the record'),
    type_schema: z
      .unknown()
      .meta({ type: ['object', 'null'], description: 'JSON Schema of the data; null if any data is allowed' }),
    evaluator: z
      .union([
        z.object({
          content_type: z.literal('jq').describe('The language of the rules: `jq`'),
          rules: z.array(z.string()).describe('Expressions. All of them must be true for a compliant attestation'),
        }),
        z.object({ content_type: z.literal('default').describe('The language of the rules: `jq`') }),
      ])
      .describe('The rules that judge the data'),
    summary: z
      .array(
        z.object({
          name: z.string().describe('Name of the text'),
          expression: z.string().describe('Expression that makes the text from the data'),
        }),
      )
      .nullable()
      .describe('Short texts about the data, for people'),
  })
  .meta({ id: 'CustomAttestationTypeVersion' });

/**
 * A custom attestation type as clients read it. Clients fail on null in an optional field
 * (rules/attestations.md#type-record).
 */
export const TypeOut = z
  .object({
    name: z.string().describe('Name of the type'),
    description: z.string().optional().meta({ description: 'Absent if none was ever given' }),
    org: z.string().describe('Name of the organization'),
    archived: z.boolean().describe('Whether the record is archived'),
    created_by: z
      .string()
      .optional()
      .meta({ description: 'Absent with the times below if the request asks for one version' }),
    created_at: z.number().optional().describe('When the record was made, in seconds since the epoch'),
    last_modified_at: z.number().optional().describe('When the record changed last, in seconds since the epoch'),
    versions: z.array(VersionOut).meta({ description: 'Newest first' }),
    unreadable: z.literal(true).optional().meta({
      description:
        'Set in lists if the record could not be read. Name and org are then correct; the other fields are empty.',
    }),
  })
  .meta({ id: 'CustomAttestationType' });
export type TypeOut = z.input<typeof TypeOut>;

/** A type without the contents of its versions (rules/attestations.md#list-types). */
export const ShortTypeOut = TypeOut.extend({
  versions: z
    .array(VersionOut.pick({ version: true, timestamp: true, created_by: true }))
    .describe('The versions of the type'),
}).meta({ id: 'ShortCustomAttestationType' });

/** Shapes a type with all its versions for clients. */
export const typeOut = (type: CustomType, org: string): TypeOut => ({
  ...headOut(type.head, org),
  versions: type.versions.map(versionOut),
});

/** Shapes a type for `?short=true`. */
export const shortTypeOut = (
  { head, versions }: CustomType<VersionOutline>,
  org: string,
): z.input<typeof ShortTypeOut> => ({
  ...headOut(head, org),
  versions: versions.map(({ number, at, by }) => ({ version: number, timestamp: toSeconds(at), created_by: by })),
});

const headOut = ({ name, archived, description, by, created, modified }: TypeHead, org: string) => ({
  name,
  org,
  archived: archived !== null,
  ...(description !== null && { description }),
  created_by: by,
  created_at: toSeconds(created),
  last_modified_at: toSeconds(modified),
});

/** Shapes a type for `?version=n`: without description, creator and times (rules/attestations.md#read-a-type). */
export const versionedTypeOut = ({ head, versions }: CustomType, org: string): TypeOut => ({
  name: head.name,
  org,
  archived: head.archived !== null,
  versions: versions.map(versionOut),
});

const versionOut = ({ number, at, by, content: { schema, rules, summary } }: TypeVersion) => ({
  version: number,
  timestamp: toSeconds(at),
  created_by: by,
  type_schema: schema === null ? null : new RawJson(schema),
  evaluator:
    rules.length === 0 ? { content_type: 'default' as const } : { content_type: 'jq' as const, rules: [...rules] },
  summary,
});

/** The placeholder that a list shows for a type whose record cannot be read (rules/lists.md#unreadable-records). */
export const unreadableType = (name: string, org: string): TypeOut => ({
  name,
  org,
  archived: false,
  created_by: '',
  created_at: 0,
  last_modified_at: 0,
  versions: [],
  unreadable: true,
});
