import type { Fingerprint, FlowId, TrailId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { readTags } from '#shared/series/tag-items.ts';
import { keyText } from '#shared/table/table.ts';
import { type FlowPresence, readFlowPresences } from './records/artifact-records.ts';
import { FlowHead } from './records/flows.ts';
import { flowHeadKey, flowTagsKey } from './records/keys.ts';
import { loadTemplate } from './records/templates.ts';
import { readTrailState } from './records/trails.ts';
import { reasonsAgainst } from './rules/incompliance-reasons.ts';
import { type AttestationStatus, type ReportedArtifact, type StatusWord, trailJudge } from './rules/verdict.ts';

/** Where the evidence about what runs is read. */
export type Reading = Pick<Services, 'table' | 'objects'>;
export type Owner = Pick<Organization, 'id'>;

/**
 * Reads of one kind begun at the same time: those of 1,000 artifacts and a few controls are one round trip (design §5).
 * How many of them are on the wire at once is the client's to say; this bounds only what waits in memory.
 */
export const READS_AT_ONCE = 4_000;

/** What a flow's latest trail with an artifact says of it (semantics §3.8, §3.10). */
export interface Vouching {
  presence: FlowPresence;
  flow: { name: string; tags: Record<string, string> };
  /** Id of the trail. */
  trail: TrailId;
  status: StatusWord;
  compliant: boolean;
  reasons: string[];
  /** Entries of the artifact, under each of its names, and of the trail as a whole. */
  entries: AttestationStatus[];
  /** The artifact's own entry, as the trail lists it, and the digest of the template that it was judged by. */
  entry: ReportedArtifact;
  template: string | null;
}

/** The flows that hold each fingerprint, the one that had it first in front: a Query per fingerprint, all at once. */
export async function readPresences(
  { table }: Reading,
  org: Owner,
  fingerprints: Iterable<Fingerprint>,
): Promise<Map<Fingerprint, FlowPresence[]>> {
  const presences = new Map<Fingerprint, FlowPresence[]>();
  await inParallel(fingerprints, READS_AT_ONCE, async (fingerprint) => {
    presences.set(fingerprint, await readFlowPresences(table, org.id, fingerprint));
  });
  return presences;
}

/** What flows and trails say of artifacts, by fingerprint: every flow and every trail is read once, all at once. */
export async function readVouchings(
  reading: Reading,
  org: Owner,
  presences: ReadonlyMap<Fingerprint, readonly FlowPresence[]>,
): Promise<Map<Fingerprint, Vouching[]>> {
  const places = [...presences.values()].flat();
  const [trails, flows] = await Promise.all([readTrails(reading, org, places), readFlows(reading, org, places)]);
  const vouchings = new Map<Fingerprint, Vouching[]>();
  for (const [fingerprint, found] of presences) {
    const vouching = found.map((presence): Vouching => {
      const trail = trails.get(placeKey(presence));
      const flow = flows.get(presence.flow);
      if (!trail || !flow) throw new Error(`Artifact ${fingerprint} names a flow that is not there`);
      return { presence, flow, trail: trail.id, ...trail.verdictOn(fingerprint) };
    });
    vouchings.set(fingerprint, vouching);
  }
  return vouchings;
}

const placeKey = ({ flow, trail }: FlowPresence): string => `${flow}#${trail}`;

interface JudgingTrail {
  id: TrailId;
  verdictOn(
    fingerprint: Fingerprint,
  ): Pick<Vouching, 'status' | 'compliant' | 'reasons' | 'entries' | 'entry' | 'template'>;
}

async function readTrails(
  { table, objects }: Reading,
  org: Owner,
  places: readonly FlowPresence[],
): Promise<Map<string, JudgingTrail>> {
  const distinct = new Map(places.map((place) => [placeKey(place), place]));
  const trails = new Map<string, JudgingTrail>();
  await inParallel(distinct, READS_AT_ONCE, async ([key, { flow, trail }]) => {
    const read = await readTrailState(table, org.id, flow, trail);
    if (!read) throw new Error(`Artifacts name the trail ${trail}, which is not there`);
    const judge = trailJudge(read.state, await loadTemplate(table, objects, org.id, read.state.template));
    const names = Map.groupBy(read.state.artifacts.values(), ({ fingerprint }) => fingerprint);
    trails.set(key, {
      id: read.head.id,
      verdictOn(fingerprint) {
        const verdict = judge.effective(fingerprint);
        if (!verdict) throw new Error(`Artifact ${fingerprint} is not in the trail that names it`);
        // An artifact that was reported under several names owes, and has, the entries of each of them.
        const own = [...new Set(names.get(fingerprint)?.map(({ name }) => name))].flatMap(
          (name) => judge.artifact(fingerprint, name)?.attestations_statuses ?? [],
        );
        const entries = [...own, ...verdict.trail];
        const { status, is_compliant: compliant, entry } = verdict;
        const reasons = reasonsAgainst(status, entries);
        return { status, compliant, reasons, entries, entry, template: read.state.template };
      },
    });
  });
  return trails;
}

async function readFlows(
  { table }: Reading,
  org: Owner,
  places: readonly FlowPresence[],
): Promise<Map<FlowId, Vouching['flow']>> {
  const ids = [...new Set(places.map(({ flow }) => flow))];
  const found = await table.getMany(ids.flatMap((id) => [flowHeadKey(org.id, id), flowTagsKey(org.id, id)]));
  const flows = new Map<FlowId, Vouching['flow']>();
  for (const id of ids) {
    const head = found.get(keyText(flowHeadKey(org.id, id)));
    const tags = readTags(found.get(keyText(flowTagsKey(org.id, id))));
    if (head) flows.set(id, { name: FlowHead.parse(head).name, tags });
  }
  return flows;
}
