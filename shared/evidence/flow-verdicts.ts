import type { AttestationId, Fingerprint, FlowId, TrailId } from '#shared/base/ids.ts';
import type { FlowName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readTags } from '#shared/series/tag-items.ts';
import { bySortKey } from '#shared/table/items.ts';
import { type FlowPresence, readFlowPresencesOf } from './records/artifact-records.ts';
import { FlowHead } from './records/flows.ts';
import { FLOW_IDENTITY_RANGE, flowPartition } from './records/keys.ts';
import { reasonsAgainst } from './rules/incompliance-reasons.ts';
import type { RecalledEntry } from './rules/status-entries.ts';
import type { ArtifactSlot, TrailState } from './rules/trail-state.ts';
import type { AttestationStatus, ReportedArtifact, StatusWord } from './rules/verdict.ts';
import { placeKey, readTrailJudges } from './trail-judges.ts';

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
  /** Records of the artifact and of the trail as a whole that recalls match. */
  recalled: RecalledEntry[];
  /** Returns when an attestation of the trail was reported. @throws Error if the trail does not have it */
  attestedAt: (id: AttestationId) => Micros;
  /** The artifact's own entry, as the trail lists it. */
  entry: ReportedArtifact;
  /** The reports of the artifact in the trail. */
  reports: readonly ArtifactSlot[];
  /** State of the trail by what counts. */
  state: TrailState;
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
  const [trails, flows] = await Promise.all([
    readTrailJudges(reading, org.id, places),
    readFlows(reading, org, places),
  ]);
  const slotsOf = new Map([...trails].map(([key, { state }]) => [key, slotsByFingerprint(state)]));
  const timesOf = new Map([...trails].map(([key, { state }]) => [key, attestationTimes(state)]));
  const verdicts = new Map<Fingerprint, VerdictInFlow[]>();
  for (const [fingerprint, found] of presences) {
    const inFlows = found.map((presence): VerdictInFlow => {
      const key = placeKey(presence);
      const trail = trails.get(key);
      const attestedAt = timesOf.get(key);
      const flow = flows.get(presence.flow);
      const verdict = trail?.judge.effective(fingerprint);
      if (!trail || !attestedAt || !flow || !verdict)
        throw new Error(`Artifact ${fingerprint} is not in the trail that names it`);
      const slots = slotsOf.get(key)?.get(fingerprint) ?? [];
      // An artifact that was reported under several names must satisfy the template for each of them.
      const names = [...new Set(slots.map(({ name }) => name))];
      const own = names.flatMap((name) => trail.judge.artifact(fingerprint, name)?.attestations_statuses ?? []);
      const entries = [...own, ...verdict.trail];
      const { status, is_compliant: compliant, entry, recalled } = verdict;
      const reasons = reasonsAgainst(status, entries);
      // A report that came after the presence was read may have taken the place of the known one in the trail.
      const { commit = '' } = slots.find(({ id }) => id === presence.artifact) ?? slots.at(-1) ?? {};
      return {
        presence,
        flow,
        trail: trail.head.id,
        commit,
        status,
        compliant,
        reasons,
        entries,
        recalled,
        attestedAt,
        entry,
        reports: slots,
        state: trail.state,
      };
    });
    verdicts.set(fingerprint, inFlows);
  }
  return verdicts;
}

const slotsByFingerprint = ({ artifacts }: TrailState) =>
  Map.groupBy(artifacts.values(), ({ fingerprint }) => fingerprint);

/** Returns a function that finds the time of an attestation. The times are collected at its first call. */
function attestationTimes({ attestations }: TrailState): (id: AttestationId) => Micros {
  let times: ReadonlyMap<AttestationId, Micros> | undefined;
  return (id) => {
    times ??= new Map([...attestations.values()].map((slot) => [slot.id, slot.at]));
    const at = times.get(id);
    if (at === undefined) throw new Error(`Attestation ${id} is not in the trail that names it`);
    return at;
  };
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
