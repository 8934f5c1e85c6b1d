import type { Fingerprint, FlowId, Id, TrailId } from '#shared/base/ids.ts';
import type { FlowName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readTags } from '#shared/series/tag-items.ts';
import { bySortKey } from '#shared/table/items.ts';
import { type FlowPresence, readFlowPresencesOf } from './records/artifact-records.ts';
import { FlowHead } from './records/flows.ts';
import { FLOW_IDENTITY_RANGE, flowPartition } from './records/keys.ts';
import { loadTemplates } from './records/templates.ts';
import { readTrailStates } from './records/trails.ts';
import { reasonsAgainst } from './rules/incompliance-reasons.ts';
import { type AttestationStatus, type ReportedArtifact, type StatusWord, trailJudge } from './rules/verdict.ts';

/** The services from which evidence is read. */
export type Reading = Pick<Stores, 'table' | 'objects'>;
export type Owner = Pick<Organization, 'id'>;

/** The effective verdict on an artifact in the latest trail of one flow (rules/trails.md#several-flows). */
export interface VerdictInFlow {
  presence: FlowPresence;
  flow: { name: FlowName; tags: Record<string, string> };
  /** Id of the trail. */
  trail: TrailId;
  /** SHA of the commit of the latest report. */
  commit: string;
  status: StatusWord;
  compliant: boolean;
  reasons: string[];
  /** Entries of the artifact under each of its names, then the entries of the trail as a whole. */
  entries: AttestationStatus[];
  /** The artifact's own entry, as the trail lists it. */
  entry: ReportedArtifact;
  /** Digest of the template that the artifact was judged by; null is the empty template. */
  template: string | null;
}

/**
 * Reads in which flows each fingerprint was reported, all fingerprints in parallel.
 *
 * @returns by fingerprint, its flows in the order of the first report
 */
export async function readPresences({ table }: Reading, org: Owner, fingerprints: Iterable<Fingerprint>) {
  const distinct = [...new Set(fingerprints)];
  const presences = await readFlowPresencesOf(table, org.id, distinct);
  return new Map(distinct.map((fingerprint, i) => [fingerprint, presences[i] ?? []]));
}

/**
 * Reads the verdicts on artifacts in the flows that reported them. Each flow and each trail is read once, in parallel.
 *
 * @returns by fingerprint, one verdict per flow in the order of `presences`
 * @throws Error if a presence names a flow or a trail that does not exist
 */
export async function readVerdictsInFlows(
  reading: Reading,
  org: Owner,
  presences: ReadonlyMap<Fingerprint, readonly FlowPresence[]>,
): Promise<Map<Fingerprint, VerdictInFlow[]>> {
  const places = [...presences.values()].flat();
  const [trails, flows] = await Promise.all([readTrails(reading, org, places), readFlows(reading, org, places)]);
  const verdicts = new Map<Fingerprint, VerdictInFlow[]>();
  for (const [fingerprint, found] of presences) {
    const inFlows = found.map((presence): VerdictInFlow => {
      const trail = trails.get(placeKey(presence));
      const flow = flows.get(presence.flow);
      if (!trail || !flow) throw new Error(`Artifact ${fingerprint} names a flow or a trail that does not exist`);
      return { presence, flow, trail: trail.id, ...trail.verdictOn(fingerprint, presence.artifact) };
    });
    verdicts.set(fingerprint, inFlows);
  }
  return verdicts;
}

const placeKey = ({ flow, trail }: FlowPresence): string => `${flow}#${trail}`;

interface JudgingTrail {
  id: TrailId;
  verdictOn(
    fingerprint: Fingerprint,
    report: Id,
  ): Pick<VerdictInFlow, 'commit' | 'status' | 'compliant' | 'reasons' | 'entries' | 'entry' | 'template'>;
}

async function readTrails({ table, objects }: Reading, org: Owner, places: readonly FlowPresence[]) {
  const distinct = [...new Map(places.map((place) => [placeKey(place), place])).values()];
  const states = await readTrailStates(table, org.id, distinct);
  const templateOf = await loadTemplates(
    table,
    objects,
    org.id,
    states.flatMap((read) => read?.state.template ?? []),
  );
  const trails = new Map<string, JudgingTrail>();
  for (const [i, place] of distinct.entries()) {
    const read = states[i];
    const { trail } = place;
    if (!read) throw new Error(`Artifacts name the trail ${trail}, which does not exist`);
    const judge = trailJudge(read.state, templateOf(read.state.template));
    const names = Map.groupBy(read.state.artifacts.values(), ({ fingerprint }) => fingerprint);
    trails.set(placeKey(place), {
      id: read.head.id,
      verdictOn(fingerprint, report) {
        const verdict = judge.effective(fingerprint);
        if (!verdict) throw new Error(`Artifact ${fingerprint} is not in the trail that names it`);
        // An artifact that was reported under several names must satisfy the template for each of them.
        const own = [...new Set(names.get(fingerprint)?.map(({ name }) => name))].flatMap(
          (name) => judge.artifact(fingerprint, name)?.attestations_statuses ?? [],
        );
        const entries = [...own, ...verdict.trail];
        const { status, is_compliant: compliant, entry } = verdict;
        const reasons = reasonsAgainst(status, entries);
        const slots = names.get(fingerprint) ?? [];
        // A report that came after the presence was read may have taken the place of `report` in the trail.
        const { commit = '' } = slots.find(({ id }) => id === report) ?? slots.at(-1) ?? {};
        return { commit, status, compliant, reasons, entries, entry, template: read.state.template };
      },
    });
  }
  return trails;
}

async function readFlows({ table }: Reading, org: Owner, places: readonly FlowPresence[]) {
  const ids = [...new Set(places.map(({ flow }) => flow))];
  const found = await table.queryEach(ids.map((id) => ({ pk: flowPartition(org.id, id), ...FLOW_IDENTITY_RANGE })));
  const flows = new Map<FlowId, VerdictInFlow['flow']>();
  for (const [i, id] of ids.entries()) {
    const by = bySortKey(found[i] ?? []);
    const head = by.get('HEAD');
    if (head) flows.set(id, { name: FlowHead.parse(head).name, tags: readTags(by.get('TAGS')) });
  }
  return flows;
}
