import { type AttestationId, isKnownFingerprint } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readFacts } from '#shared/evidence/attestation-facts.ts';
import { countedStates } from '#shared/evidence/counted-trails.ts';
import type { TrailPlace } from '#shared/evidence/records/artifact-trails.ts';
import { type AttestationRecord, readAttestations } from '#shared/evidence/records/attestation-records.ts';
import { isDecision, TYPES_OF_DECISIONS } from '#shared/evidence/rules/decisions.ts';
import { slotProof } from '#shared/evidence/rules/slot-proof.ts';
import type { AttestationSlot } from '#shared/evidence/rules/trail-state.ts';
import { placeKey, readPlacedTrails } from '#shared/evidence/trail-judges.ts';
import { readAllowedEntries } from '../records/allowed.ts';
import type { AllowedItem, EnvironmentHead } from '../records/environment-records.ts';
import { type Approval, pullRequestApprovals, textOf } from '../rules/changes/approvals.ts';
import type { RowFlow, SnapshotRow } from '../rules/content.ts';

/** Flows of one artifact whose trails are read, the primary one first. */
const MOST_FLOWS = 3;
/** Attestations of one artifact that are read, and as many signed statements of which some can be decisions. */
const MOST_ATTESTATIONS = 10;
/** How many long facts are read from the bucket in parallel. */
const FACTS_AT_ONCE = 50;

type Approved = Pick<SnapshotRow, 'fingerprint' | 'flows'>;
type Reading = Pick<Stores, 'table' | 'objects'>;

/**
 * Reads who let artifacts through (rules/environments.md#who-allowed-a-change): the reviews, decisions and overrides of
 * their trails, and the allow-list. Takes two calls after one another per 50 trails and 100 attestations, one more
 * for facts in the bucket, and those of {@link countedStates} if a trail has signatures.
 *
 * @returns the approvals of each row, in the order of the rows
 */
export async function readApprovals<R extends Approved>(
  reading: Reading,
  org: Organization,
  head: EnvironmentHead,
  rows: readonly R[],
): Promise<Approval[][]> {
  const [slots, allowed] = await Promise.all([
    readDecidingSlots(reading, org, rows),
    readAllowance(reading, org, head, rows),
  ]);
  const ids = [...new Set(slots.flat().map(({ id }) => id))];
  const records = await readAttestations(reading.table, org.id, ids);
  const found = new Map<AttestationId, Approval[]>();
  await inParallel(records, FACTS_AT_ONCE, async (record) => {
    found.set(record.id, await approvalsOf(reading, org, record));
  });
  return rows.map(({ fingerprint }, i) => {
    const entry = allowed.get(fingerprint);
    const own = (slots[i] ?? []).flatMap(({ id }) => found.get(id) ?? []);
    return [...own, ...(entry ? [allowance(entry)] : [])];
  });
}

/** The slots of the trails of each row that say who let the artifact through. */
async function readDecidingSlots({ table }: Reading, org: Organization, rows: readonly Approved[]) {
  const flowsOf = ({ flows }: Approved) => flows.slice(0, MOST_FLOWS);
  const found = await readPlacedTrails(table, org.id, rows.flatMap(flowsOf).map(placeOf));
  const counted = await countedStates(table, org.id, found);
  const stateOf = new Map(found.map(({ key }, i) => [key, counted[i]]));
  return rows.map((row) => {
    const slots = flowsOf(row)
      .flatMap((flow) =>
        [...(stateOf.get(placeKey(placeOf(flow)))?.attestations.values() ?? [])].filter((slot) =>
          isAbout(slot, row, flow),
        ),
      )
      .toSorted((a, b) => b.at - a.at);
    const deciding = slots.filter(isDeciding).slice(0, MOST_ATTESTATIONS);
    return [...deciding, ...slots.filter(mayDecide).slice(0, MOST_ATTESTATIONS)].toSorted((a, b) => b.at - a.at);
  });
}

const placeOf = ({ flow, trailName: trail }: RowFlow): TrailPlace => ({ flow, trail });

const isDeciding = ({ type, overridden }: AttestationSlot): boolean =>
  type === 'pull_request' || type === 'decision' || overridden !== null;

/** Whether a slot has a signed statement, which can be a decision on a control. Its record says it. */
const mayDecide = (slot: AttestationSlot): boolean =>
  !isDeciding(slot) && slot.proof?.signer !== undefined && TYPES_OF_DECISIONS.includes(slot.type);

function isAbout({ scope }: AttestationSlot, { fingerprint }: Approved, { slot, commit }: RowFlow): boolean {
  if (scope.kind === 'fingerprint') return scope.fingerprint === fingerprint;
  return scope.kind === 'trail' || (scope.artifact === slot && scope.commit === commit);
}

async function approvalsOf({ objects }: Reading, org: Organization, record: AttestationRecord): Promise<Approval[]> {
  const { id, name, type, compliant, by, at } = record;
  if (type !== 'pull_request' && type !== 'override' && !isDecision(record)) return [];
  const evidence = (await readFacts(objects, org.id, record.facts))?.evidence ?? {};
  if (type === 'pull_request') return pullRequestApprovals(evidence['pull_requests'], { id, name, compliant });
  const said = { by, at, compliant, name, attestation: id, url: null, signer: null };
  if (type === 'override') {
    return [{ kind: 'override', ...said, control: null, reason: textOf(evidence['reason']) }];
  }
  const signer = slotProof(record.derived)?.signer?.name ?? null;
  return [{ kind: 'decision', ...said, control: textOf(evidence['control']), reason: null, signer }];
}

async function readAllowance({ table }: Reading, org: Organization, head: EnvironmentHead, rows: readonly Approved[]) {
  if (head.allowed === 0) return new Map<string, AllowedItem>();
  const fingerprints = new Set(rows.map(({ fingerprint }) => fingerprint).filter(isKnownFingerprint));
  return readAllowedEntries(table, org.id, head.id, fingerprints);
}

const allowance = ({ by, at, description }: AllowedItem): Approval => ({
  kind: 'allow_list',
  by: by.name,
  at,
  compliant: true,
  name: null,
  attestation: null,
  control: null,
  url: null,
  reason: description,
  signer: null,
});
