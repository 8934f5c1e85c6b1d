import * as z from 'zod';
import { AttestationId, EnvironmentId, FlowId, StoredFingerprint } from '#shared/base/ids.ts';
import { AnyTrailName } from '#shared/base/names.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import type { Watch } from './watch.ts';

/** What a watch found (rules/watches.md#matches). */
export const Match = z.object({
  v: z.literal(1),
  /** Watch and target: a watch has at most one match of each target. */
  id: z.string(),
  /** `first`: the first SBOM that matches. `environment`: the first artifact in an environment. Items with a kind reach the relay. */
  kind: z.enum(['first', 'environment']),
  /** The watch as it was when it matched. */
  watch: z.object({
    id: z.string(),
    name: z.string(),
    purl: z.string(),
    versions: z.string().nullable(),
    vulnerability: z.string().nullable(),
  }),
  /** When the service found it. */
  at: StoredMicros,
  /** The attestation whose SBOM matches. */
  build: z.object({ attestation: AttestationId, flow: FlowId, trail: AnyTrailName, at: StoredMicros }),
  /** The artifact that runs, with its name in the trail; null in the first match. */
  artifact: z.object({ fingerprint: StoredFingerprint, name: z.string().nullable() }).nullable(),
  /** Where it runs, and the snapshot with which it started there; null in the first match. */
  environment: z.object({ id: EnvironmentId, snapshot: z.int(), since: StoredMicros }).nullable(),
});
export type Match = z.infer<typeof Match>;

const FIRST = 'first';

/** Returns the id of the first match of a watch, or of its match in an environment. */
export const matchId = (watch: Watch['id'], environment: EnvironmentId | null): string =>
  `${watch}#${environment ?? FIRST}`;

/** What both kinds of matches have. */
interface Matched {
  watch: Watch;
  build: Match['build'];
  at: Micros;
}

export const firstMatch = (matched: Matched): Match => ({
  ...matchOf(matched, null),
  kind: 'first',
  artifact: null,
  environment: null,
});

export const environmentMatch = (
  matched: Matched,
  artifact: NonNullable<Match['artifact']>,
  environment: NonNullable<Match['environment']>,
): Match => ({ ...matchOf(matched, environment.id), kind: 'environment', artifact, environment });

const matchOf = (
  { watch: { id, name, purl, versions, vulnerability }, build, at }: Matched,
  environment: EnvironmentId | null,
) => ({
  v: 1 as const,
  id: matchId(id, environment),
  watch: { id, name, purl, versions, vulnerability },
  at,
  build,
});
