import type { Organization } from '#shared/callers/caller.ts';
import type { StoredDecision } from '#shared/controls/records/decisions.ts';
import type { VerdictInFlow } from '#shared/evidence/flow-verdicts.ts';
import type { PolicyDecision } from '#shared/policies/rules/decision-schema.ts';
import { decisionOf } from '#shared/policies/rules/results.ts';
import { linksOf, type ReasonPlace } from '#shared/reasons/links.ts';
import { type ReasonReading, readSeen } from '#shared/reasons/read-seen.ts';
import { type BoundedChain, bounded, boundedTogether } from '#shared/reasons/rules/bounded-chain.ts';
import { decidingIds, reasonChain } from '#shared/reasons/rules/reason-chain.ts';
import { inScope, type SeenTrail } from '#shared/reasons/rules/seen.ts';
import type { Assertion } from './assert-artifact.ts';
import type { AssertedEnvironment } from './assert-in-environments.ts';

type Place = ReasonPlace & { org: Organization };

/**
 * Resolves why an assert has its answer (rules/reasons.md#where-it-is-answered). Makes three round trips of reads at most, whatever
 * the artifact has.
 */
export async function explainAssertion(
  reading: ReasonReading,
  place: Place,
  { scope, compliant, unknown, decisions, flows, judged, controls }: Assertion,
): Promise<BoundedChain> {
  const trails = (decisions.length > 0 ? judged : flows).map(seenTrail);
  const attestations = await readEvidence(reading, place, trails, decisions, controls);
  const subject = {
    ...(scope.kind === 'environment' && {
      environment: {
        name: scope.environment,
        compliant: unknown === null ? compliant : null,
        allowed: scope.allowed,
        unknown,
      },
    }),
    ...{ decisions, trails, controls, attestations },
  };
  return bounded(reasonChain(subject, linksOf(place)));
}

/** What {@link explainEnvironments} explains: the answer of an assert in all environments. */
interface AssertedEverywhere {
  environments: readonly (AssertedEnvironment | { unreadable: unknown })[];
  flows: readonly VerdictInFlow[];
  decisions: readonly StoredDecision[];
}

/**
 * Resolves the same for each environment of an assert in all environments, with one read of the evidence for all of them.
 *
 * @returns one chain for each environment, in their order; empty for an environment that cannot be read
 */
export async function explainEnvironments(
  reading: ReasonReading,
  place: Place,
  { environments, flows, decisions: controls }: AssertedEverywhere,
): Promise<BoundedChain[]> {
  const trails = flows.map(seenTrail);
  const places = flows.map(({ flow, presence, status }) => ({ name: flow.name, trailName: presence.trail, status }));
  const judged = environments.map((environment) =>
    'unreadable' in environment ? [] : environment.evaluations.map((result) => decisionOf(result, places)),
  );
  const attestations = await readEvidence(reading, place, trails, judged.flat(), controls);
  const links = linksOf(place);
  const chains = environments.map((environment, n) => {
    if ('unreadable' in environment) return [];
    const { environment: name, compliant, unknown, decidedBy } = environment;
    const asked = { name, compliant, allowed: decidedBy === 'allow_list', unknown };
    return reasonChain({ environment: asked, decisions: judged[n] ?? [], trails, controls, attestations }, links);
  });
  return boundedTogether(chains, (n) => chains[n]?.[0]?.compliant === false);
}

const seenTrail = ({ flow, presence, status, entries }: VerdictInFlow): SeenTrail => ({
  flow: flow.name,
  trail: presence.trail,
  status,
  entries: entries.map(inScope(null)),
});

const readEvidence = (
  reading: ReasonReading,
  { org }: Place,
  trails: readonly SeenTrail[],
  decisions: readonly PolicyDecision[],
  controls: readonly StoredDecision[],
) =>
  readSeen(
    reading,
    org.id,
    trails.flatMap(({ entries }) => entries),
    decidingIds(decisions, controls),
  );
