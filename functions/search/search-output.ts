import * as z from 'zod';

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
    flow: z.string().meta({ description: 'Empty without provenance, as the commit and the links to it and the build' }),
    git_commit: z.string(),
    has_provenance: z
      .boolean()
      .meta({ description: 'Whether a flow has a report of it; without one it is known by what runs' }),
    commit_url: z.string(),
    build_url: z.string(),
    html_url: z.string(),
    compliance_state: z
      .enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE'])
      .meta({ description: 'Of its trail; without provenance all evidence is missing' }),
    running_in: z.array(z.string()).meta({ description: 'Names of environments' }),
    exited_from: z.array(z.string()).meta({ description: 'Names of environments' }),
    history: z.array(z.object({ event: z.string(), timestamp: z.number() })),
  })
  .meta({ id: 'FoundArtifact' });
export type FoundArtifact = z.input<typeof FoundArtifact>;

/** What a search finds (wire flows §8 X2). */
export const SearchOut = z
  .object({
    resolved_to: z.object({
      type: z.enum(['commit', 'fingerprint', 'ambiguous']),
      full_match: z
        .string()
        .meta({ description: 'What was asked for, in full; as it was asked where it is ambiguous' }),
      fingerprints: Matches('fingerprint'),
      commits: Matches('commit'),
    }),
    artifacts: z.array(FoundArtifact),
  })
  .meta({ id: 'SearchResult' });
export type SearchOut = z.input<typeof SearchOut>;
