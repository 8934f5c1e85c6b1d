import type { Organization } from '#shared/callers/caller.ts';
import type { TrailRecord } from '#shared/evidence/records/trail-records.ts';
import type { Template } from '#shared/evidence/rules/template.ts';
import { type AttestationStatus, judgeTrail, type StatusWord } from '#shared/evidence/rules/verdict.ts';
import { linksOf, type ReasonPlace } from './links.ts';
import { type ReasonReading, readSeen } from './read-seen.ts';
import { type BoundedChain, bounded } from './rules/bounded-chain.ts';
import { inScope, type SeenTrail, seenTrail } from './rules/seen.ts';
import { trailSteps } from './rules/trail-steps.ts';

type Place = ReasonPlace & { org: Organization };

/** Resolves why a trail is compliant or not (rules/reasons.md#where-it-is-answered). */
export async function explainTrail(
  reading: ReasonReading,
  place: Place,
  { head, flow, state }: Pick<TrailRecord, 'head' | 'flow' | 'state'>,
  template: Template,
): Promise<BoundedChain> {
  return explain(reading, place, null, seenTrail({ flow: flow.name, trail: head.name }, judgeTrail(state, template)));
}

/** Resolves why an artifact is compliant or not in its trail. */
export const explainArtifact = (
  reading: ReasonReading,
  place: Place,
  given: { flow: string; trail: string; status: StatusWord; entries: readonly AttestationStatus[] },
): Promise<BoundedChain> =>
  explain(reading, place, 'the artifact', { ...given, entries: given.entries.map(inScope(null)) });

async function explain(
  reading: ReasonReading,
  place: Place,
  about: string | null,
  seen: SeenTrail,
): Promise<BoundedChain> {
  const attestations = await readSeen(reading, place.org.id, seen.entries);
  return bounded(trailSteps(seen, about, attestations, linksOf(place)));
}
