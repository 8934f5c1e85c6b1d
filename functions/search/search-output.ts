import * as z from 'zod';
import { ErasureOut } from '#shared/bodies/erasure.ts';

const Matches = (type: string) =>
  z.object({
    type: z.literal(type),
    count: z.int(),
    matches: z.array(z.string()),
  });

const FoundArtifact = z
  .object({
    fingerprint: z.string(),
    name: z.string(),
    flow: z.string().meta({ description: 'Empty without provenance, like `git_commit`, `commit_url` and `build_url`' }),
    git_commit: z.string(),
    has_provenance: z.boolean().meta({
      description:
        'Whether any flow has a report of the artifact. If not, the artifact is known from environments only',
    }),
    commit_url: z.string(),
    build_url: z.string(),
    html_url: z.string(),
    compliance_state: z
      .enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'])
      .meta({ description: 'Verdict in the trail of the report; `INCOMPLETE` without provenance' }),
    running_in: z.array(z.string()).meta({ description: 'Names of environments' }),
    exited_from: z.array(z.string()).meta({ description: 'Names of environments' }),
    history: z.array(z.object({ event: z.string(), timestamp: z.number() })),
    erased: ErasureOut.optional(),
  })
  .meta({ id: 'FoundArtifact' });
export type FoundArtifact = z.input<typeof FoundArtifact>;

/** The answer of a search (rules/lookups.md#search). */
export const SearchOut = z
  .object({
    resolved_to: z.object({
      type: z.enum(['commit', 'fingerprint', 'ambiguous']),
      full_match: z
        .string()
        .meta({ description: 'The one match in full; the text of the request if there are several matches' }),
      fingerprints: Matches('fingerprint'),
      commits: Matches('commit'),
    }),
    artifacts: z.array(FoundArtifact),
  })
  .meta({ id: 'SearchResult' });
export type SearchOut = z.input<typeof SearchOut>;
