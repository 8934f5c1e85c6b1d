import * as z from 'zod';
import { RuntimeHistory } from '#functions/forms/runtime-history.ts';
import { ErasureOut } from '#shared/bodies/erasure.ts';

const Matches = (type: string) =>
  z.object({
    type: z.literal(type).describe(`Always \`${type}\``),
    count: z.int().describe('How many there are'),
    matches: z.array(z.string()).describe('The first of them in full'),
  });

const FoundArtifact = z
  .object({
    fingerprint: z.string().describe('SHA-256 of the artifact as 64 hex digits'),
    name: z.string().describe('Name of the artifact'),
    flow: z.string().meta({ description: 'Empty without provenance, like `git_commit`, `commit_url` and `build_url`' }),
    git_commit: z.string().describe('SHA-1 of the commit that the artifact was built from, as 40 hex digits'),
    has_provenance: z.boolean().meta({
      description:
        'Whether any flow has a report of the artifact. If not, the artifact is known from environments only',
    }),
    commit_url: z.string().describe('Address of the commit'),
    build_url: z.string().describe('Address of the build'),
    html_url: z.string().describe('Address of a page for people'),
    compliance_state: z
      .enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'])
      .meta({ description: 'Verdict in the trail of the report; `INCOMPLETE` without provenance' }),
    running_in: z.array(z.string()).meta({ description: 'Names of environments' }),
    exited_from: z.array(z.string()).meta({ description: 'Names of environments' }),
    history: RuntimeHistory,
    erased: ErasureOut,
  })
  .meta({ id: 'FoundArtifact' });
export type FoundArtifact = z.input<typeof FoundArtifact>;

/** The answer of a search (rules/lookups.md#search). */
export const SearchOut = z
  .object({
    resolved_to: z
      .object({
        type: z.enum(['commit', 'fingerprint', 'ambiguous']).describe('What was found'),
        full_match: z
          .string()
          .meta({ description: 'The one match in full; the text of the request if there are several matches' }),
        fingerprints: Matches('fingerprint').describe('The fingerprints that begin with the text'),
        commits: Matches('commit').describe('The commits that begin with the text'),
      })
      .describe('What the text of the request stands for'),
    artifacts: z.array(FoundArtifact).describe('The artifacts that were found'),
  })
  .meta({ id: 'SearchResult' });
export type SearchOut = z.input<typeof SearchOut>;
