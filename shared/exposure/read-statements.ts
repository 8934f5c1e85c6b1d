import type { Fingerprint, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { BuildArtifact } from '#shared/components/builds/build-artifacts.ts';
import type { Build } from '#shared/components/records/sets.ts';
import { type AskedStatements, readVexOf, trailText, type VexItem } from '#shared/components/records/vex.ts';
import type { Said } from '#shared/components/rules/said.ts';
import { matchingRecalls } from '#shared/evidence/rules/recalled.ts';
import type { Recall } from '#shared/signers/rules/recalls.ts';
import type { Table } from '#shared/table/table.ts';

interface BuiltArtifact {
  build: Pick<Build, 'flow' | 'trail'>;
  artifact: BuildArtifact;
}

/** What counts as of an instant. */
interface Counted {
  /** Later statements do not count. */
  asOf: Micros;
  /** As they were at the instant. */
  recalls: readonly Recall[];
}

/**
 * Reads what statements of OpenVEX say of artifacts (rules/components.md#statements-that-count): those about their fingerprints, and those
 * that a trail of a build says of its artifacts.
 *
 * @returns the statements about one of the artifacts
 */
export async function readStatements(
  table: Table,
  org: OrganizationId,
  all: readonly BuiltArtifact[],
  { asOf, recalls, ...asked }: AskedStatements & Counted,
): Promise<(one: BuiltArtifact) => Said[]> {
  const fingerprints = [...new Set<Fingerprint>(all.map(({ artifact }) => artifact.fingerprint))];
  const trails = [...new Map(all.map(({ build }) => [trailText(build), build])).values()];
  const found = await readVexOf(table, org, { fingerprints, trails }, asked);
  const isCounted = (item: VexItem) => item.at <= asOf && matchingRecalls(item, recalls).length === 0;
  return ({ build, artifact }) => {
    const ofTrail = found.trails.get(trailText(build)) ?? [];
    const items = [
      ...(found.artifacts.get(artifact.fingerprint) ?? []),
      ...ofTrail.filter(({ scopes }) => scopes.some((scope) => isAbout(scope, artifact))),
    ];
    return items.filter(isCounted).flatMap(saidIn);
  };
}

/** Whether an attestation of the trail is about the artifact. One about a fingerprint is found by the fingerprint. */
function isAbout(scope: VexItem['scopes'][number], { name, commit }: BuildArtifact): boolean {
  if (scope.kind === 'named') return scope.artifact === name && scope.commit === commit;
  // Without a name, the trail does not have the artifact.
  return scope.kind === 'trail' && name !== null;
}

const saidIn = ({ id, flow, trail, at, by, grade, proof, entries }: VexItem): Said[] =>
  entries.map((entry) => ({
    ...entry,
    attestation: id,
    flow,
    trail,
    at,
    by,
    grade,
    signer: proof?.signer?.name ?? null,
  }));
