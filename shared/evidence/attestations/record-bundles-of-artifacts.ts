import type { Fingerprint } from '#shared/base/ids.ts';
import type { FlowName, TrailName } from '#shared/base/names.ts';
import type { Author } from '#shared/callers/author.ts';
import { readOfFlow } from '../flows/get-flow.ts';
import type { DecisionBinding } from '../judge-attestation.ts';
import type { AttestingServices } from '../record-attestation.ts';
import { type FlowPresence, readFlowPresencesOf } from '../records/artifact-records.ts';
import { readFlowNames } from '../records/flows.ts';
import type { Reported } from '../reporting.ts';
import type { OpenedBundle } from '../rules/bundles/inspect-bundles.ts';
import { bundlesOfNothing, MOST_SOUGHT, tooManySubjects } from '../rules/bundles/sentences.ts';
import { type MadeFromBundle, openReported, type ReportedBundles, recordOpened } from './record-bundles.ts';

/** What was made of bundles, and in which trail. */
export interface MadeInTrail {
  made: MadeFromBundle[];
  flow: FlowName;
  trail: TrailName;
}

/**
 * Records bundles like `recordBundles`, in the trail that reported one of their artifacts last
 * (rules/verified-evidence.md#report-a-bundle-without-a-trail).
 *
 * @param flow name of the only flow whose trails count; undefined = all flows
 * @throws ServiceError `invalid` also if no subject is an artifact of the organization; `not-found` for an unknown flow
 */
export async function recordBundlesOfArtifacts(
  services: AttestingServices,
  by: Author<Reported<MadeInTrail>>,
  flow: FlowName | undefined,
  reported: ReportedBundles,
  binding: DecisionBinding,
): Promise<Reported<MadeInTrail>> {
  const opened = await openReported(services, by, reported);
  const target = await findTrail(services, by, flow, opened.bundles, reported.body.artifact_fingerprint ?? null);
  const inTrail = ({ made, ...rest }: Reported<MadeFromBundle[]>): Reported<MadeInTrail> => ({
    ...rest,
    made: { made, ...target },
  });
  const author = { ...by, claim: (outcome: Reported<MadeFromBundle[]>) => by.claim(inTrail(outcome)) };
  return inTrail(await recordOpened(services, author, target, opened, binding));
}

/** The newest report of one of the artifacts decides. */
async function findTrail(
  services: AttestingServices,
  { org }: Pick<Author<unknown>, 'org'>,
  flow: FlowName | undefined,
  bundles: readonly OpenedBundle[],
  only: Fingerprint | null,
): Promise<{ flow: FlowName; trail: TrailName }> {
  const { table } = services;
  const subjects = new Set(only === null ? bundles.flatMap(({ artifacts }) => artifacts) : [only]);
  const sought = [...subjects];
  if (sought.length > MOST_SOUGHT) throw tooManySubjects({ count: sought.length });
  const presences = await readOfFlow(services, org, flow, async (id) => {
    const found = await readFlowPresencesOf(table, org.id, sought);
    return found.flat().filter((presence) => id === undefined || presence.flow === id);
  });
  const [first, ...others] = presences;
  if (!first) throw bundlesOfNothing({ about: aboutOf(bundles, only) });
  const newest = others.reduce<FlowPresence>((latest, one) => (one.at > latest.at ? one : latest), first);
  const name = (await readFlowNames(table, org.id, [newest.flow])).get(newest.flow);
  if (name === undefined) throw new Error(`An artifact was reported in the flow ${newest.flow}, which has no name`);
  return { flow: name, trail: newest.trail };
}

const aboutOf = (bundles: readonly OpenedBundle[], only: Fingerprint | null): string =>
  only === null ? bundles.map(({ about }) => about || 'nothing that can be read').join('; ') : `sha256:${only}`;
